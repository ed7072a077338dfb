import { join, relative } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { claim } from "../../src/maildir/claim.ts";
import { envelopeNames, mailboxAt } from "../../src/maildir/mailbox.ts";
import { appendReceipts } from "../../src/maildir/receipts-file.ts";
import { type Outgoing, sendMail } from "../../src/maildir/send.ts";
import { filesBelow } from "../support/files-below.ts";
import { patchFs } from "../support/patch-fs.ts";
import { postAt, useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const letter: Outgoing = { from: "a", to: "b", kind: "request", hops: 0, body: "hello" };
/** What reached the disk and what was moved, in order; names of letters are left out. */
let log: string[];
beforeEach(() => {
  log = [];
});

function logged(work: () => void): string[] {
  const shown = (path: string) => relative(temp.path, path).replace(/\d{15}-.*/, "letter");
  const opened = new Map<number, string>();
  const end = patchFs((real) => ({
    openSync(path: string, flags: string | number, mode?: number) {
      const fd = real.openSync(path, flags, mode);
      opened.set(fd, path);
      return fd;
    },
    fsyncSync(fd: number) {
      real.fsyncSync(fd);
      log.push(`sync ${shown(opened.get(fd) ?? "")}`);
    },
    linkSync(from: string, to: string) {
      real.linkSync(from, to);
      log.push(`link ${shown(to)}`);
    },
    renameSync(from: string, to: string) {
      real.renameSync(from, to);
      log.push(`rename ${shown(to)}`);
    },
  }));
  try {
    work();
  } finally {
    end();
  }
  return log;
}

test("M-21: with durable a send syncs each file before it gets its name, and each folder after", () => {
  expect(logged(() => sendMail(postAt(temp.path, { durable: true }), letter))).toEqual([
    "sync a/tmp/letter",
    "link a/sent/letter",
    "sync a/sent",
    "sync b/tmp/letter",
    "rename b/new/letter",
    "sync b/new",
  ]);
});

test("M-21: without durable nothing is synced", () => {
  expect(logged(() => sendMail(postAt(temp.path), letter))).toEqual(["link a/sent/letter", "rename b/new/letter"]);
});

test("M-21: with durable a claim and its receipt are synced, the receipt first", () => {
  sendMail(postAt(temp.path), letter);
  const mailbox = mailboxAt(temp.path, "b");
  const [name = ""] = envelopeNames(mailbox, "new");
  const wanted = logged(() => {
    appendReceipts(mailbox, [{ ts: "", id: "i", step: "claimed" }], { durable: true });
    claim(mailbox, name, name, { durable: true });
  });
  expect(wanted).toEqual(["sync b/receipts.jsonl", "rename b/cur/letter", "sync b/cur"]);
});

test("M-21: a letter that is delivered stays so when the folder can not be synced any more", () => {
  const end = patchFs((real) => ({
    openSync(path: string, flags: string | number, mode?: number) {
      if (path.endsWith(join("b", "new"))) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
      return real.openSync(path, flags, mode);
    },
  }));
  try {
    sendMail(postAt(temp.path, { durable: true }), letter);
  } finally {
    end();
  }
  expect(filesBelow(temp.path).map((file) => file.slice(0, 6))).toEqual(["a/sent", "b/new/"]);
});
