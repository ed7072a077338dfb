import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Envelope } from "../../src/mail/envelope.ts";
import { MailCounter } from "../../src/maildir/mail-counter.ts";
import { ensureBoxes, type Mailbox, mailboxAt } from "../../src/maildir/mailbox.ts";
import { readEnvelope } from "../../src/maildir/read-envelope.ts";
import { type OriginalLetter, originalEnvelope } from "../support/original-form.ts";
import { patchFs } from "../support/patch-fs.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
let mailbox: Mailbox;
beforeEach(() => {
  mailbox = mailboxAt(temp.path, "a");
  ensureBoxes(mailbox);
});

/** Puts a letter into a box. @returns its name */
function put(box: "new" | "cur" | "sent", letter: Partial<OriginalLetter> = {}): string {
  const { fileName, text } = originalEnvelope({ from: "a", to: "b", ...letter });
  writeFileSync(join(mailbox.path, box, fileName), text);
  return fileName;
}

function envelopeOf(box: "cur" | "sent", name: string): Envelope {
  const reading = readEnvelope(join(mailbox.path, box, name));
  if (reading.type !== "envelope") throw new Error(`${name} is no envelope`);
  return reading.envelope;
}

/** A counter that has looked at everything once. */
function counterOfAll(): MailCounter {
  const counter = new MailCounter(mailbox);
  while (counter.catchUp(10));
  return counter;
}

/** Runs some work. @returns how many files it opened and how many folders it listed */
function costOf(work: () => void): { opened: number; listed: number } {
  const cost = { opened: 0, listed: 0 };
  const end = patchFs(({ openSync: open, readdirSync: list }) => ({
    openSync(...args: Parameters<typeof open>) {
      cost.opened += 1;
      return open(...args);
    },
    readdirSync(...args: Parameters<typeof list>) {
      cost.listed += 1;
      return Reflect.apply(list, undefined, args);
    },
  }));
  try {
    work();
  } finally {
    end();
  }
  return cost;
}

test("M-19: pending are the files in new/, read those in cur/, awaiting the requests and asks that no reply names", () => {
  put("new");
  writeFileSync(join(mailbox.path, "new", "note.txt"), "");
  mkdirSync(join(mailbox.path, "new", "folder.json"));
  put("sent", { id: "r-1" });
  put("sent", { id: "a-1", kind: "ask" });
  put("sent", { id: "r-2" });
  put("sent", { id: "m-1", kind: "message" });
  put("cur", { kind: "reply", inReplyTo: ["r-2", "r-2", "unknown"] });
  put("cur");
  writeFileSync(join(mailbox.path, "cur", "aside.json"), "not json");
  expect(counterOfAll().counts()).toEqual({ waiting: 2, read: 3, awaiting: 2 });
});

test("M-19: a copy of the original from before kinds counts as a request", () => {
  const envelope = { id: "old", from: "a", to: "b", in_reply_to: [], status: "", ts: "", body: "" };
  writeFileSync(join(mailbox.path, "sent", "old.json"), JSON.stringify(envelope));
  expect(counterOfAll().counts().awaiting).toBe(1);
});

test("M-19: until every file was looked at once, nothing is said of what is awaited", () => {
  for (let at = 0; at < 5; at += 1) put("sent");
  const counter = new MailCounter(mailbox);
  expect(counter.catchUp(3)).toBe(true);
  expect(counter.counts()).toEqual({ waiting: 0, read: 0, awaiting: undefined });
  expect(counter.catchUp(3)).toBe(false);
  expect(counter.counts()).toEqual({ waiting: 0, read: 0, awaiting: 5 });
});

test("M-19: a claim and a send cost no look at other files, and no list of them, however many there are", () => {
  for (let at = 0; at < 50; at += 1) for (const box of ["cur", "sent"] as const) put(box);
  const counter = counterOfAll();
  const cost = costOf(() => {
    const name = put("cur", { kind: "reply", inReplyTo: ["r-1"] });
    counter.ownChange("cur", () => {});
    counter.noteClaimed(name, undefined);
  });
  expect(cost.opened).toBe(0);

  const waiting = put("new", { kind: "message" });
  const copy = originalEnvelope({ from: "a", to: "b", kind: "request" });
  while (counter.catchUp(10));
  const own = costOf(() => {
    counter.ownChange("cur", () => renameSync(join(mailbox.path, "new", waiting), join(mailbox.path, "cur", waiting)));
    counter.noteClaimed(waiting, undefined);
    counter.ownChange("sent", () => writeFileSync(join(mailbox.path, "sent", copy.fileName), copy.text));
    counter.noteSent(copy.fileName, { ...envelopeOf("cur", waiting), id: copy.id, kind: "request" });
    counter.catchUp(10);
  });
  // One is the test's own look at the letter.
  expect(own).toEqual({ opened: 1, listed: 0 });
  expect(counter.counts()).toEqual({ waiting: 0, read: 52, awaiting: 51 });
});

