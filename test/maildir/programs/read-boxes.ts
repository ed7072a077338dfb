/** Looks at everything in a mailbox in every way there is, and tells what it saw. Whoever starts it ends it when it hangs. */
import { join } from "node:path";
import { answeredBefore } from "../../../src/maildir/answered-before.ts";
import { undoBrokenSends } from "../../../src/maildir/broken-sends.ts";
import { MailCounter } from "../../../src/maildir/mail-counter.ts";
import { BOXES, type Box, boxEntries, boxPath, mailboxAt } from "../../../src/maildir/mailbox.ts";
import { type EnvelopeReading, readEnvelope } from "../../../src/maildir/read-envelope.ts";
import { surveyMailbox } from "../../../src/maildir/survey.ts";

export interface ReadOrder {
  readonly root: string;
  readonly address: string;
  /** User and group to become first; undefined: stay. */
  readonly user: number | undefined;
}

export interface BoxesReport {
  readonly readings: Record<string, EnvelopeReading>;
  readonly counts: { readonly waiting: number; readonly read: number; readonly awaiting: number | undefined };
  readonly surveyed: Record<string, boolean>;
  readonly answered: readonly string[];
  readonly undone: readonly string[];
}

const { root, address, user } = JSON.parse(process.argv[2] ?? "") as ReadOrder;
if (user !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(user);
  process.setuid?.(user);
}
const mailbox = mailboxAt(root, address);
const readings: Record<string, EnvelopeReading> = {};
for (const box of BOXES satisfies readonly Box[]) {
  for (const { name } of boxEntries(mailbox, box)) {
    readings[`${box}/${name}`] = readEnvelope(join(boxPath(mailbox, box), name));
  }
}
const counter = new MailCounter(mailbox);
while (counter.catchUp(2));
const surveyed: Record<string, boolean> = {};
for (const mail of surveyMailbox(mailbox)) surveyed[`${mail.box}/${mail.name}`] = mail.envelope !== undefined;
const owed = [{ id: "asked", from: address, claimedAt: "" }];
const report: BoxesReport = {
  readings,
  counts: counter.counts(),
  surveyed,
  answered: [...answeredBefore(mailboxAt(root, "somebody"), owed)],
  undone: undoBrokenSends(mailbox).map(({ id }) => id),
};
process.stdout.write(JSON.stringify(report));
