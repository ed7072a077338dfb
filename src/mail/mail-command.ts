/** What a person typed after `/mailbox`. */
export type MailCommand =
  | { readonly type: "show" }
  | { readonly type: "prune" }
  | { readonly type: "send"; readonly to: string; readonly text: string }
  | { readonly type: "incomplete"; readonly to: string };

const QUOTED = /^"((?:[^"\\]|\\.)*)"(?:\s+|$)/s;
const WORD = /^(\S+)(?:\s+|$)/;

/**
 * Reads the words after `/mailbox`: nothing, `prune` alone, or a receiver and a text. A receiver with spaces stands in
 * double quotes, with `\"` for a quote and `\\` for a backslash inside.
 */
export function parseMailCommand(words: string): MailCommand {
  const line = words.trim();
  if (line === "") return { type: "show" };
  if (line === "prune") return { type: "prune" };
  const inQuotes = QUOTED.exec(line);
  const match = inQuotes ?? WORD.exec(line);
  const to = inQuotes ? (inQuotes[1] ?? "").replace(/\\(.)/gs, "$1") : (match?.[1] ?? line);
  const text = line.slice(match?.[0].length ?? line.length).trim();
  return text === "" ? { type: "incomplete", to } : { type: "send", to, text };
}

/** A receiver as it is typed in the command: in quotes where it has to be. */
export function typedReceiver(name: string): string {
  const isPlain = /^[^\s"]+$/.test(name) && name !== "prune";
  return isPlain ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}
