import { type Address, isAddress } from "./address.ts";
import { err, ok, type Result } from "./result.ts";

export const KINDS = ["request", "reply", "message", "ask"] as const;
export type Kind = (typeof KINDS)[number];

export const STATUSES = ["done", "stopped", "failed"] as const;
/** How the run behind a reply ended. */
export type Status = (typeof STATUSES)[number];

/** Most ids that one reply may name. */
export const MAX_IN_REPLY_TO = 50;
/** Largest envelope file that is read, in bytes; a larger one is set aside unread. */
export const MAX_ENVELOPE_BYTES = 32 * 1024 * 1024;

/**
 * One letter. On disk its fields are `id, from, to, kind, hops, in_reply_to, status, ts, body`, in that order.
 * @see docs/wire-format.md (Envelopes)
 */
export interface Envelope {
  readonly id: string;
  readonly from: Address;
  /** Not checked when read: the folder that an envelope lies in decides who gets it. */
  readonly to: string;
  readonly kind: Kind;
  /** How many times mail has woken a session in this chain with no person typing. */
  readonly hops: number;
  /** Ids that a reply answers. */
  readonly inReplyTo: readonly string[];
  /** Empty unless this is a reply; not checked when read. */
  readonly status: string;
  /** ISO time of sending; not checked when read. */
  readonly ts: string;
  readonly body: string;
}

/** Why a file can not be read as an envelope; `reason` is one plain sentence part, such as "it is not JSON". */
export interface EnvelopeFault {
  readonly reason: string;
  /** The text may be the beginning of a whole envelope: its writer may not be done. */
  readonly unfinished: boolean;
}

/** Reads the text of an envelope file. Never throws; fields that it does not know are ignored here and stay in the file. */
export function parseEnvelope(text: string): Result<Envelope, EnvelopeFault> {
  const raw = parseJson(text);
  if (raw === undefined) {
    return err({ reason: text.trim() === "" ? "it is empty" : "it is not JSON", unfinished: mayBeUnfinished(text) });
  }
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return fault("it is not a JSON object");
  const field = (name: string): unknown =>
    Object.hasOwn(raw, name) ? (raw as Record<string, unknown>)[name] : undefined;

  const id = field("id");
  if (typeof id !== "string" || id === "") return fault("`id` is not a text");
  const from = field("from");
  if (!isAddress(from)) return fault("`from` is not an address");
  const inReplyTo = field("in_reply_to");
  if (!Array.isArray(inReplyTo) || !inReplyTo.every((one) => typeof one === "string")) {
    return fault("`in_reply_to` is not a list of ids");
  }
  if (inReplyTo.length > MAX_IN_REPLY_TO) {
    return fault(`\`in_reply_to\` names ${inReplyTo.length} requests, more than ${MAX_IN_REPLY_TO}`);
  }
  const body = field("body");
  if (typeof body !== "string") return fault("`body` is not a text");
  const hops = field("hops") === undefined ? 0 : field("hops");
  if (typeof hops !== "number" || !Number.isInteger(hops) || hops < 0) return fault("`hops` is not a count");

  return ok({
    id,
    from,
    to: textOr(field("to"), ""),
    kind: readKind(field("kind"), inReplyTo),
    hops: Math.min(hops, Number.MAX_SAFE_INTEGER),
    inReplyTo,
    status: textOr(field("status"), ""),
    ts: textOr(field("ts"), ""),
    body,
  });
}

/** The text of an envelope file: two-space JSON and a final line feed, keys in the order of the format. */
export function formatEnvelope(envelope: Envelope): string {
  return `${JSON.stringify(wireEnvelope(envelope), null, 2)}\n`;
}

/** An envelope under the names of the format: what a file holds and what other extensions get from the hooks. */
export interface WireEnvelope {
  id: string;
  from: string;
  to: string;
  kind: Kind;
  hops: number;
  in_reply_to: string[];
  status: string;
  ts: string;
  body: string;
}

export function wireEnvelope(envelope: Envelope): WireEnvelope {
  const { id, from, to, kind, hops, inReplyTo, status, ts, body } = envelope;
  return { id, from, to, kind, hops, in_reply_to: [...inReplyTo], status, ts, body };
}

export function isStatus(text: string): text is Status {
  return (STATUSES as readonly string[]).includes(text);
}

/** Kinds whose sender waits for an answer. */
export function expectsAnswer(kind: Kind): kind is "request" | "ask" {
  return kind === "request" || kind === "ask";
}

function readKind(kind: unknown, inReplyTo: readonly string[]): Kind {
  if (kind === undefined) return inReplyTo.length > 0 ? "reply" : "request";
  return (KINDS as readonly unknown[]).includes(kind) ? (kind as Kind) : "message";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for a text that is empty, or that opens an object and ends before this object is closed. */
function mayBeUnfinished(text: string): boolean {
  const start = text.trimStart();
  if (start === "") return true;
  if (!start.startsWith("{")) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < start.length; at += 1) {
    const character = start[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") depth -= 1;
    if (depth === 0) return false;
  }
  return true;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function fault(reason: string): Result<never, EnvelopeFault> {
  return err({ reason, unfinished: false });
}
