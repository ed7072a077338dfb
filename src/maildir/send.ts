import { closeSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "../mail/address.ts";
import { type Envelope, formatEnvelope, type Kind, MAX_ENVELOPE_BYTES, type Status } from "../mail/envelope.ts";
import { envelopeName } from "../mail/envelope-name.ts";
import { MailroomError } from "../mail/errors.ts";
import { syncFolder } from "./claim.ts";
import { errnoOf, isErrno } from "./errno.ts";
import { openMailRoot } from "./mail-root.ts";
import { boxPath, ensureBoxes, type Mailbox, mailboxAt } from "./mailbox.ts";
import { nextNameTime } from "./name-clock.ts";

/** Where and how mail is written. */
export interface Post {
  readonly root: string;
  /** Unix epoch, ms. */
  readonly now: () => number;
  readonly uuid: () => string;
  /** Sync files and folders to the disk. */
  readonly durable: boolean;
}

export interface Outgoing {
  readonly from: Address;
  readonly to: Address;
  readonly kind: Kind;
  readonly hops: number;
  /** Replies alone name what they answer. */
  readonly inReplyTo?: readonly string[];
  /** Replies alone have one. */
  readonly status?: Status;
  readonly body: string;
}

export interface Sent {
  readonly envelope: Envelope;
  /** The sender's copy; undefined for a reply, of which none is kept. */
  readonly copyPath: string | undefined;
}

/** A folder that a pruning moved away between two steps is made again this often. */
const ATTEMPTS = 3;

/**
 * Writes one letter: the sender's copy, then the receiver's `tmp/`, then a rename into `new/`. When this returns, the
 * letter is delivered; when it throws, nothing of it is left.
 * While the letter is under way the copy has a second name in the sender's `tmp/`, by which `undoBrokenSends` finds a
 * send that a kill cut short.
 * @throws MailroomError address/invalid, mail/too-large, mail/not-written, root/unusable
 */
export function sendMail(post: Post, outgoing: Outgoing): Sent {
  const sender = mailboxAt(post.root, outgoing.from);
  const receiver = mailboxAt(post.root, outgoing.to);
  const ms = nextNameTime(post.now());
  const envelope: Envelope = {
    id: post.uuid(),
    from: outgoing.from,
    to: outgoing.to,
    kind: outgoing.kind,
    hops: outgoing.hops,
    inReplyTo: outgoing.inReplyTo ?? [],
    status: outgoing.status ?? "",
    ts: new Date(ms).toISOString(),
    body: outgoing.body,
  };
  const name = envelopeName(ms, envelope.id);
  const bytes = Buffer.from(formatEnvelope(envelope), "utf8");
  if (bytes.length > MAX_ENVELOPE_BYTES) {
    throw new MailroomError(
      "mail/too-large",
      `A mail of ${bytes.length} bytes is too large.`,
      `At most ${MAX_ENVELOPE_BYTES} bytes are read; write it to a file and send the path.`,
    );
  }

  openMailRoot(post.root);
  const keepsCopy = outgoing.kind !== "reply";
  let writingTo = sender;
  try {
    if (keepsCopy) keepCopy(sender, name, bytes, post.durable);
    writingTo = receiver;
    deliver(receiver, name, bytes, post.durable);
  } catch (cause) {
    removeQuietly(join(boxPath(receiver, "tmp"), name));
    if (keepsCopy) for (const box of ["sent", "tmp"] as const) removeQuietly(join(boxPath(sender, box), name));
    if (cause instanceof MailroomError) throw cause;
    throw new MailroomError(
      "mail/not-written",
      `The mail to ${outgoing.to} was not sent: ${cause instanceof Error ? cause.message : String(cause)}.`,
      hintFor(cause, writingTo),
      { cause },
    );
  }
  if (keepsCopy) removeQuietly(join(boxPath(sender, "tmp"), name));
  return { envelope, copyPath: keepsCopy ? join(boxPath(sender, "sent"), name) : undefined };
}

function keepCopy(sender: Mailbox, name: string, bytes: Uint8Array, durable: boolean): void {
  const underWay = join(boxPath(sender, "tmp"), name);
  const copy = join(boxPath(sender, "sent"), name);
  retryWithoutFolder(sender, () => {
    writeWhole(underWay, bytes, durable);
    try {
      linkSync(underWay, copy);
    } catch (error) {
      // A file system without hard links: the copy is as whole, only a kill just now leaves it without its mark.
      if (!isErrno(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK")) throw error;
      renameSync(underWay, copy);
    }
  });
  if (durable) syncFolder(boxPath(sender, "sent"));
}

function deliver(receiver: Mailbox, name: string, bytes: Uint8Array, durable: boolean): void {
  const written = join(boxPath(receiver, "tmp"), name);
  retryWithoutFolder(receiver, () => {
    writeWhole(written, bytes, durable);
    renameSync(written, join(boxPath(receiver, "new"), name));
  });
  if (!durable) return;
  try {
    syncFolder(boxPath(receiver, "new"));
  } catch {
    // Delivered all the same: taking it back now could take it from a session that has it already.
  }
}

/** Does a step in a mailbox whose folder a pruning may move away at any moment. */
function retryWithoutFolder(mailbox: Mailbox, step: () => void): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      ensureBoxes(mailbox);
      step();
      return;
    } catch (error) {
      if (!isErrno(error, "ENOENT") || attempt === ATTEMPTS) throw error;
    }
  }
}

function writeWhole(path: string, bytes: Uint8Array, durable: boolean): void {
  const fd = openNew(path);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Opens a file that is not there yet: what an attempt before left under the name is removed, never written through. */
function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
    removeQuietly(path);
    return openSync(path, "wx", 0o600);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or not removable: no reason to hide the error that led here.
  }
}

function hintFor(cause: unknown, mailbox: Mailbox): string {
  switch (errnoOf(cause)) {
    case "ENOSPC":
    case "EDQUOT":
      return "Make room on the disk, then send it again.";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `Make ${mailbox.path} writable for you, then send it again.`;
    default:
      return "Nothing of it was left behind; send it again once this is mended.";
  }
}
