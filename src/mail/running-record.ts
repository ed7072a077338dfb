import { type Address, isAddress } from "./address.ts";

/**
 * What `running/<address>.json` says of a session that runs.
 * @see docs/wire-format.md (Running records)
 */
export interface RunningRecord {
  readonly address: Address;
  /** Pi session name; absent when there is none. */
  readonly name?: string;
  readonly cwd: string;
  readonly pid: number;
  readonly state: "idle" | "busy";
  /** Address that this session's ask waits on; "" when it waits on nobody. */
  readonly waitingOn: string;
  /** ISO time of the last change. */
  readonly updated: string;
  /** Opaque token of the process's start time; absent where it can not be read. */
  readonly started?: string;
}

const FILE = /^(.+)\.json$/;

export function recordFileName(address: Address): string {
  return `${address}.json`;
}

/** The address that a file in `running/` is about, or undefined for a file that is no record. */
export function recordAddress(fileName: string): Address | undefined {
  const address = FILE.exec(fileName)?.[1];
  return isAddress(address) ? address : undefined;
}

/** Reads a record; undefined for anything malformed or about another address, which readers ignore and leave alone. */
export function parseRecord(text: string, address: Address): RunningRecord | undefined {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof raw !== "object" || raw === null) return undefined;
  const { name, cwd, pid, state, waitingOn, updated, started, ...rest } = raw as Record<string, unknown>;
  if (rest["address"] !== address || typeof cwd !== "string") return undefined;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return {
    address,
    ...(typeof name === "string" && name !== "" ? { name } : {}),
    cwd,
    pid,
    state: state === "busy" ? "busy" : "idle",
    waitingOn: typeof waitingOn === "string" ? waitingOn : "",
    updated: typeof updated === "string" ? updated : "",
    ...(typeof started === "string" && started !== "" ? { started } : {}),
  };
}

/** The text of a record: two-space JSON and a final line feed, keys in the order of the format. */
export function formatRecord(record: RunningRecord): string {
  const { address, name, cwd, pid, state, waitingOn, updated, started } = record;
  return `${JSON.stringify({ address, name, cwd, pid, state, waitingOn, updated, started }, null, 2)}\n`;
}

/** What the operating system says of the process in a record. */
export interface ProcessFacts {
  /** Some process has this id (also one that we may not signal). */
  readonly exists: boolean;
  /** Start-time token of the process with this id; undefined where it can not be read. */
  readonly started: string | undefined;
  /** The record was last written before this machine started. */
  readonly beforeBoot: boolean;
}

/** False once the process of a record is gone: no such id, the id reused (another start time), or an earlier boot. */
export function isAlive(record: RunningRecord, facts: ProcessFacts): boolean {
  if (!facts.exists || facts.beforeBoot) return false;
  return record.started === undefined || facts.started === undefined || record.started === facts.started;
}
