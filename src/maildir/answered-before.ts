import { join } from "node:path";
import { type Address, isAddress } from "../mail/address.ts";
import { readEnvelopeName } from "../mail/envelope-name.ts";
import { boxPath, envelopeNames, type Mailbox, mailboxAt } from "./mailbox.ts";
import { readEnvelope } from "./read-envelope.ts";

/** A reply is looked for among the mail from this long before the claim on: clocks step back, but hardly further. */
const CLOCK_SLACK_MS = 24 * 60 * 60 * 1000;

/** Something that a mailbox's session owes an answer for. */
export interface OwedMail {
  readonly id: string;
  readonly from: string | undefined;
  /** ISO time of the claim; "" when unknown. */
  readonly claimedAt: string;
}

/** Which of these debts a reply of this mailbox's session, in the asker's `new/` or `cur/`, already pays. */
export function answeredBefore(own: Mailbox, owed: readonly OwedMail[]): Set<string> {
  const askers = new Map<Address, OwedMail[]>();
  for (const debt of owed) {
    if (!isAddress(debt.from)) continue;
    askers.set(debt.from, [...(askers.get(debt.from) ?? []), debt]);
  }
  const paid = new Set<string>();
  for (const [asker, debts] of askers) {
    const wanted = new Set(debts.map((debt) => debt.id));
    const sinceMs = Math.min(...debts.map(({ claimedAt }) => Date.parse(claimedAt) || 0)) - CLOCK_SLACK_MS;
    for (const id of answeredIds(mailboxAt(own.root, asker), own.address, sinceMs)) if (wanted.has(id)) paid.add(id);
  }
  return paid;
}

function* answeredIds(asker: Mailbox, replier: Address, sinceMs: number): Generator<string> {
  for (const box of ["new", "cur"] as const) {
    for (const name of envelopeNames(asker, box)) {
      if ((readEnvelopeName(name)?.ms ?? Number.POSITIVE_INFINITY) < sinceMs) continue;
      const reading = readEnvelope(join(boxPath(asker, box), name));
      if (reading.type === "envelope" && reading.envelope.from === replier) yield* reading.envelope.inReplyTo;
    }
  }
}
