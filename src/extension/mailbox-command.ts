import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { type Address, uniqueShortIds } from "../mail/address.ts";
import { shownName } from "../mail/frame.ts";
import { parseMailCommand, typedReceiver } from "../mail/mail-command.ts";
import { plainLine, plainLines, quoted } from "../mail/plain-text.ts";
import { pruneFolders } from "../maildir/prune-folders.ts";
import { listRunning } from "../maildir/running.ts";
import { sendMail } from "../maildir/send.ts";
import type { HostContext } from "./host.ts";
import { inOrder, sessionLabels } from "./list-tool.ts";
import type { MailSource } from "./mail-source.ts";
import { refuseEmpty, resolveReceiver } from "./refusals.ts";
import { sendFrom } from "./sending.ts";

type CommandOptions = Parameters<ExtensionAPI["registerCommand"]>[1];

/** `/mailbox`: this session's address; `/mailbox <to> <text>`: a request; `/mailbox prune`. */
export function mailboxCommand(source: MailSource): CommandOptions {
  return {
    description: "Show this session's address, send a request (<to> <text>), or prune old mailboxes",
    getArgumentCompletions: (typed) => completeReceiver(source, typed, ["prune"]),
    async handler(words, ctx) {
      await tellErrors(ctx, () => {
        const self = ctx.sessionManager.getSessionId();
        const command = parseMailCommand(words);
        switch (command.type) {
          case "show":
            return say(ctx, ownAddress(source, ctx, self));
          case "prune":
            return say(ctx, prune(source, self));
          case "incomplete":
            return say(ctx, `There is no text for ${quoted(command.to)}. Type: /mailbox <to> <text>`, "warning");
          case "send":
            return say(ctx, sendRequest(source, self, command.to, command.text));
          default:
            return command satisfies never;
        }
      });
    },
  };
}

/** Sends a request as the person who typed it. @returns what to tell the person */
export function sendRequest(source: MailSource, self: Address, to: string, body: string): string {
  refuseEmpty(body);
  const root = source.root();
  const address = resolveReceiver(root, self, to);
  const outgoing = { to: address, kind: "request", hops: 0, body } as const;
  const session = source.session();
  const { now, uuid } = source.around;
  const { id } =
    session?.isActive === true && session.address === self
      ? sendFrom(session, outgoing)
      : sendMail({ root, now, uuid, durable: false }, { ...outgoing, from: self }).envelope;
  return `Sent ${id} to ${address}.`;
}

/** Running sessions whose name or id begins as typed, and other words of the command. For the first word only. */
export function completeReceiver(source: MailSource, typed: string, words: readonly string[]) {
  const start = typed.trimStart();
  if (/^[^"]\S*\s/.test(start) || /^"(?:[^"\\]|\\.)*"/.test(start)) return null;
  const wanted = start.replace(/^"/, "").toLowerCase();
  const running = inOrder(listRunning(source.root()));
  const shortIds = uniqueShortIds(running.map(({ address }) => address));
  const self = source.session()?.address;
  const names = running
    .filter(({ address }) => address !== self)
    .filter(({ address, name }) => name?.toLowerCase().startsWith(wanted) === true || address.startsWith(wanted))
    .map(({ address, name, state, cwd }) => ({
      value: `${isOnlyName(running, name) && plainLine(name) === name ? typedReceiver(name) : address} `,
      label: shownName(name)?.trim() ?? address,
      description: plainLine(`${shortIds.get(address)} ${state}, in ${cwd}`),
    }));
  const others = words.filter((word) => word.startsWith(wanted)).map((word) => ({ value: word, label: word }));
  const all = [...names, ...others];
  return all.length === 0 ? null : all;
}

/** Runs a command's work; whatever goes wrong is told to the person. */
export async function tellErrors(ctx: HostContext, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    say(ctx, error instanceof Error ? error.message : String(error), "error");
  }
}

export function say(ctx: HostContext, text: string, type: "info" | "warning" | "error" = "info"): void {
  ctx.ui.notify(plainLines(text), type);
}

function isOnlyName(running: readonly { readonly name?: string }[], name: string | undefined): name is string {
  return name !== undefined && running.filter((session) => session.name === name).length === 1;
}

function ownAddress(source: MailSource, ctx: HostContext, self: Address): string {
  const root = source.root();
  const name = source.session()?.name ?? ctx.sessionManager.getSessionName?.();
  const running = inOrder(listRunning(root));
  const others = running.filter(({ address }) => address !== self);
  const labels = sessionLabels(running);
  const ownShortId = uniqueShortIds([self, ...running.map(({ address }) => address)]).get(self);
  const list =
    others.length === 0
      ? ["No other session is running."]
      : ["Running:", ...others.map((other) => `  ${labels.get(other.address)} (${other.address}), ${other.state}`)];
  return [
    `Address: ${self}`,
    `Name: ${name === undefined ? `none, so others see ${ownShortId}; set one with /name` : plainLine(name)}`,
    `Mail root: ${plainLine(root)}`,
    ...list,
  ].join("\n");
}

function prune(source: MailSource, self: Address): string {
  const { now, uuid } = source.around;
  const gone = pruneFolders({ root: source.root(), self, nowMs: now(), olderThanDays: undefined, uuid });
  return `Removed ${gone.length} mailbox folders of closed sessions.`;
}
