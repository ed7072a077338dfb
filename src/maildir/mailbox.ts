import { type Dirent, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Address, isAddress } from "../mail/address.ts";
import { isEnvelopeName } from "../mail/envelope-name.ts";
import { MailroomError } from "../mail/errors.ts";
import { quoted } from "../mail/plain-text.ts";
import { isErrno } from "./errno.ts";

export const BOXES = ["tmp", "new", "cur", "sent"] as const;
export type Box = (typeof BOXES)[number];

/** A session's folder in the mail root. */
export interface Mailbox {
  readonly root: string;
  readonly address: Address;
  readonly path: string;
}

/** @throws MailroomError address/invalid before any path is built from the address. */
export function mailboxAt(root: string, address: string): Mailbox {
  if (!isAddress(address)) {
    throw new MailroomError(
      "address/invalid",
      `${quoted(address)} is not an address.`,
      "An address is a session id: letters, digits, - and _.",
    );
  }
  return { root, address, path: join(root, address) };
}

export function boxPath(mailbox: Mailbox, box: Box): string {
  return join(mailbox.path, box);
}

/**
 * Makes the folder and its boxes where they are missing. A link in their place is refused, since mail would leave the
 * root through it.
 * @throws MailroomError mail/not-written
 */
export function ensureBoxes(mailbox: Mailbox): void {
  for (const folder of [mailbox.path, ...BOXES.map((box) => boxPath(mailbox, box))]) {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
    else if (!stats.isDirectory()) {
      throw new MailroomError(
        "mail/not-written",
        `${folder} is not a folder, so no mail can be put there.`,
        "Move it away; the folder is made again.",
      );
    }
  }
}

/** Names in a box that may be envelopes, oldest first. A box that is not there is empty. */
export function envelopeNames(mailbox: Mailbox, box: Box): string[] {
  return boxEntries(mailbox, box)
    .filter((entry) => isEnvelopeName(entry.name))
    .map((entry) => entry.name)
    .sort();
}

/** Everything in a box, in no order, with its type. A box that is not there, or is a link, is empty. */
export function boxEntries(mailbox: Mailbox, box: Box): Dirent[] {
  const folder = boxPath(mailbox, box);
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
