import { err, ok, type Result } from "./result.ts";

/** A session's id, and the name of its folder in the mail root. */
export type Address = string;

/** Longest address that is served: with the endings that files get, a folder or record name stays under 255 bytes. */
export const MAX_ADDRESS_LENGTH = 200;
/** Fewest characters of an id that stand for the id. */
export const MIN_ID_PREFIX = 8;

const ADDRESS = /^[A-Za-z0-9_-]+$/;
const FULL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Folder names in the mail root that can not be a mailbox, though they look like an address. */
const RESERVED: ReadonlySet<string> = new Set(["running"]);

/** True for a text that may name a mailbox folder: one path segment, no dot, not the folder of the running records. */
export function isAddress(text: unknown): text is Address {
  return typeof text === "string" && text.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(text) && !RESERVED.has(text);
}

/** True for a complete session id (a UUID in any case), which reaches a session that is not running. */
export function isFullId(text: string): boolean {
  return FULL_ID.test(text);
}

/** What addressing needs to know of a running session. */
export interface Addressee {
  readonly address: Address;
  /** Pi session name; absent when the session has none. */
  readonly name?: string;
}

export type AddressFault =
  | { readonly code: "address/unknown"; readonly to: string }
  | { readonly code: "address/ambiguous"; readonly to: string; readonly candidates: readonly Addressee[] }
  | { readonly code: "address/self"; readonly to: string };

/**
 * Finds the one session that `to` means: a running session's address or a full id as typed, else the exact name of a
 * running session, else the beginning of a running session's id (8 characters or more).
 * @param self the sender, who can not write to itself.
 * @see docs/wire-format.md (Addressing)
 */
export function resolveAddress(
  to: string,
  facts: { readonly self: Address; readonly running: readonly Addressee[] },
): Result<Address, AddressFault> {
  const found = resolveAny(to, facts.running);
  return found.ok && found.value === facts.self ? err({ code: "address/self", to }) : found;
}

function resolveAny(to: string, running: readonly Addressee[]): Result<Address, AddressFault> {
  const wanted = to.trim();
  if (running.some((session) => session.address === wanted)) return ok(wanted);
  if (isFullId(wanted)) return ok(wanted);
  const named = running.filter((session) => session.name === to || session.name === wanted);
  if (named.length > 0) return onlyOne(to, named);
  const prefixed = wanted.length < MIN_ID_PREFIX ? [] : running.filter((session) => session.address.startsWith(wanted));
  return prefixed.length > 0 ? onlyOne(to, prefixed) : err({ code: "address/unknown", to });
}

function onlyOne(to: string, candidates: readonly Addressee[]): Result<Address, AddressFault> {
  const [first, ...others] = candidates;
  return first !== undefined && others.length === 0
    ? ok(first.address)
    : err({ code: "address/ambiguous", to, candidates });
}

/** First 8 characters of an id: how a session without a name is called. */
export function shortId(address: Address): string {
  return address.slice(0, MIN_ID_PREFIX);
}

/** Shortest beginnings, of at least 8 characters, by which the given addresses can be told apart. */
export function uniqueShortIds(addresses: Iterable<Address>): Map<Address, string> {
  const sorted = [...new Set(addresses)].sort();
  const shared = (a: string, b: string | undefined): number => {
    let length = 0;
    while (b !== undefined && length < a.length && a[length] === b[length]) length += 1;
    return length;
  };
  return new Map(
    sorted.map((address, at) => {
      const needed = Math.max(shared(address, sorted[at - 1]), shared(address, sorted[at + 1])) + 1;
      return [address, address.slice(0, Math.max(MIN_ID_PREFIX, needed))];
    }),
  );
}
