import fc from "fast-check";

/** What ends a line for some reader. */
export const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Characters that break lines, act on terminals, turn directions, can not be seen, or are half of one. */
const TRICKS = [
  ..."\0\t\n\v\f\r\u001b\u007f\u0085\u009b\u2028\u2029",
  ..."\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\u206f",
  ..."\u2800\u3164\ufe0f\ufeff\uffa0\ufff9\u{1d173}\u{e0041}\u{e0100}\u{1f680}\u0301",
  "\r\n",
  "\ud83d",
  "\ude00",
  "\udb40",
  "\udc41",
];

const character = fc.oneof(
  fc.constantFrom(...TRICKS),
  fc.constantFrom(..." .,:/\\\"'[]{}()>_-~$%aAzZ09"),
  fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
);

/** Any sequence of UTF-16 units, rich in the ones that do harm. */
export const hostileText = (maxLength = 40): fc.Arbitrary<string> =>
  fc.array(character, { maxLength }).map((characters) => characters.join(""));

/** A session id, or another text that may name a mailbox. */
export const address: fc.Arbitrary<string> = fc.oneof(
  fc.uuid(),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/).filter((text) => text !== "running"),
);

/** What a reader can not see, and what turns the reading direction; both emoji selectors are let through. */
const UNSEEN_OR_TURNING: readonly (readonly [from: number, to: number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0d],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

/** C0, DEL, C1 and the two line separators. */
const CONTROL: readonly (readonly [from: number, to: number])[] = [
  [0, 0x1f],
  [0x7f, 0x9f],
  [0x2028, 0x2029],
];

const HARMFUL = new RegExp(
  `[${[...CONTROL, ...UNSEEN_OR_TURNING].map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join("")}]`,
  "gu",
);

/** The characters of a text that must never reach a terminal or a label, as code points. */
export function harmfulCharacters(text: string): string[] {
  return (text.match(HARMFUL) ?? []).map((one) => `U+${one.codePointAt(0)?.toString(16)}`);
}

/** A line as somebody reads it: nothing of what can not be seen, plain letters, one case. */
export function asRead(line: string): string {
  const seen = (text: string): string => text.replace(HARMFUL, "").replace(/[\s\p{M}\p{C}\u2800]/gu, "");
  return seen(seen(line).normalize("NFKC")).toLowerCase();
}

/** False for a text with half a surrogate pair, which no file can hold. */
export function isWellFormed(text: string): boolean {
  return Buffer.from(text, "utf8").toString("utf8") === text;
}
