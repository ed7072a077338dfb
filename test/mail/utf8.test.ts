import fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Length, utf8Prefix } from "../../src/mail/utf8.ts";
import { hostileText } from "./hostile-text.ts";

const texts = fc.oneof(hostileText(60), fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));

test.for([
  ["", 0],
  ["a", 1],
  ["\u007f", 1],
  ["\u0080", 2],
  ["\u07ff", 2],
  ["\u0800", 3],
  ["\uffff", 3],
  ["\u{10000}", 4],
  ["\u{1f680}", 4],
  ["\ud83d", 3],
  ["\ude80", 3],
  ["\ude80\ud83d", 6],
  ["\ude80\ude80", 6],
  ["\ud83d\u{1f680}", 7],
  ["e\u0301", 3],
] as const)("M-8: %j takes %i bytes", ([text, bytes]) => {
  expect(utf8Length(text)).toBe(bytes);
});

test("M-8: bytes are counted as they are written", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text, "utf8"));
    }),
  );
});

test.for([
  ["abc", 2, "ab"],
  ["abc", 3, "abc"],
  ["abc", 0, ""],
  ["äbc", 1, ""],
  ["äbc", 2, "ä"],
  ["\u{1f680}!", 3, ""],
  ["\u{1f680}!", 4, "\u{1f680}"],
  ["\u{1f680}!", 5, "\u{1f680}!"],
  ["\ud83d!", 3, "\ud83d"],
  ["€€", 5, "€"],
  ["\ude80\ude80!", 4, "\ude80"],
  ["", 0, ""],
] as const)("M-8: %j within %i bytes is %j", ([text, limit, prefix]) => {
  expect(utf8Prefix(text, limit)).toBe(prefix);
});

test("M-8: a cut keeps as many whole characters as fit, and not one more", () => {
  fc.assert(
    fc.property(texts, fc.nat(120), (text, limit) => {
      const prefix = utf8Prefix(text, limit);
      expect(text.startsWith(prefix)).toBe(true);
      expect(Buffer.byteLength(prefix)).toBeLessThanOrEqual(limit);
      const characters = Array.from(text);
      const kept = Array.from(prefix).length;
      expect(characters.slice(0, kept).join("")).toBe(prefix);
      const next = characters[kept];
      if (next !== undefined) expect(Buffer.byteLength(prefix) + Buffer.byteLength(next)).toBeGreaterThan(limit);
    }),
    { numRuns: 500 },
  );
});
