import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { MAX_ENVELOPE_BYTES } from "../../src/mail/envelope.ts";
import { mailboxAt } from "../../src/maildir/mailbox.ts";
import { readEnvelope } from "../../src/maildir/read-envelope.ts";
import { type Outgoing, sendMail } from "../../src/maildir/send.ts";
import { filesBelow } from "../support/files-below.ts";
import { originalEnvelope, writeOriginalEnvelope } from "../support/original-form.ts";
import { patchFs } from "../support/patch-fs.ts";
import { postAt, useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const letter: Outgoing = { from: "a", to: "b", kind: "request", hops: 0, body: "hello" };
const tsMs = Date.parse("2031-02-03T04:05:06.789Z");
const awkward = 'é "quotes" \\ \n\r\t \u0000 \u2028 \ud83d\ude00 \ud800 </script>';

test.for([
  [1, { ...letter, body: awkward }],
  [2, { ...letter, kind: "ask", hops: 3, body: "" }],
  [3, { ...letter, kind: "message", hops: 12, body: "x".repeat(40_000) }],
  [4, { ...letter, kind: "reply", hops: 1, inReplyTo: ["i-1", "i-2"], status: "stopped", body: "half" }],
  [5, { ...letter, kind: "reply", inReplyTo: ["i-1"], status: "failed" }],
] as const satisfies [number, Outgoing][])(
  "M-2, M-26: what is written equals the original's form, byte for byte (%i)",
  ([at, outgoing]) => {
    // Names of one process never go back in time, so each case has a later one.
    const wanted = originalEnvelope({ ...outgoing, id: `id-${at}`, tsMs: tsMs + at });
    const sent = sendMail(postAt(temp.path, { now: () => tsMs + at, uuid: () => `id-${at}` }), outgoing);
    const copies = outgoing.kind === "reply" ? [] : [`a/sent/${wanted.fileName}`];
    expect(filesBelow(temp.path)).toEqual([...copies, `b/new/${wanted.fileName}`]);
    for (const file of filesBelow(temp.path)) expect(readFileSync(join(temp.path, file), "utf8")).toBe(wanted.text);
    expect(sent.copyPath).toBe(copies[0] === undefined ? undefined : join(temp.path, copies[0]));
    expect(sent.envelope).toMatchObject({ id: `id-${at}`, kind: outgoing.kind, body: outgoing.body });
  },
);

test("M-2: the envelope that a send returns is the one that is read from both files", () => {
  const { envelope, copyPath = "" } = sendMail(postAt(temp.path), letter);
  const [, delivered = ""] = filesBelow(temp.path);
  expect(readEnvelope(copyPath)).toEqual({ type: "envelope", envelope });
  expect(readEnvelope(join(temp.path, delivered))).toEqual({ type: "envelope", envelope });
});

test("M-1: mail and the folders it lies in are for their owner alone, whatever the umask", () => {
  const before = process.umask(0);
  try {
    sendMail(postAt(temp.path), letter);
  } finally {
    process.umask(before);
  }
  const files = filesBelow(temp.path);
  expect(files).toHaveLength(2);
  for (const file of files) {
    expect(statSync(join(temp.path, file)).mode & 0o7777).toBe(0o600);
    for (const folder of [dirname(file), dirname(dirname(file)), "."]) {
      expect(statSync(join(temp.path, folder)).mode & 0o7777).toBe(0o700);
    }
  }
});

test("M-1: a send closes a mail root that stood open to others", () => {
  sendMail(postAt(temp.path), letter);
  chmodSync(temp.path, 0o755);
  sendMail(postAt(temp.path), letter);
  expect(statSync(temp.path).mode & 0o7777).toBe(0o700);
});

test("M-2: the copy and the letter are files of their own, so changing one leaves the other", () => {
  sendMail(postAt(temp.path), letter);
  const inodes = filesBelow(temp.path).map((file) => statSync(join(temp.path, file)));
  expect(new Set(inodes.map(({ ino }) => ino)).size).toBe(2);
  expect(inodes.map(({ nlink }) => nlink)).toEqual([1, 1]);
});

test("M-2: mail to a mailbox of the original stands in the order of sending with the original's own", () => {
  writeOriginalEnvelope(temp.path, { from: "c", to: "b", body: "1", tsMs: 1_000 });
  sendMail(postAt(temp.path), { ...letter, body: "2" });
  writeOriginalEnvelope(temp.path, { from: "c", to: "b", body: "3", tsMs: 9_000_000_000_000 });
  const bodies = readdirSync(join(temp.path, "b", "new"))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(temp.path, "b", "new", name), "utf8")).body);
  expect(bodies).toEqual(["1", "2", "3"]);
});

