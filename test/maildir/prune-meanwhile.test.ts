import { mkdirSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { parseReceipts } from "../../src/mail/receipts.ts";
import { pruneFolders } from "../../src/maildir/prune-folders.ts";
import { closedMailbox } from "../support/closed-mailbox.ts";
import { filesBelow } from "../support/files-below.ts";
import { followFsSteps } from "../support/fs-steps.ts";
import { originalEnvelope, writeOriginalEnvelope, writeOriginalRecord } from "../support/original-form.ts";
import { patchFs } from "../support/patch-fs.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const nowMs = Date.now();
const prune = () =>
  pruneFolders({ root: temp.path, self: "self", nowMs, olderThanDays: 30, uuid: () => crypto.randomUUID() });
const asides = () => readdirSync(temp.path).filter((name) => name.startsWith(".pruning."));
const letter = originalEnvelope({ from: "b", to: "a", kind: "message", id: "late" });

beforeEach(() => mkdirSync(temp.path));

/** Prunes, and does something else just after the first mailbox was moved aside. @returns what was pruned */
function pruneWith(meanwhile: (aside: string) => void): string[] {
  let isDone = false;
  const end = patchFs(({ renameSync: rename }) => ({
    renameSync(from: string, to: string) {
      rename(from, to);
      if (isDone || !basename(to).startsWith(".pruning.")) return;
      isDone = true;
      meanwhile(to);
    },
  }));
  try {
    return prune();
  } finally {
    end();
    expect(isDone).toBe(true);
  }
}

/** What a sender does that had looked up the folder before it was moved. */
const writeLate = (aside: string) => writeFileSync(join(aside, "new", letter.fileName), letter.text);

test("M-20: mail that arrives after the folder was moved aside brings it back whole", () => {
  const folder = closedMailbox(temp.path, "a");
  writeFileSync(join(folder, "tmp", "under-way.json"), "half");
  mkdirSync(join(folder, "cur", "odd"));
  writeFileSync(join(folder, "note"), "mine");
  utimesSync(folder, 1, 1);
  for (const box of ["tmp", "cur"]) utimesSync(join(folder, box), 1, 1);
  const before = filesBelow(folder);
  expect(pruneWith(writeLate)).toEqual([]);
  expect(filesBelow(folder)).toEqual([...before, `new/${letter.fileName}`].sort());
  expect(readdirSync(join(folder, "cur"))).toContain("odd");
  expect(asides()).toEqual([]);
  expect(readFileSync(join(folder, "new", letter.fileName), "utf8")).toBe(letter.text);
});

test("M-20: new/ comes back last, so that who sees the mail sees the read mail and the copies too", () => {
  const folder = closedMailbox(temp.path, "a");
  const before = filesBelow(folder);
  const seen: string[][] = [];
  const end = followFsSteps(() => seen.push(readdirSync(temp.path).includes("a") ? filesBelow(folder) : []));
  try {
    pruneWith(writeLate);
  } finally {
    end();
  }
  const withMail = [...seen, filesBelow(folder)].filter((files) => files.some((file) => file.startsWith("new/")));
  expect(withMail.length).toBeGreaterThan(0);
  for (const files of withMail) expect(files.filter((file) => !file.startsWith("new/"))).toEqual(before);
});

test("M-20: mail that went to a mailbox made anew meanwhile stays there, beside what comes back", () => {
  const folder = closedMailbox(temp.path, "a");
  const before = filesBelow(folder);
  pruneWith((aside) => {
    writeLate(aside);
    writeOriginalEnvelope(temp.path, { from: "c", to: "a", kind: "message", id: "newer" });
  });
  const inNew = readdirSync(join(folder, "new")).map((name) => name.slice(16));
  expect(inNew.sort()).toEqual(["late.json", "newer.json"]);
  expect(filesBelow(folder)).toEqual(expect.arrayContaining(before));
  expect(asides()).toEqual([]);
});

test("M-20: mail that goes to a mailbox made anew does not keep the old one from going", () => {
  const folder = closedMailbox(temp.path, "a");
  expect(pruneWith(() => writeOriginalEnvelope(temp.path, { from: "c", to: "a", kind: "message" }))).toEqual(["a"]);
  expect(filesBelow(folder)).toHaveLength(1);
  expect(asides()).toEqual([]);
});

test("M-20, M-12: receipts that come back to a session that started meanwhile are added to its own", () => {
  const folder = closedMailbox(temp.path, "a");
  const own = JSON.stringify({ ts: "", id: "newer", step: "claimed" });
  pruneWith((aside) => {
    writeLate(aside);
    mkdirSync(folder);
    writeFileSync(join(folder, "receipts.jsonl"), own);
  });
  const receipts = parseReceipts(readFileSync(join(folder, "receipts.jsonl"), "utf8"));
  expect(receipts.map(({ id }) => id).sort()).toEqual(["newer", "read-a"]);
  expect(asides()).toEqual([]);
});

test("M-20: a session that starts while its folder is moved aside gets it back", () => {
  const folder = closedMailbox(temp.path, "a");
  const before = filesBelow(folder);
  expect(pruneWith(() => writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: process.pid }))).toEqual([]);
  expect(filesBelow(folder)).toEqual(before);
  expect(asides()).toEqual([]);
});

test("M-20: mail that arrives at any step of a removal is not lost", () => {
  for (let late = 1; ; late += 1) {
    const address = `a${late}`;
    const folder = closedMailbox(temp.path, address);
    const name = `${String(late).padStart(15, "0")}-late.json`;
    let step = 0;
    let arrived = false;
    const end = followFsSteps(({ path }) => {
      step += 1;
      if (step !== late) return;
      const aside = asides()[0];
      // The folder that the sender has in hand goes on to be written through, wherever it was moved to.
      const target = aside === undefined ? folder : join(temp.path, aside);
      try {
        renameSync(writeOutside(name), join(target, "new", name));
        arrived = true;
      } catch (error) {
        // The box is gone for good, so the sender knows that it has to write anew.
        expect((error as NodeJS.ErrnoException).code).toBe("ENOENT");
      }
      expect(path).not.toBe("");
    });
    try {
      prune();
    } finally {
      end();
    }
    if (arrived) {
      prune();
      expect([late, readdirSync(join(folder, "new"))]).toEqual([late, [name]]);
    }
    expect(asides()).toEqual([]);
    if (step < late) {
      expect(late).toBeGreaterThan(8);
      return;
    }
  }
});

function writeOutside(name: string): string {
  const path = join(temp.folder, name);
  writeFileSync(path, letter.text);
  return path;
}
