import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { plainLine } from "../mail/plain-text.ts";
import { isOpenToOthers } from "./mail-root.ts";
import { BOXES, boxEntries, boxPath, mailboxAt } from "./mailbox.ts";
import { peekRunning, runningFolder } from "./running.ts";
import { mailboxAddresses, surveyMailbox } from "./survey.ts";

/** One thing that is not as it should be, and what to do about it. Safe to print. */
export interface Finding {
  readonly what: string;
  readonly advice: string;
}

/** A file in `tmp/` older than this was left by a send that never ended, in ms. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

/**
 * Looks over a mail root, changing nothing, mailbox by mailbox.
 * @param nowMs Unix epoch, ms.
 */
export function* examineRoot(root: string, nowMs: number): Generator<Finding | undefined> {
  const stats = lstatSync(root, { throwIfNoEntry: false });
  if (stats === undefined) {
    yield { what: `There is no mail root at ${plainLine(root)}.`, advice: "The first session makes it." };
    return;
  }
  if (isOpenToOthers(root)) {
    yield { what: `Other users can enter the mail root ${plainLine(root)}.`, advice: `chmod 700 ${plainLine(root)}` };
  }
  const running = new Set(peekRunning(root).map((record) => record.address));
  const addresses = mailboxAddresses(root);
  const known = new Set([...addresses, ...running]);
  for (const address of addresses) yield* examineMailbox(root, address, nowMs, known);
  if (isOpenToOthers(runningFolder(root))) {
    yield {
      what: "Other users can read the running records.",
      advice: `chmod 700 ${plainLine(runningFolder(root))}`,
    };
  }
}

function* examineMailbox(
  root: string,
  address: string,
  nowMs: number,
  known: ReadonlySet<string>,
): Generator<Finding | undefined> {
  const mailbox = mailboxAt(root, address);
  if (isOpenToOthers(mailbox.path)) {
    yield { what: `Other users can read the mail of ${address}.`, advice: `chmod 700 ${plainLine(mailbox.path)}` };
  }
  for (const box of BOXES) {
    const folder = boxPath(mailbox, box);
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isDirectory()) {
      yield { what: `${plainLine(folder)} is no folder.`, advice: "Move it away; the folder is made again." };
    }
    for (const entry of boxEntries(mailbox, box)) {
      if (entry.isFile()) continue;
      yield {
        what: `${plainLine(join(folder, entry.name))} is no regular file, so it is no mail.`,
        advice: "Move it away.",
      };
    }
  }
  for (const entry of boxEntries(mailbox, "tmp")) {
    const path = join(boxPath(mailbox, "tmp"), entry.name);
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    if (nowMs - mtimeMs < LEFT_BEHIND_MS) continue;
    yield { what: `${plainLine(path)} was left by a send that never ended.`, advice: "Nobody reads it; remove it." };
  }
  for (const { box, path, envelope } of surveyMailbox(mailbox)) {
    if (envelope === undefined) {
      yield { what: `${plainLine(path)} can not be read as mail.`, advice: "Look into it; it is never delivered." };
    } else if (box === "sent" && !known.has(envelope.to)) {
      yield {
        what: `The ${envelope.kind} ${plainLine(envelope.id)} of ${address} is for ${plainLine(envelope.to)}, whom nobody has seen.`,
        advice: "Send it again to a session that exists.",
      };
    } else yield undefined;
  }
}