test("M-20: a send whose receiver's folder is moved away between two steps makes it again", () => {
  const moved = { times: 0 };
  const end = patchFs(({ renameSync: rename, ...real }) => ({
    renameSync(from: string, to: string) {
      if (dirname(to).endsWith("/b/new") && moved.times < 2) {
        moved.times += 1;
        real.mkdirSync(join(temp.path, ".aside"), { recursive: true });
        rename(join(temp.path, "b"), join(temp.path, ".aside", String(moved.times)));
      }
      rename(from, to);
    },
  }));
  try {
    sendMail(postAt(temp.path), letter);
  } finally {
    end();
  }
  expect(moved.times).toBe(2);
  expect(readdirSync(join(temp.path, "b", "new"))).toHaveLength(1);
});

test("M-20: a send whose own folder is moved away before the copy is kept makes it again", () => {
  let isMoved = false;
  const end = patchFs(({ linkSync: link, ...real }) => ({
    linkSync(from: string, to: string) {
      if (!isMoved) real.renameSync(join(temp.path, "a"), join(temp.path, ".aside"));
      isMoved = true;
      link(from, to);
    },
  }));
  try {
    sendMail(postAt(temp.path), letter);
  } finally {
    end();
  }
  rmSync(join(temp.path, ".aside"), { recursive: true });
  expect(filesBelow(temp.path).map((file) => dirname(file))).toEqual(["a/sent", "b/new"]);
});

test("M-2: where there are no hard links, the copy is kept by rename, and a failed send still leaves nothing", () => {
  const end = patchFs(() => ({
    linkSync() {
      throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
    },
  }));
  try {
    sendMail(postAt(temp.path), letter);
    const sent = filesBelow(temp.path);
    expect(sent.map((file) => dirname(file))).toEqual(["a/sent", "b/new"]);
    writeFileSync(join(temp.path, "c"), "in the way");
    expect(() => sendMail(postAt(temp.path), { ...letter, to: "c" })).toThrow(/not a folder/);
    expect(filesBelow(temp.path)).toEqual([...sent, "c"]);
  } finally {
    end();
  }
});

test("M-2: a letter too large to be read by anyone is refused before anything is made", () => {
  const body = "x".repeat(MAX_ENVELOPE_BYTES);
  expect(() => sendMail(postAt(temp.path), { ...letter, body })).toThrow(/too large/);
  expect(readdirSync(temp.folder)).toEqual([]);
});

test("M-2: the largest letter that may be sent can be read", () => {
  const { envelope } = sendMail(postAt(temp.path), { ...letter, body: "" });
  const room = MAX_ENVELOPE_BYTES - statSync(join(temp.path, filesBelow(temp.path)[1] ?? "")).size;
  rmSync(temp.path, { recursive: true });
  const largest = sendMail(postAt(temp.path, { uuid: () => envelope.id }), { ...letter, body: "x".repeat(room) });
  const reading = readEnvelope(largest.copyPath ?? "");
  expect(statSync(largest.copyPath ?? "").size).toBe(MAX_ENVELOPE_BYTES);
  expect(reading.type === "envelope" && reading.envelope.body.length).toBe(room);
});

test("M-2: a mail to oneself is written like any other", () => {
  sendMail(postAt(temp.path), { ...letter, to: "a" });
  expect(filesBelow(mailboxAt(temp.path, "a").path).map((file) => dirname(file))).toEqual(["new", "sent"]);
});
