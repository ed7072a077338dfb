import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isAddress } from "../mail/address.ts";
import type { Envelope } from "../mail/envelope.ts";
import { boxPath, envelopeNames, type Mailbox, mailboxAt } from "./mailbox.ts";
import { readEnvelope } from "./read-envelope.ts";

/**
 * Ends what a kill in the middle of `sendMail` left: a copy whose letter arrived loses its mark; a letter that did not
 * arrive is taken back whole, as if the send had failed. Only for a mailbox that no other process writes from now.
 * @returns the letters that were taken back.
 */
export function undoBrokenSends(sender: Mailbox): Envelope[] {
  const undone: Envelope[] = [];
  for (const name of envelopeNames(sender, "tmp")) {
    const mark = join(boxPath(sender, "tmp"), name);
    const reading = readEnvelope(mark);
    // What others are sending to this session lies here too, and is theirs.
    if (reading.type !== "envelope" || reading.envelope.from !== sender.address) continue;
    const { envelope } = reading;
    if (!isAddress(envelope.to) || envelope.to === sender.address) continue;
    const receiver = mailboxAt(sender.root, envelope.to);
    if (!arrived(receiver, name)) {
      rmSync(join(boxPath(receiver, "tmp"), name), { force: true });
      rmSync(join(boxPath(sender, "sent"), name), { force: true });
      undone.push(envelope);
    }
    rmSync(mark, { force: true });
  }
  return undone;
}

/** Looked for in `new/` first: a claim meanwhile moves it to `cur/`, never back. */
function arrived(receiver: Mailbox, name: string): boolean {
  return (["new", "cur"] as const).some(
    (box) => lstatSync(join(boxPath(receiver, box), name), { throwIfNoEntry: false }) !== undefined,
  );
}
