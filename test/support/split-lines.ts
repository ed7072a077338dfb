import type { Readable } from "node:stream";

/** Calls back for each non-empty line. Splits on "\n" only: readline would also split on U+2028 and U+2029,
 *  which JSON strings may hold. */
export function splitLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") onLine(line);
  });
}
