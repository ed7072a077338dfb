import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Address, isAddress } from "../mail/address.ts";
import type { Envelope } from "../mail/envelope.ts";
import { readEnvelopeName } from "../mail/envelope-name.ts";
import { isErrno } from "./errno.ts";
import { type Box, boxPath, envelopeNames, type Mailbox, mailboxAt } from "./mailbox.ts";
import { readEnvelope } from "./read-envelope.ts";

/** One file in a box, as it is now. */
export interface SurveyedMail {
  readonly address: Address;
  readonly box: Exclude<Box, "tmp">;
  readonly name: string;
  readonly path: string;
  /** Unix epoch, ms: from the name, else from the letter; 0 when neither tells. */
  readonly sentMs: number;
  /** Undefined for a file that can not be read as an envelope. */
  readonly envelope: Envelope | undefined;
}

/** Addresses of all mailboxes, sorted. */
export function mailboxAddresses(root: string): Address[] {
  try {
    return readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isAddress(entry.name))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

/** Reads a mailbox file by file, changing nothing: `new/` before `cur/`, so that a claim meanwhile hides no letter. */
export function* surveyMailbox(mailbox: Mailbox): Generator<SurveyedMail> {
  for (const box of ["new", "cur", "sent"] as const) {
    for (const name of envelopeNames(mailbox, box)) {
      const path = join(boxPath(mailbox, box), name);
      const reading = readEnvelope(path);
      if (reading.type === "gone") continue;
      const envelope = reading.type === "envelope" ? reading.envelope : undefined;
      const sentMs = readEnvelopeName(name)?.ms ?? (Date.parse(envelope?.ts ?? "") || 0);
      yield { address: mailbox.address, box, name, path, sentMs, envelope };
    }
  }
}

/** Reads all mail of a root, changing nothing. */
export function* surveyMail(root: string): Generator<SurveyedMail> {
  for (const address of mailboxAddresses(root)) yield* surveyMailbox(mailboxAt(root, address));
}
