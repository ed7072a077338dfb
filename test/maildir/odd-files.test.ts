import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { boxPath, ensureBoxes, type Mailbox, mailboxAt } from "../../src/maildir/mailbox.ts";
import { readEnvelope } from "../../src/maildir/read-envelope.ts";
import { filesBelow } from "../support/files-below.ts";
import { originalEnvelope } from "../support/original-form.ts";
import { useTempRoot } from "../support/temp-root.ts";
import type { BoxesReport, ReadOrder } from "./programs/read-boxes.ts";

const temp = useTempRoot();
const NOBODY = 65_534;
let mailbox: Mailbox;
beforeEach(() => {
  mailbox = mailboxAt(temp.path, "b");
  ensureBoxes(mailbox);
});

const whole = (letter = {}) => originalEnvelope({ from: "somebody", to: "b", body: "hello", ...letter }).text;

/** Sorts of things that are not mail, by how each is read. */
const NOT_A_FILE: Record<string, (path: string) => void> = {
  "a pipe": (path) => execFileSync("mkfifo", [path]),
  "a folder": (path) => mkdirSync(path),
  "a link to a letter": (path) => symlinkSync(join(temp.folder, "letter.json"), path),
  "a link to a pipe": (path) => symlinkSync(join(temp.folder, "pipe"), path),
  "a link to a device": (path) => symlinkSync("/dev/zero", path),
  "a link to a folder": (path) => symlinkSync(temp.folder, path),
  "a link to nowhere": (path) => symlinkSync("nowhere", path),
  "a link to itself": (path) => symlinkSync(path, path),
};
const FAULTS: Record<string, (path: string) => void> = {
  "100 MiB of nothing": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 100 * 1024 * 1024);
  },
  "20 MiB of nothing": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 20 * 1024 * 1024);
  },
  "an empty file": (path) => writeFileSync(path, ""),
  "half a letter": (path) => writeFileSync(path, whole().slice(0, 60)),
  "the value null": (path) => writeFileSync(path, "null"),
  "NUL bytes": (path) => writeFileSync(path, "\0".repeat(100)),
  "an unreadable letter": (path) => {
    writeFileSync(path, whole());
    chmodSync(path, 0o000);
  },
};

/** Plants one of each in every box. @returns the report of a process that read them, which must not hang. */
function readPlanted(): BoxesReport {
  writeFileSync(join(temp.folder, "letter.json"), whole({ kind: "reply", inReplyTo: ["asked"] }));
  execFileSync("mkfifo", [join(temp.folder, "pipe")]);
  for (const box of ["tmp", "new", "cur", "sent"] as const) {
    for (const [name, plant] of Object.entries({ ...NOT_A_FILE, ...FAULTS })) {
      plant(join(boxPath(mailbox, box), `${name}.json`));
    }
    writeFileSync(join(boxPath(mailbox, box), "mail.json"), whole({ to: box }));
  }
  const user = process.getuid?.() === 0 ? NOBODY : undefined;
  if (user !== undefined) {
    for (const folder of [temp.folder, temp.path, mailbox.path]) chmodSync(folder, 0o755);
    for (const box of ["tmp", "new", "cur", "sent"] as const) chownSync(boxPath(mailbox, box), user, user);
    for (const file of filesBelow(mailbox.path)) {
      if (file.endsWith("mail.json")) chmodSync(join(mailbox.path, file), 0o644);
    }
  }
  const order: ReadOrder = { root: temp.path, address: "b", user };
  const program = fileURLToPath(new URL("./programs/read-boxes.ts", import.meta.url));
  const run = spawnSync(process.execPath, [program, JSON.stringify(order)], { encoding: "utf8", timeout: 30_000 });
  if (run.status !== 0) throw new Error(`reading ended with ${run.status ?? run.signal}: ${run.stderr}`);
  return JSON.parse(run.stdout) as BoxesReport;
}

test("R-3: whatever lies in a mailbox blocks nobody, is read as what it is, and stays", { timeout: 60_000 }, () => {
  const report = readPlanted();
  for (const box of ["tmp", "new", "cur", "sent"]) {
    for (const what of Object.keys(NOT_A_FILE)) {
      expect([what, report.readings[`${box}/${what}.json`]]).toEqual([what, { type: "not a file" }]);
    }
    for (const what of Object.keys(FAULTS)) {
      expect([what, report.readings[`${box}/${what}.json`]?.type]).toEqual([what, "fault"]);
    }
    expect(report.readings[`${box}/mail.json`]?.type).toBe("envelope");
  }
  const files = Object.keys(FAULTS).length + 1;
  expect(report.counts).toEqual({ waiting: files, read: files, awaiting: 1 });
  expect(Object.keys(report.surveyed).filter((file) => report.surveyed[file])).toEqual([
    "new/mail.json",
    "cur/mail.json",
    "sent/mail.json",
  ]);
  // The link's target answers, but a link is no mail.
  expect(report.answered).toEqual([]);
  expect(report.undone).toEqual([]);
  const inEachBox = Object.keys(NOT_A_FILE).length - 1 + Object.keys(FAULTS).length + 1;
  expect(filesBelow(mailbox.path)).toHaveLength(4 * inEachBox);
});

test("R-3: a socket is no mail", async () => {
  const path = join(boxPath(mailbox, "new"), "x.json");
  const server = createServer().listen(path);
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    expect(readEnvelope(path)).toEqual({ type: "not a file" });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test("R-3: a file that is gone, and names that no file can have, are not there", () => {
  expect(readEnvelope(join(mailbox.path, "new", "gone.json"))).toEqual({ type: "gone" });
  expect(readEnvelope(join(mailbox.path, "new", "a\0b.json")).type).not.toBe("envelope");
  expect(readEnvelope(join(mailbox.path, "new", `${"x".repeat(300)}.json`)).type).not.toBe("envelope");
});

test("R-3: a letter that is still being written is told as unfinished at every length, and read once it is whole", () => {
  const text = whole({ body: '} é \\ " {' });
  const bytes = Buffer.from(text);
  const path = join(mailbox.path, "new", "x.json");
  const fd = openSync(path, "w");
  for (let length = 0; length < bytes.length - 2; length += 1) {
    const reading = readEnvelope(path);
    expect([length, reading.type === "fault" && reading.fault.unfinished]).toEqual([length, true]);
    writeSync(fd, bytes, length, 1);
  }
  writeSync(fd, bytes, bytes.length - 2);
  const reading = readEnvelope(path);
  expect(reading.type === "envelope" && reading.envelope.body).toBe('} é \\ " {');
});

test("R-3: whatever bytes a file holds, it reads as an envelope or as a fault with a reason, and stays as it is", () => {
  const path = join(mailbox.path, "new", "x.json");
  const text = whole();
  const spoiled = fc
    .tuple(fc.nat(text.length), fc.nat(20), fc.uint8Array({ maxLength: 20 }))
    .map(([at, length, bytes]) =>
      Buffer.concat([Buffer.from(text.slice(0, at)), bytes, Buffer.from(text.slice(at + length))]),
    );
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), spoiled, fc.json().map(Buffer.from)), (bytes) => {
      writeFileSync(path, bytes);
      const reading = readEnvelope(path);
      if (reading.type !== "envelope") expect(reading).toMatchObject({ type: "fault", size: bytes.length });
      if (reading.type === "fault") expect(reading.fault.reason).not.toBe("");
      expect(readFileSync(path).equals(bytes)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
