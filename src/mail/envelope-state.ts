import { expectsAnswer, type Kind } from "./envelope.ts";

export type EnvelopeState =
  | "waiting"
  | "claimed"
  | "answered"
  | "owed"
  | "held"
  | "no answer expected"
  | "set aside"
  | "awaiting"
  | "undeliverable";

/** What is known of one copy of an envelope. */
export interface EnvelopeFacts {
  readonly box: "new" | "cur" | "sent";
  /** False for a file that can not be read as an envelope. */
  readonly readable: boolean;
  readonly kind: Kind;
  /** A reply names it: written by its receiver (new, cur), or in the sender's hands (sent). */
  readonly answered: boolean;
  /** Steps in the receiver's receipts; undefined for a mailbox without receipts, where claimed mail counts as read. */
  readonly receipts: { readonly read: boolean; readonly held: boolean; readonly answered: boolean } | undefined;
  /** sent: somebody with the receiver's address was ever seen. */
  readonly receiverKnown: boolean;
}

/**
 * Where an envelope stands, from the same facts for footer, commands, viewer and SQL.
 * @see docs/architecture.md (State of an envelope)
 */
export function envelopeState(facts: EnvelopeFacts): EnvelopeState {
  if (!facts.readable) return "set aside";
  if (facts.box === "sent") return sentState(facts);
  if (facts.box === "new") return "waiting";
  const answered = facts.answered || facts.receipts?.answered === true;
  if (facts.receipts !== undefined && !facts.receipts.read && !answered) return "claimed";
  if (!expectsAnswer(facts.kind)) return "no answer expected";
  if (answered) return "answered";
  return facts.receipts?.held === true ? "held" : "owed";
}

function sentState(facts: EnvelopeFacts): EnvelopeState {
  if (facts.answered) return "answered";
  if (!facts.receiverKnown) return "undeliverable";
  return expectsAnswer(facts.kind) ? "awaiting" : "no answer expected";
}
