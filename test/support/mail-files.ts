import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type BoxName = "tmp" | "new" | "cur" | "sent";

/** An envelope file as JSON, wire names and all. */
export interface EnvelopeJson {
  id: string;
  from: string;
  to: string;
  kind: string;
  hops: number;
  in_reply_to: string[];
  status: string;
  ts: string;
  body: string;
}

/** A record of a running session as JSON. */
export interface RunningJson {
  address: string;
  name?: string;
  cwd: string;
  pid: number;
  state: string;
  waitingOn: string;
  updated: string;
  started?: string;
}

/** One line of `receipts.jsonl`. */
export interface ReceiptJson {
  id: string;
  step: string;
  [key: string]: unknown;
}

/** Names in a box, sorted, so in send order; [] while the box does not exist. */
export function boxNames(mailRoot: string, address: string, box: BoxName): string[] {
  return listNames(join(mailRoot, address, box));
}

/** The envelopes of a box in send order. A file another session claims meanwhile is skipped.
 *  @throws Error naming a file that is not JSON. */
export function readEnvelopes(mailRoot: string, address: string, box: BoxName): EnvelopeJson[] {
  const names = boxNames(mailRoot, address, box).filter((name) => name.endsWith(".json"));
  return readAll(names.map((name) => join(mailRoot, address, box, name)));
}

/** The receipts of a mailbox, oldest first; [] when it has none. A last line without a newline is left out: it is
 *  being written. */
export function readReceipts(mailRoot: string, address: string): ReceiptJson[] {
  const path = join(mailRoot, address, "receipts.jsonl");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as ReceiptJson);
}

/** The records of sessions in `running/`, dead ones included, by file name. */
export function readRunning(mailRoot: string): RunningJson[] {
  const folder = join(mailRoot, "running");
  const names = listNames(folder).filter((name) => name.endsWith(".json"));
  return readAll(names.map((name) => join(folder, name)));
}

function listNames(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function readAll<T>(paths: readonly string[]): T[] {
  return paths.flatMap((path) => {
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
    try {
      return [JSON.parse(text) as T];
    } catch (error) {
      throw new Error(`${path} is not JSON: ${text}`, { cause: error });
    }
  });
}
