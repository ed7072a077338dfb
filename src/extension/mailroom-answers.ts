import { MailroomError } from "../mail/errors.ts";
import { examineRoot } from "../maildir/doctor.ts";
import { loadSettings } from "../maildir/settings-file.ts";
import { asksText } from "./asks-view.ts";
import { chainText } from "./chain-view.ts";
import { composeMail } from "./compose.ts";
import type { HostContext } from "./host.ts";
import { inSteps } from "./in-steps.ts";
import { overviewText } from "./mail-overview.ts";
import type { MailSource } from "./mail-source.ts";
import { say } from "./mailbox-command.ts";

/** What may follow `/mailroom`. */
export type MailroomWord = "" | "asks" | "chain" | "doctor" | "send";

/** Does what `/mailroom` and a word ask for. @throws MailroomError command/unknown for an id that is missing */
export async function answerMailroom(
  source: MailSource,
  ctx: HostContext,
  word: MailroomWord,
  rest: readonly string[],
): Promise<void> {
  const root = source.root();
  const nowMs = source.around.now();
  const self = ctx.sessionManager.getSessionId();
  switch (word) {
    case "":
      return say(ctx, await overviewText(root, self, source.session(), nowMs));
    case "asks":
      return say(ctx, await asksText(root, nowMs));
    case "chain":
      return say(ctx, await chainText(root, wantedId(rest), hopLimit(source), nowMs));
    case "doctor":
      return tellFindings(root, nowMs, ctx);
    case "send":
      return composeMail(source, ctx);
    default:
      return word satisfies never;
  }
}

function wantedId([id]: readonly string[]): string {
  if (id !== undefined) return id;
  throw new MailroomError("command/unknown", "Which mail?", "Type: /mailroom chain <id>, with an id from /mailroom.");
}

function hopLimit(source: MailSource): number {
  return loadSettings(source.around.env, source.around.home()).settings.hopLimit;
}

async function tellFindings(root: string, nowMs: number, ctx: HostContext): Promise<void> {
  const findings = (await inSteps(examineRoot(root, nowMs))).filter((finding) => finding !== undefined);
  if (findings.length === 0) return say(ctx, `The mail root ${root} is as it should be.`);
  say(ctx, findings.map(({ what, advice }) => `${what} ${advice}`).join("\n"), "warning");
}
