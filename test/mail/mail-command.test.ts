import fc from "fast-check";
import { expect, test } from "vitest";
import { type MailCommand, parseMailCommand, typedReceiver } from "../../src/mail/mail-command.ts";
import { hostileText } from "./hostile-text.ts";

const CASES: readonly (readonly [words: string, command: MailCommand])[] = [
  ["", { type: "show" }],
  ["  \n ", { type: "show" }],
  ["prune", { type: "prune" }],
  ["  prune  ", { type: "prune" }],
  ["prune the roses", { type: "send", to: "prune", text: "the roses" }],
  ['"prune" the roses', { type: "send", to: "prune", text: "the roses" }],
  ['"prune"', { type: "incomplete", to: "prune" }],
  ["pruned", { type: "incomplete", to: "pruned" }],
  ["Prune", { type: "incomplete", to: "Prune" }],
  ["alice", { type: "incomplete", to: "alice" }],
  ["alice   ", { type: "incomplete", to: "alice" }],
  ["alice hello", { type: "send", to: "alice", text: "hello" }],
  [" alice \t hello  there ", { type: "send", to: "alice", text: "hello  there" }],
  ["alice\nline one\n\nline two", { type: "send", to: "alice", text: "line one\n\nline two" }],
  ['"Bob Builder" hello', { type: "send", to: "Bob Builder", text: "hello" }],
  ['"Bob Builder"', { type: "incomplete", to: "Bob Builder" }],
  ['"say \\"hi\\" \\\\" hello', { type: "send", to: 'say "hi" \\', text: "hello" }],
  ['"two\nlines" hello', { type: "send", to: "two\nlines", text: "hello" }],
  ['"Bob Builder"hello', { type: "send", to: '"Bob', text: 'Builder"hello' }],
  ['"Bob hello', { type: "send", to: '"Bob', text: "hello" }],
  ['alice "quoted text"', { type: "send", to: "alice", text: '"quoted text"' }],
  ["a\\b hello", { type: "send", to: "a\\b", text: "hello" }],
];

test.for(CASES)("M-6, M-17: `/mailbox %s`", ([words, command]) => {
  expect(parseMailCommand(words)).toEqual(command);
});

test.for([
  ["alice", "alice"],
  ["0a11ce00-0000", "0a11ce00-0000"],
  ["a\\b", "a\\b"],
  ["Bob Builder", '"Bob Builder"'],
  ["prune", '"prune"'],
  ['say "hi"', '"say \\"hi\\""'],
  ["back \\ slash", '"back \\\\ slash"'],
  ["", '""'],
] as const)("M-6: the name %j is completed as %s", ([name, typed]) => {
  expect(typedReceiver(name)).toBe(typed);
});

test("M-6: every name that is typed as completion types it reaches the session of that name", () => {
  const names = fc.oneof(
    hostileText(12),
    fc.string(),
    fc.constantFrom("prune", '"', "\\", '\\"', "a b", "show", '" x'),
  );
  const texts = fc.oneof(fc.string(), hostileText(12)).filter((text) => text.trim() !== "");
  fc.assert(
    fc.property(names, texts, fc.constantFrom(" ", "\t", "\n", "   "), (name, text, gap) => {
      const words = `${typedReceiver(name)}${gap}${text}`;
      expect(parseMailCommand(words)).toEqual({ type: "send", to: name, text: text.trim() });
      expect(parseMailCommand(` ${words} `)).toEqual({ type: "send", to: name, text: text.trim() });
      expect(parseMailCommand(typedReceiver(name))).toEqual({ type: "incomplete", to: name });
    }),
    { numRuns: 500 },
  );
});

test("M-17: whatever is typed is one of four commands, and no word of a letter is lost", () => {
  fc.assert(
    fc.property(hostileText(40), (words) => {
      const command = parseMailCommand(words);
      if (command.type === "show") expect(words.trim()).toBe("");
      else if (command.type === "prune") expect(words.trim()).toBe("prune");
      else if (command.type === "send") {
        expect(command.text).not.toBe("");
        expect(words.trim().endsWith(command.text)).toBe(true);
        if (!words.trim().startsWith('"')) expect(words.trim().startsWith(command.to)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