test("M-19: what others put into a box just before a claim of ours is counted too", () => {
  const counter = counterOfAll();
  const foreign = put("cur", { kind: "message" });
  const waiting = put("new", { kind: "message" });
  counter.ownChange("cur", () => renameSync(join(mailbox.path, "new", waiting), join(mailbox.path, "cur", waiting)));
  counter.noteClaimed(waiting, envelopeOf("cur", waiting));
  counter.catchUp(10);
  expect(counter.counts().read).toBe(2);
  rmSync(join(mailbox.path, "cur", foreign));
  counter.catchUp(10);
  expect(counter.counts().read).toBe(1);
});

test("M-19: when others change a box, only files that are new in it are read", () => {
  for (let at = 0; at < 50; at += 1) put("cur");
  const counter = counterOfAll();
  put("cur", { kind: "reply" });
  expect(costOf(() => counter.catchUp(10))).toEqual({ opened: 1, listed: 1 });
  expect(costOf(() => counter.catchUp(10))).toEqual({ opened: 0, listed: 0 });
});

test("M-19: a mailbox that was removed and made anew is counted as it is now", () => {
  put("sent", { id: "r-1" });
  put("cur");
  const counter = counterOfAll();
  rmSync(mailbox.path, { recursive: true });
  counter.catchUp(10);
  expect(counter.counts()).toEqual({ waiting: 0, read: 0, awaiting: 0 });
  ensureBoxes(mailbox);
  put("sent", { id: "r-2" });
  while (counter.catchUp(10));
  expect(counter.counts()).toEqual({ waiting: 0, read: 0, awaiting: 1 });
});

test("M-19: a file that was half written when it was claimed counts with what it answers once it is whole", () => {
  put("sent", { id: "r-1" });
  const counter = counterOfAll();
  const reply = originalEnvelope({ from: "b", to: "a", kind: "reply", inReplyTo: ["r-1"] });
  const path = join(mailbox.path, "cur", reply.fileName);
  counter.ownChange("cur", () => writeFileSync(path, reply.text.slice(0, 50)));
  counter.noteClaimed(reply.fileName, undefined);
  expect(counter.counts()).toEqual({ waiting: 0, read: 1, awaiting: 1 });
  writeFileSync(path, reply.text);
  counter.noteClaimed(reply.fileName, envelopeOf("cur", reply.fileName));
  expect(counter.counts()).toEqual({ waiting: 0, read: 1, awaiting: 0 });
});

test("M-19: the copy of a sent letter is found by its id, before and after all copies were read", () => {
  const name = put("sent", { id: "r-1", body: "first" });
  writeFileSync(join(mailbox.path, "sent", "odd-name.json"), originalEnvelope({ from: "a", to: "b", id: "r-2" }).text);
  const path = join(mailbox.path, "sent", name);
  const counter = new MailCounter(mailbox);
  const cost = costOf(() => expect(counter.sentCopy("r-1")).toMatchObject({ path, envelope: { body: "first" } }));
  expect(cost).toEqual({ opened: 1, listed: 1 });
  while (counter.catchUp(1));
  expect(counter.sentCopy("r-1")).toMatchObject({ path });
  expect(counter.sentCopy("r-2")).toMatchObject({ path: join(mailbox.path, "sent", "odd-name.json") });
  expect(counter.sentCopy("r-3")).toBeUndefined();
});

test("M-19: a copy whose name lies about its id, or that is gone, is not taken for the letter", () => {
  const { fileName } = originalEnvelope({ from: "a", to: "b", id: "r-1" });
  const path = join(mailbox.path, "sent", fileName);
  writeFileSync(path, originalEnvelope({ from: "a", to: "b", id: "another" }).text);
  const counter = counterOfAll();
  expect(counter.sentCopy("r-1")).toBeUndefined();
  expect(counter.sentCopy("another")).toMatchObject({ path });
  rmSync(path);
  // Seen by the change of the folder, also where its time has not gone on since.
  utimesSync(join(mailbox.path, "sent"), 1, statSync(mailbox.path).mtimeMs / 1_000 + 5);
  expect(counter.sentCopy("another")).toBeUndefined();
});
