import fc from "fast-check";
import { expect, test } from "vitest";
import { plainExcerpt, plainLine, plainLines, quoted } from "../../src/mail/plain-text.ts";
import { harmfulCharacters, hostileText, isWellFormed } from "./hostile-text.ts";

const texts = fc.oneof(hostileText(80), fc.string({ unit: "binary", maxLength: 60 }));

test.for([
  ["a line feed", "a\nb", "a b"],
  ["a carriage return and a line feed, one space each", "a\r\nb", "a  b"],
  ["a tab", "a\tb", "a b"],
  ["a NUL", "a\0b", "a b"],
  ["an escape sequence", "\u001b[2Ja", " [2Ja"],
  ["DEL", "a\u007fb", "a b"],
  ["a next line and a CSI of C1", "a\u0085b\u009bc", "a b c"],
  ["the line and the paragraph separator", "a\u2028b\u2029c", "a b c"],
  ["a direction override", "gpj.\u202eexe", "gpj.exe"],
  ["direction isolates", "\u2066a\u2067b\u2068c\u2069", "abc"],
  ["direction marks", "\u200ea\u200fb\u061cc", "abc"],
  ["zero-width characters", "a\u200bb\u200cc\u200dd\u2060e\ufefff", "abcdef"],
  ["a soft hyphen and a grapheme joiner", "a\u00adb\u034fc", "abc"],
  ["letters that are blank", "a\u115fb\u1160c\u3164d\uffa0e", "abcde"],
  ["tag characters, which spell out text that nobody sees", "a\u{e0069}\u{e0067}\u{e007f}b", "ab"],
  ["the selectors of the supplement, which can carry data", "a\u{e0100}\u{e01ef}b", "ab"],
  ["annotations", "a\ufff9b\ufffac\ufffbd", "abcd"],
  ["half a character", "a\ud83db\ude00", "a\ufffdb\ufffd"],
  ["halves round what is dropped", "\udb40\u200b\udc41", "\ufffd\ufffd"],
] as const)("R-4: %s does no harm in a line", ([, text, shown]) => {
  expect(plainLine(text)).toBe(shown);
});

test("R-4: what people write stays as it is", () => {
  for (const text of [
    "",
    "plain text",
    "Grüße, Ñandú",
    "日本語 한국어",
    "\u{1f680} ❤\ufe0f",
    "e\u0301",
    "x < y & \"z\" 'w'",
  ]) {
    expect(plainLine(text)).toBe(text);
  }
});

test("R-4: a line of any text is one line that nothing in it can leave, turn or hide", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const line = plainLine(text);
      expect(harmfulCharacters(line)).toEqual([]);
      expect(isWellFormed(line)).toBe(true);
      expect(plainLine(line)).toBe(line);
    }),
    { numRuns: 1000 },
  );
});

test("R-4: text without anything harmful is not changed", () => {
  fc.assert(
    fc.property(texts, (text) => {
      fc.pre(isWellFormed(text) && harmfulCharacters(text).length === 0);
      expect(plainLine(text)).toBe(text);
    }),
  );
});

test.for([
  ["short", 10, "short"],
  ["exactly 10", 10, "exactly 10"],
  ["one more: 11", 10, "one more:…"],
  ["  folds \n\n white\t space  ", 40, "folds white space"],
  [`${"\n".repeat(500)}after blank lines`, 20, "after blank lines"],
  [`start${" ".repeat(500)}end`, 20, "start…"],
  ["12345678\u{1f680}0", 10, "12345678…"],
  ["1234567\u{1f680}0", 10, "1234567\u{1f680}0"],
  ["\u{1f680}".repeat(30), 1, "…"],
  [`a${" ".repeat(38)}\u{1f680}b`, 10, "a…"],
  ["a\u001b[2Jb", 20, "a [2Jb"],
  ["", 10, ""],
] as const)("R-4: the excerpt of %j within %i is %j", ([text, limit, excerpt]) => {
  expect(plainExcerpt(text, limit)).toBe(excerpt);
});

test("R-4: an excerpt is one safe line of at most its limit, and ends in … when it is not all", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, limit) => {
      const excerpt = plainExcerpt(text, limit);
      expect(excerpt.length).toBeLessThanOrEqual(limit);
      expect(harmfulCharacters(excerpt)).toEqual([]);
      expect(isWellFormed(excerpt)).toBe(true);
      const all = plainLine(text.trim()).replace(/\s+/g, " ").trim();
      if (excerpt !== all) {
        expect(excerpt.endsWith("…")).toBe(true);
        expect(all.startsWith(excerpt.slice(0, -1))).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
});

test.for([
  ["a\r\nb\nc\rd", "a\nb\nc\nd"],
  ["a\u2028b\u2029c", "a\nb\nc"],
  ["\tindented", "  indented"],
  ["a\n\n\nb\n", "a\n\n\nb\n"],
  ["red \u001b[31m\nblue \u009b34m", "red  [31m\nblue  34m"],
  ["\u202eturned\n\u200bhidden", "turned\nhidden"],
] as const)("R-4: the lines of %j are shown as %j", ([text, shown]) => {
  expect(plainLines(text)).toBe(shown);
});

test("R-4: several lines hold nothing but line feeds that acts on a terminal", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const shown = plainLines(text);
      expect(harmfulCharacters(shown.replaceAll("\n", ""))).toEqual([]);
      expect(shown.split("\n")).toHaveLength(text.split(/\r\n|[\n\r\u2028\u2029]/).length);
    }),
  );
});

test.for([
  ["plain", '"plain"'],
  ['say "hi"', '"say \\"hi\\""'],
  ["back\\slash", '"back\\\\slash"'],
  ["../..\0\n", '"../..\\u0000\\n"'],
  ["\u001b[2J", '"\\u001b[2J"'],
  ["\u007f\u0085\u2028", '"\\u007f\\u0085\\u2028"'],
  ["\u202egpj", '"\\u202egpj"'],
  ["\ud83d", '"\\ud83d"'],
  ["\u{e0041}", '"\\udb40\\udc41"'],
  ["\u{1f680}", '"\u{1f680}"'],
] as const)("R-4: %j is named in an error as %s", ([value, shown]) => {
  expect(quoted(value)).toBe(shown);
});

test("R-4: a value in an error is safe, between quotes, and can be read back", () => {
  fc.assert(
    fc.property(texts, (value) => {
      const shown = quoted(value);
      expect(harmfulCharacters(shown)).toEqual([]);
      expect(isWellFormed(shown)).toBe(true);
      expect(JSON.parse(shown)).toBe(value);
    }),
    { numRuns: 1000 },
  );
});

test("R-4: a long value in an error is cut between two characters", () => {
  expect(quoted("x".repeat(121))).toBe(`"${"x".repeat(120)}…"`);
  expect(quoted("abc\u{1f680}", 4)).toBe('"abc…"');
  expect(quoted("abcdef", 6)).toBe('"abcdef"');
});
