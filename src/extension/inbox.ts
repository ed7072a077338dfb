import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { quoted } from "../mail/plain-text.ts";
import type { Receipt } from "../mail/receipts.ts";
import { claim, claimedName } from "../maildir/claim.ts";
import { boxPath, envelopeNames, type Mailbox } from "../maildir/mailbox.ts";
import { readEnvelope } from "../maildir/read-envelope.ts";
import { deliver } from "./deliver.ts";
import type { MailSession } from "./mail-session.ts";

/** Claims and delivers what waits in the inbox, oldest first, before it returns. One letter's trouble leaves the others alone. */
export function scanInbox(session: MailSession): void {
  if (!session.isActive) return;
  const mailbox = session.mailbox();
  let names: string[];
  try {
    names = envelopeNames(mailbox, "new");
  } catch (error) {
    session.warnOnce(
      `list ${errorText(error)}`,
      `The inbox ${boxPath(mailbox, "new")} can not be read: ${errorText(error)}`,
    );
    return;
  }
  for (const name of names) {
    if (!session.isActive) return;
    try {
      receive(session, mailbox, name);
    } catch (error) {
      session.warnOnce(
        `receive ${name}`,
        `The mail ${quoted(name)} waits, since it can not be taken in: ${errorText(error)}`,
      );
    }
  }
}

/** Looks again at files that were set aside while somebody may still have been writing them. */
export function rereadUnfinished(session: MailSession): void {
  for (const [path, stamp] of session.unfinished) {
    if (!session.isActive) return;
    const now = fileStamp(path);
    if (now === undefined) session.unfinished.delete(path);
    if (now === undefined || now === stamp) continue;
    session.unfinished.set(path, now);
    const reading = readEnvelope(path);
    if (reading.type !== "envelope") continue;
    session.unfinished.delete(path);
    const { envelope } = reading;
    if (session.received.has(envelope.id)) continue;
    const name = basename(path);
    const { id, from, kind, hops } = envelope;
    session.receipts.write({ id, step: "claimed", name, from, kind, hops });
    session.counter.noteClaimed(name, envelope);
    deliver(session, envelope, path);
  }
}

function receive(session: MailSession, mailbox: Mailbox, name: string): void {
  const waiting = join(boxPath(mailbox, "new"), name);
  const reading = readEnvelope(waiting);
  if (reading.type === "gone") return;
  if (reading.type === "not a file") {
    session.warnOnce(`odd ${name}`, `${quoted(waiting)} is no regular file, so it is no mail; it stays where it is.`);
    return;
  }
  const kept = claimedName(mailbox, name);
  const { durable } = session.settings();
  if (reading.type === "fault") {
    const { reason, unfinished } = reading.fault;
    noteClaim(session, { id: "", step: "claimed", name: kept, reason });
    const path = session.counter.ownChange("cur", () => claim(mailbox, name, kept, { durable }));
    if (path === undefined) return;
    session.counter.noteClaimed(kept, undefined);
    if (unfinished) session.unfinished.set(path, fileStamp(path) ?? "");
    session.warnOnce(
      `aside ${path}`,
      `A mail can not be read and is set aside: ${reason}. It is kept at ${quoted(path, 400)}.`,
    );
    return;
  }
  const { envelope } = reading;
  const { id, from, kind, hops } = envelope;
  // Written before the rename, so that a kill between the two leaves mail in new/ or a claim that can be found again.
  noteClaim(session, { id, step: "claimed", name: kept, from, kind, hops });
  const path = session.counter.ownChange("cur", () => claim(mailbox, name, kept, { durable }));
  if (path === undefined) return;
  session.counter.noteClaimed(kept, envelope);
  if (!session.received.has(id)) deliver(session, envelope, path);
}

/** Once a name, also when the rename fails and is tried again at every scan. */
function noteClaim(session: MailSession, receipt: Omit<Receipt, "ts"> & { readonly name: string }): void {
  if (session.claimsNoted.has(receipt.name)) return;
  session.claimsNoted.add(receipt.name);
  session.receipts.write(receipt);
}

function fileStamp(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.size} ${stats.mtimeMs}`;
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
