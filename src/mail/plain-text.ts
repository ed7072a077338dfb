/** C0 (tab and line feed included), DEL, C1 and the two Unicode line separators: what could start a line or act on a terminal. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/**
 * Direction overrides, isolates and marks, zero-width, tag and other invisible characters that make text look like
 * another; the two selectors that choose between a sign and its emoji stay.
 */
const DECEPTIVE = /(?!\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * One line of text that is safe inside a label, a notice or an error: each control character becomes one space (so that a
 * forged value can not begin a line of its own), deceptive characters go, a lone surrogate becomes U+FFFD.
 */
export function plainLine(text: string): string {
  return text.replace(LONE_SURROGATE, "\ufffd").replace(CONTROL, " ").replace(DECEPTIVE, "");
}

/** `plainLine`, cut to `limit` UTF-16 units with an ellipsis and with white space folded: for the first line of a body in a list. */
export function plainExcerpt(text: string, limit: number): string {
  const whole = text.trim();
  const head = whole.slice(0, limit * 4);
  const isWhole = head.length === whole.length;
  const line = plainLine(isWhole ? head : wholeCharacters(head))
    .replace(/\s+/g, " ")
    .trim();
  return isWhole && line.length <= limit ? line : `${wholeCharacters(line.slice(0, limit - 1))}…`;
}

/** Several lines that are safe on a terminal: line feeds stay, tabs become two spaces, everything else is as in `plainLine`. */
export function plainLines(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => plainLine(line.replaceAll("\t", "  ")))
    .join("\n");
}

/** The value between double quotes, with quotes, backslashes and everything unsafe escaped, for an error that names it. */
export function quoted(value: string, limit = 120): string {
  const shown = value.length <= limit ? value : `${wholeCharacters(value.slice(0, limit))}…`;
  const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const escaped = (character: string): string => character.split("").map(escapedUnit).join("");
  return JSON.stringify(shown).replace(CONTROL, escaped).replace(DECEPTIVE, escaped);
}

/** Drops the first half of a surrogate pair that a cut left at the end. */
function wholeCharacters(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, "");
}
