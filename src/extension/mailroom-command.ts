import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { MailroomError } from "../mail/errors.ts";
import { quoted } from "../mail/plain-text.ts";
import type { MailSource } from "./mail-source.ts";
import { tellErrors } from "./mailbox-command.ts";
import type { MailroomWord } from "./mailroom-answers.ts";

type CommandOptions = Parameters<ExtensionAPI["registerCommand"]>[1];

const WORDS: Readonly<Record<Exclude<MailroomWord, "">, string>> = {
  asks: "who waits on whom, and what is open",
  chain: "the letters round one: /mailroom chain <id>",
  doctor: "what is wrong with the mail root",
  send: "pick a running session and write to it",
};

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
      await tellErrors(ctx, async () => {
        const [word = "", ...rest] = words.trim().split(/\s+/);
        if (!isWord(word)) throw unknownWord(word);
        // Loaded on first use: most sessions never ask, and each file counts in Pi's start.
        const { answerMailroom } = await import("./mailroom-answers.ts");
        await answerMailroom(source, ctx, word, rest);
      });
    },
  };
}

function isWord(word: string): word is MailroomWord {
  return word === "" || Object.hasOwn(WORDS, word);
}

function unknownWord(word: string): MailroomError {
  return new MailroomError(
    "command/unknown",
    `/mailroom has no ${quoted(word)}.`,
    `It has: ${Object.keys(WORDS).join(", ")}, or nothing for an overview.`,
  );
}
