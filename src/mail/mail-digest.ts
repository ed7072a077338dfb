import { type Envelope, expectsAnswer } from "./envelope.ts";
import { type EnvelopeState, envelopeState } from "./envelope-state.ts";
import type { Standing } from "./receipts.ts";

/** One copy of a letter with what a reader needs to place it. */
export interface DigestedMail {
  readonly address: string;
  readonly box: "new" | "cur" | "sent";
  /** Unix epoch, ms; 0 when unknown. */
  readonly sentMs: number;
  readonly path: string;
  readonly envelope: Envelope | undefined;
  readonly state: EnvelopeState;
}

/** What is known besides the files. */
export interface DigestFacts {
  /** Receipts of a mailbox by letter id; undefined for a mailbox without any. */
  readonly standings: (address: string) => ReadonlyMap<string, Standing> | undefined;
  /** True when somebody with that address was ever seen. */
  readonly isKnown: (address: string) => boolean;
}

/** The state of every copy, from the copies themselves and the receipts; order kept. */
export function digestMail(
  copies: readonly Omit<DigestedMail, "state">[],
  { standings, isKnown }: DigestFacts,
): DigestedMail[] {
  const answeredBy = new Map<string, Set<string>>();
  for (const { envelope } of copies) {
    for (const id of envelope?.kind === "reply" ? envelope.inReplyTo : []) {
      answeredBy.set(id, (answeredBy.get(id) ?? new Set()).add(envelope?.from ?? ""));
    }
  }
  const claimedReplies = new Map<string, Set<string>>();
  for (const { address, box, envelope } of copies) {
    if (box !== "cur" || envelope === undefined || envelope.inReplyTo.length === 0) continue;
    const ids = claimedReplies.get(address) ?? new Set();
    for (const id of envelope.inReplyTo) ids.add(id);
    claimedReplies.set(address, ids);
  }
  return copies.map((copy) => {
    const { address, box, envelope } = copy;
    const id = envelope?.id ?? "";
    const isAnswered =
      box === "sent" ? claimedReplies.get(address)?.has(id) === true : answeredBy.get(id)?.has(address) === true;
    const state = envelopeState({
      box,
      readable: envelope !== undefined,
      kind: envelope?.kind ?? "message",
      answered: isAnswered,
      receipts: standings(address)?.get(id),
      receiverKnown: envelope === undefined || isKnown(envelope.to),
    });
    return { ...copy, state };
  });
}

/** Requests and asks that nobody has answered yet, each once, oldest first. */
export function openMail(mail: readonly DigestedMail[]): DigestedMail[] {
  const seen = new Map<string, DigestedMail>();
  for (const copy of mail) {
    const { envelope, state } = copy;
    if (envelope === undefined || !expectsAnswer(envelope.kind) || state === "answered") continue;
    // What its receiver did says more than what its sender waits for.
    if (copy.box !== "sent" || !seen.has(envelope.id)) seen.set(envelope.id, copy);
  }
  const answered = new Set(mail.filter((copy) => copy.state === "answered").map((copy) => copy.envelope?.id));
  return [...seen.values()]
    .filter((copy) => !answered.has(copy.envelope?.id))
    .sort((a, b) => a.sentMs - b.sentMs || (a.path < b.path ? -1 : 1));
}
