import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { MailroomError } from "../mail/errors.ts";
import { quoted } from "../mail/plain-text.ts";
import { examineRoot } from "../maildir/doctor.ts";
import { loadSettings } from "../maildir/settings-file.ts";
import { asksText } from "./asks-view.ts";
import { chainText } from "./chain-view.ts";
import { composeMail } from "./compose.ts";
import type { HostContext } from "./host.ts";
import { inSteps } from "./in-steps.ts";
import { overviewText } from "./mail-overview.ts";
import type { MailSource } from "./mail-source.ts";
import { say, tellErrors } from "./mailbox-command.ts";

type CommandOptions = Parameters<ExtensionAPI["registerCommand"]>[1];

const WORDS = {
  asks: "who waits on whom, and what is open",
  chain: "the letters round one: /mailroom chain <id>",
  doctor: "what is wrong with the mail root",
  send: "pick a running session and write to it",
} as const;

/** `/mailroom` and its words: what mail looks like now. All but `send` only read. */
export function mailroomCommand(source: MailSource): CommandOptions {
  return {
    description: "Show this session's mail; asks, chain <id>, doctor, send",
    getArgumentCompletions: (typed) => {
      const start = typed.trimStart();
      const words = Object.entries(WORDS).filter(([word]) => word.startsWith(start));
      return words.length === 0
        ? null
        : words.map(([word, description]) => ({ value: word, label: word, description }));
    },
    async handler(words, ctx) {
      await tellErrors(ctx, () => answer(source, ctx, words.trim().split(/\s+/)));
    },
  };
}

async function answer(source: MailSource, ctx: HostContext, [word = "", ...rest]: readonly string[]): Promise<void> {
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
      throw new MailroomError(
        "command/unknown",
        `/mailroom has no ${quoted(word)}.`,
        `It has: ${Object.keys(WORDS).join(", ")}, or nothing for an overview.`,
      );
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
