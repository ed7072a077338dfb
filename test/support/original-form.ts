import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The files of the extension that shares the mail root, written from its description and not from our code: what
 *  ours reads and writes is held against these. Nothing here may import src/. */
export interface OriginalLetter {
  from: string;
  to: string;
  /** Default: request. */
  kind?: "request" | "ask" | "message" | "reply";
  body?: string;
  /** Default: a new UUID, also used in the file name. */
  id?: string;
  hops?: number;
  inReplyTo?: readonly string[];
  /** Only replies carry one; default done. */
  status?: "done" | "stopped" | "failed";
  /** Send time, Unix epoch ms. Default: now, strictly increasing within this process. */
  tsMs?: number;
}

export interface OriginalFile {
  id: string;
  fileName: string;
  text: string;
}

let lastMs = 0;

/** The text and the name of one envelope file. */
export function originalEnvelope(letter: OriginalLetter): OriginalFile {
  const { from, to, kind = "request", body = "", id = randomUUID(), hops = 0 } = letter;
  lastMs = Math.max(Date.now(), lastMs + 1);
  const tsMs = letter.tsMs ?? lastMs;
  const status = kind === "reply" ? (letter.status ?? "done") : "";
  const ts = new Date(tsMs).toISOString();
  const envelope = { id, from, to, kind, hops, in_reply_to: letter.inReplyTo ?? [], status, ts, body };
  return {
    id,
    fileName: `${String(tsMs).padStart(15, "0")}-${id}.json`,
    text: `${JSON.stringify(envelope, null, 2)}\n`,
  };
}

/** Sends as the original does: the sender's copy in place (none for a reply), then tmp/, then a rename to new/. */
export function writeOriginalEnvelope(mailRoot: string, letter: OriginalLetter): OriginalFile {
  const file = originalEnvelope(letter);
  const folder = (address: string, box: string) => {
    const path = join(mailRoot, address, box);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  for (const box of ["tmp", "new", "cur", "sent"]) folder(letter.to, box);
  if (letter.kind !== "reply") {
    writeFileSync(join(folder(letter.from, "sent"), file.fileName), file.text, { mode: 0o600 });
  }
  const inTmp = join(folder(letter.to, "tmp"), file.fileName);
  writeFileSync(inTmp, file.text, { mode: 0o600 });
  renameSync(inTmp, join(folder(letter.to, "new"), file.fileName));
  return file;
}

export interface OriginalSession {
  address: string;
  name?: string;
  cwd: string;
  pid: number;
  /** Default: idle. */
  state?: "idle" | "busy";
  /** Address its ask waits on; "" (the default) when none. */
  waitingOn?: string;
  /** Last change, Unix epoch ms. Default: now. */
  updatedMs?: number;
  /** Start-time token of the pid; null leaves the field out. Default: the real one, where it can be known. */
  started?: string | null;
}

/** The text of `running/<address>.json`. */
export function originalRecord(session: OriginalSession): string {
  const { address, name, cwd, pid, state = "idle", waitingOn = "" } = session;
  const updated = new Date(session.updatedMs ?? Date.now()).toISOString();
  const started = session.started === undefined ? startTimeOf(pid) : (session.started ?? undefined);
  const record = { address, name, cwd, pid, state, waitingOn, updated, started };
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** Writes a session's record as the original does, by rename. @returns the path of the record. */
export function writeOriginalRecord(mailRoot: string, session: OriginalSession): string {
  const running = join(mailRoot, "running");
  mkdirSync(running, { recursive: true, mode: 0o700 });
  const path = join(running, `${session.address}.json`);
  const temporary = `${path}.${session.pid}.tmp`;
  writeFileSync(temporary, originalRecord(session), { mode: 0o600 });
  renameSync(temporary, path);
  return path;
}

/** Linux: field 22 of /proc/<pid>/stat, in clock ticks since boot, as a decimal string. The command name (field 2)
 *  may hold spaces and parentheses, so fields are counted after the last `)`. Undefined elsewhere or without such a
 *  process. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[22 - 3];
  } catch {
    return undefined;
  }
}
