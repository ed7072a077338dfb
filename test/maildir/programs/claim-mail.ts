/** Claims what comes into a mailbox until told to stop, and tells the id of each letter that it got. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { claim, claimedName } from "../../../src/maildir/claim.ts";
import { envelopeNames, mailboxAt } from "../../../src/maildir/mailbox.ts";
import { readEnvelope } from "../../../src/maildir/read-envelope.ts";

export interface ClaimReport {
  readonly ids: readonly string[];
  /** Letters that another process took between the look and the claim. */
  readonly missed: number;
  /** What could not be read as a letter once it was claimed. */
  readonly faults: readonly string[];
}

const [root = "", address = ""] = JSON.parse(process.argv[2] ?? "[]") as string[];
const mailbox = mailboxAt(root, address);
const ids: string[] = [];
const faults: string[] = [];
let missed = 0;
const takeAll = (): void => {
  for (const name of envelopeNames(mailbox, "new")) {
    const path = claim(mailbox, name, claimedName(mailbox, name), { durable: false });
    if (path === undefined) {
      missed += 1;
      continue;
    }
    const reading = readEnvelope(path);
    if (reading.type === "envelope") ids.push(reading.envelope.id);
    else faults.push(name);
  }
};

let isOver = false;
process.once("message", () => {
  isOver = true;
});
// Whoever started it has ended without a word.
process.once("disconnect", () => process.exit());
process.send?.("ready");
while (!isOver) {
  takeAll();
  await nextTurn();
}
takeAll();
process.send?.({ ids, missed, faults } satisfies ClaimReport, () => process.disconnect());
