/** How a part of a line looks. */
export type Look = "heading" | "name" | "quiet" | "good" | "bad";

export interface Paint {
  (look: Exclude<Look, "name">, text: string): string;
  /** The text with every session's name in its own colour. */
  names(text: string): string;
}

const CODES = { heading: "1", quiet: "2", good: "32", bad: "1;31" } as const;
const ACCENTS: Readonly<Record<string, string>> = { alice: "36", bob: "35", carol: "33", dave: "94" };
const NAMES = new RegExp(`\\b(?:${Object.keys(ACCENTS).join("|")})\\b`, "g");

/** @param colour false leaves every text as it is. */
export function makePaint(colour: boolean): Paint {
  const wrap = (code: string, text: string) => (colour && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return Object.assign((look: Exclude<Look, "name">, text: string) => wrap(CODES[look], text), {
    names: (text: string) => text.replace(NAMES, (name) => wrap(ACCENTS[name] ?? "0", name)),
  });
}

/** Colour is for a terminal whose user did not decline it. @see https://no-color.org */
export function wantsColour(stream: { isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean {
  const isDeclined = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return stream.isTTY === true && !isDeclined;
}
