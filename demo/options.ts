import { existsSync } from "node:fs";
import { resolve } from "node:path";

export interface DemoOptions {
  /** No colour, though the output is a terminal. */
  readonly plain: boolean;
  /** Leaves the temporary folder where it is. */
  readonly keep: boolean;
  /** Another extension in place of this package's. */
  readonly extension: string | undefined;
}

export type CommandLine =
  | { readonly type: "play"; readonly options: DemoOptions }
  | { readonly type: "help" }
  | { readonly type: "mistake"; readonly problem: string };

export const HELP = `Usage: npm run demo [-- <options>]

Real Pi sessions exchange mail in a temporary folder, each driven by a scripted
model on this machine: no key, no network. Every step is checked on the disk
and in what the models were shown.

  --plain             no colour (also with NO_COLOR, or when piped)
  --keep              leave the temporary folder, to look around in it
  --extension <path>  load this Pi extension in place of the package's own
  --help              this text

Exit code: 0 when every step happened, 1 when one did not, 2 for a mistake in
the options, 130 after Ctrl-C.
`;

/** Reads the words after `npm run demo --`. The first mistake counts. */
export function readCommandLine(words: readonly string[]): CommandLine {
  let options: DemoOptions = { plain: false, keep: false, extension: undefined };
  const mistake = (problem: string): CommandLine => ({ type: "mistake", problem });
  for (let at = 0; at < words.length; at += 1) {
    const [word = "", given] = splitValue(words[at] ?? "");
    if (word === "--extension") {
      if (given === undefined) at += 1;
      const path = given ?? words[at];
      if (path === undefined || path === "") return mistake("--extension needs a path");
      if (!existsSync(path)) return mistake(`there is no extension at ${JSON.stringify(path)}`);
      options = { ...options, extension: resolve(path) };
    } else if (given !== undefined) return mistake(`unknown option ${JSON.stringify(words[at])}`);
    else if (word === "--help" || word === "-h") return { type: "help" };
    else if (word === "--plain") options = { ...options, plain: true };
    else if (word === "--keep") options = { ...options, keep: true };
    else return mistake(`unknown option ${JSON.stringify(word)}`);
  }
  return { type: "play", options };
}

/** `--name=value` as two parts; any other word as one. */
function splitValue(word: string): [string, string?] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
