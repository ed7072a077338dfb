import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { formatReceipt, parseReceipts, type Receipt } from "../mail/receipts.ts";
import { isErrno } from "./errno.ts";
import type { Mailbox } from "./mailbox.ts";

export function receiptsPath(mailbox: Mailbox): string {
  return join(mailbox.path, "receipts.jsonl");
}

/** Every receipt of a mailbox, oldest first; none for a mailbox without the file, as other programs leave it. */
export function readReceipts(mailbox: Mailbox): Receipt[] {
  let fd: number;
  try {
    fd = openSync(receiptsPath(mailbox), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EACCES", "EPERM")) return [];
    throw error;
  }
  try {
    return fstatSync(fd).isFile() ? parseReceipts(readFileSync(fd, "utf8")) : [];
  } finally {
    closeSync(fd);
  }
}

/**
 * Appends receipts in one write, after the end of a line that a crash cut short.
 * @throws the error of the file operation; the mail itself does not depend on it.
 */
export function appendReceipts(
  mailbox: Mailbox,
  receipts: readonly Receipt[],
  { durable }: { readonly durable: boolean },
): void {
  if (receipts.length === 0) return;
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = openSync(receiptsPath(mailbox), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error(`${receiptsPath(mailbox)} is not a regular file`);
    const text = receipts.map(formatReceipt).join("");
    const bytes = Buffer.from(endsInLine(fd, stats.size) ? text : `\n${text}`, "utf8");
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function endsInLine(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 0x0a;
}
