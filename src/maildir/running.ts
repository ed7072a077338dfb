import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import type { Address } from "../mail/address.ts";
import {
  formatRecord,
  isAlive,
  parseRecord,
  type RunningRecord,
  recordAddress,
  recordFileName,
} from "../mail/running-record.ts";
import { isErrno } from "./errno.ts";
import { processExists, processStart } from "./process-start.ts";

/** A record this much older than the boot was written before it; file times and uptime do not agree to the second. */
const BOOT_SLACK_MS = 60_000;
/** Larger than any record; a file beyond it is no record. */
const MAX_RECORD_BYTES = 64 * 1024;

export function runningFolder(root: string): string {
  return join(root, "running");
}

/** Writes a session's record, whole, over the one before. */
export function writeRecord(root: string, record: RunningRecord): void {
  const folder = runningFolder(root);
  const file = join(folder, recordFileName(record.address));
  const written = `${file}.${record.pid}.tmp`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    // Made anew, so that a link or a pipe under this name is never written through.
    rmSync(written, { force: true });
    writeFileSync(written, formatRecord(record), { mode: 0o600, flag: "wx" });
    renameSync(written, file);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

/** Removes a session's record if it is the one of this process. */
export function removeRecord(root: string, address: Address, pid: number): void {
  const found = readRecord(root, address);
  if (found?.record.pid === pid) rmSync(join(runningFolder(root), recordFileName(address)), { force: true });
}

/** True when there is a record of a session, whoever wrote it. */
export function hasRecord(root: string, address: Address): boolean {
  return statSync(join(runningFolder(root), recordFileName(address)), { throwIfNoEntry: false }) !== undefined;
}

/** The record of a session that runs; undefined when it does not. A record whose process is gone is removed. */
export function findRunning(root: string, address: Address): RunningRecord | undefined {
  const found = readRecord(root, address);
  if (found === undefined) return undefined;
  if (lives(found)) return found.record;
  reap(root, found);
  return undefined;
}

/** Every session that runs, in no order. Records whose process is gone are removed. */
export function listRunning(root: string): RunningRecord[] {
  return recordNames(root).flatMap((name) => {
    const address = recordAddress(name);
    const record = address === undefined ? undefined : findRunning(root, address);
    return record === undefined ? [] : [record];
  });
}

/** Every session that runs, leaving all records as they are. */
export function peekRunning(root: string): RunningRecord[] {
  return recordNames(root).flatMap((name) => {
    const address = recordAddress(name);
    const found = address === undefined ? undefined : readRecord(root, address);
    return found !== undefined && lives(found) ? [found.record] : [];
  });
}

interface FoundRecord {
  readonly record: RunningRecord;
  readonly text: string;
  readonly mtimeMs: number;
}

function recordNames(root: string): string[] {
  try {
    return readdirSync(runningFolder(root));
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

function readRecord(root: string, address: Address): FoundRecord | undefined {
  const file = join(runningFolder(root), recordFileName(address));
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_RECORD_BYTES) return undefined;
    const text = readFileSync(file, "utf8");
    const record = parseRecord(text, address);
    return record === undefined ? undefined : { record, text, mtimeMs: stats.mtimeMs };
  } catch {
    return undefined;
  }
}

function lives({ record, mtimeMs }: FoundRecord): boolean {
  const bootMs = Date.now() - uptime() * 1000;
  return isAlive(record, {
    exists: processExists(record.pid),
    started: record.started === undefined ? undefined : processStart(record.pid, process.platform),
    beforeBoot: mtimeMs < bootMs - BOOT_SLACK_MS,
  });
}

/** Looks again before it removes: the session may have started anew since. */
function reap(root: string, dead: FoundRecord): void {
  const again = readRecord(root, dead.record.address);
  if (again?.text !== dead.text) return;
  try {
    rmSync(join(runningFolder(root), recordFileName(dead.record.address)), { force: true });
  } catch {
    // A folder that can not be written keeps its dead records; nobody takes them for running.
  }
}
