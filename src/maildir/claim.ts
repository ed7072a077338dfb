import { closeSync, fsyncSync, lstatSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "./errno.ts";
import { boxPath, ensureBoxes, type Mailbox } from "./mailbox.ts";

/** Where an envelope of `new/` will lie in `cur/`: under its own name, or a free one when that name is taken there. */
export function claimedName(mailbox: Mailbox, name: string): string {
  const isFree = (candidate: string): boolean =>
    lstatSync(join(boxPath(mailbox, "cur"), candidate), { throwIfNoEntry: false }) === undefined;
  if (isFree(name)) return name;
  for (let copy = 2; ; copy += 1) {
    const candidate = name.replace(/\.json$/, `.${copy}.json`);
    if (isFree(candidate)) return candidate;
  }
}

/**
 * Moves one envelope from `new/` to `cur/`.
 * @param to its name in `cur/`, from `claimedName`.
 * @returns its path, or undefined when another process took it first.
 */
export function claim(
  mailbox: Mailbox,
  name: string,
  to: string,
  { durable }: { readonly durable: boolean },
): string | undefined {
  const waiting = join(boxPath(mailbox, "new"), name);
  const path = join(boxPath(mailbox, "cur"), to);
  try {
    renameSync(waiting, path);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    if (lstatSync(waiting, { throwIfNoEntry: false }) === undefined) return undefined;
    // It is there, so the folder to move it to is not.
    ensureBoxes(mailbox);
    renameSync(waiting, path);
  }
  if (durable) syncFolder(boxPath(mailbox, "cur"));
  return path;
}

/** Has the entries of a folder reach the disk. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
