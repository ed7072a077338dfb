import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Address, isAddress } from "../mail/address.ts";
import { pruneDecision } from "../mail/prune.ts";
import { isErrno } from "./errno.ts";
import { BOXES, boxEntries, boxPath, type Mailbox, mailboxAt } from "./mailbox.ts";
import { appendReceipts, readReceipts, receiptsPath } from "./receipts-file.ts";
import { findRunning } from "./running.ts";

/** A folder that is being removed: a name that is no address, so that nobody takes it for a mailbox. */
const ASIDE = /^\.pruning\.([A-Za-z0-9_-]+)\.[^.]+$/;

export interface Pruning {
  readonly root: string;
  readonly self: Address;
  /** Unix epoch, ms. */
  readonly nowMs: number;
  /** Undefined: whatever their age. */
  readonly olderThanDays: number | undefined;
  readonly uuid: () => string;
}

/**
 * Removes the mailboxes of closed sessions that have no unread mail and had no change for long enough, and ends removals
 * that were cut short. A folder that can not be removed is passed over.
 * @returns the addresses whose folders went.
 */
export function pruneFolders(pruning: Pruning): Address[] {
  const names = rootNames(pruning.root);
  for (const name of names) attempt(() => finishRemoval(pruning.root, name));
  return names.filter((name) => isAddress(name) && attempt(() => pruneOne(pruning, mailboxAt(pruning.root, name))));
}

/** Newest change of a mailbox's folder and its boxes, Unix epoch, ms. Undefined when it is no real folder. */
export function lastActivity(mailbox: Mailbox): number | undefined {
  if (!isFolder(mailbox.path)) return undefined;
  const folders = [mailbox.path, ...BOXES.map((box) => boxPath(mailbox, box))];
  return Math.max(...folders.map((folder) => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

function pruneOne(pruning: Pruning, mailbox: Mailbox): boolean {
  const changedMs = lastActivity(mailbox);
  if (changedMs === undefined) return false;
  // What lies behind a link in its place may be unread mail.
  if (existsAsOther(boxPath(mailbox, "new"))) return false;
  const facts = {
    isOwn: mailbox.address === pruning.self,
    isRunning: findRunning(pruning.root, mailbox.address) !== undefined,
    waiting: boxEntries(mailbox, "new").length,
    changedMs,
  };
  if (!pruneDecision(facts, pruning).prune) return false;
  const aside = `.pruning.${mailbox.address}.${pruning.uuid()}`;
  renameSync(mailbox.path, join(pruning.root, aside));
  return finishRemoval(pruning.root, aside);
}

/**
 * Removes a folder that was moved aside, or brings it back when mail came into it meanwhile or its session runs again.
 * @returns true: removed
 */
function finishRemoval(root: string, name: string): boolean {
  const address = ASIDE.exec(name)?.[1];
  const aside = join(root, name);
  if (!isAddress(address) || !isFolder(aside)) return false;
  // A sender may still write through the name that the folder had: only a box that is gone gets no more mail.
  if (findRunning(root, address) === undefined && removeIfEmpty(join(aside, "new"))) {
    rmSync(aside, { recursive: true, force: true });
    return true;
  }
  bringBack(aside, mailboxAt(root, address));
  return false;
}

/**
 * `new/` goes last, so that a session which sees its mail again sees its read mail and copies too. The mailbox may have
 * been made anew meanwhile; nothing in it is replaced. What is not brought back stays aside, and its turn comes again.
 */
function bringBack(aside: string, mailbox: Mailbox): void {
  mkdirSync(mailbox.path, { recursive: true, mode: 0o700 });
  const others = namesIn(aside).filter((name) => !(BOXES as readonly string[]).includes(name));
  for (const name of others) moveInto(join(aside, name), join(mailbox.path, name));
  bringBackReceipts({ ...mailbox, path: aside }, mailbox);
  for (const box of ["cur", "sent", "tmp", "new"] as const) {
    const folder = join(aside, box);
    mkdirSync(boxPath(mailbox, box), { recursive: true, mode: 0o700 });
    for (const name of isFolder(folder) ? namesIn(folder) : []) {
      moveInto(join(folder, name), join(boxPath(mailbox, box), name));
    }
    removeIfEmpty(folder);
  }
  removeIfEmpty(aside);
}

/** A session that started meanwhile has receipts of its own: what it owed before is added to them. */
function bringBackReceipts(aside: Mailbox, mailbox: Mailbox): void {
  const path = receiptsPath(aside);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  appendReceipts(mailbox, readReceipts(aside), { durable: false });
  rmSync(path);
}

function moveInto(from: string, to: string): void {
  if (lstatSync(to, { throwIfNoEntry: false }) === undefined) renameSync(from, to);
}

/** @returns true when the folder is gone: it was empty, or not there, or no folder. */
function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return true;
    if (isErrno(error, "ENOTEMPTY", "EEXIST")) return false;
    throw error;
  }
}

function rootNames(root: string): string[] {
  return namesIn(root).sort();
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

function existsAsOther(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** One folder that resists does not keep the others. */
function attempt(step: () => boolean): boolean {
  try {
    return step();
  } catch {
    return false;
  }
}
