import { plainLine } from "../mail/plain-text.ts";
import { listRunning } from "../maildir/running.ts";
import type { HostContext } from "./host.ts";
import { inOrder, sessionLabels } from "./list-tool.ts";
import type { MailSource } from "./mail-source.ts";
import { say, sendRequest } from "./mailbox-command.ts";

/** Lets the person pick a running session and write to it in the host's editor. */
export async function composeMail(source: MailSource, ctx: HostContext): Promise<void> {
  const { select, editor } = ctx.ui;
  if (!ctx.hasUI || select === undefined || editor === undefined) {
    say(ctx, "This host has no editor to write in. Type: /mailbox <to> <text>", "warning");
    return;
  }
  const self = ctx.sessionManager.getSessionId();
  const others = inOrder(listRunning(source.root())).filter(({ address }) => address !== self);
  if (others.length === 0) {
    say(ctx, "No other session is running.", "warning");
    return;
  }
  const labels = sessionLabels(others);
  const choices = new Map(
    others.map(({ address, state, cwd }) => [
      `${labels.get(address)} (${address}), ${state}, in ${plainLine(cwd)}`,
      address,
    ]),
  );
  const choice = await ctx.ui.select?.("Send a request to", [...choices.keys()]);
  const to = choice === undefined ? undefined : choices.get(choice);
  if (to === undefined) return;
  const text = await ctx.ui.editor?.(`Request to ${labels.get(to)}`);
  if (text === undefined || text.trim() === "") {
    say(ctx, "Nothing was sent.");
    return;
  }
  say(ctx, sendRequest(source, self, to, text.trim()));
}
