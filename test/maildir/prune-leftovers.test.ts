import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { pruneFolders } from "../../src/maildir/prune-folders.ts";
import { closedMailbox } from "../support/closed-mailbox.ts";
import { filesBelow } from "../support/files-below.ts";
import { followFsSteps } from "../support/fs-steps.ts";
import { originalEnvelope, writeOriginalRecord } from "../support/original-form.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const UUID = "0b9b9f6e-0000-4000-8000-000000000000";
const letter = originalEnvelope({ from: "b", to: "a", kind: "message" });
const prune = (self = "self") =>
  pruneFolders({ root: temp.path, self, nowMs: Date.now(), olderThanDays: 30, uuid: () => crypto.randomUUID() });

beforeEach(() => mkdirSync(temp.path));

/** A mailbox as a pruning leaves it that was killed just after it moved it aside. */
function leftover(address = "a"): string {
  const aside = join(temp.path, `.pruning.${address}.${UUID}`);
  renameSync(closedMailbox(temp.path, address), aside);
  return aside;
}

test("M-20: a removal that was cut short is ended by the next pruning, whatever of it is left", () => {
  for (const gone of [[], ["new"], ["new", "cur"], ["new", "cur", "sent", "tmp", "receipts.jsonl"]]) {
    const aside = leftover();
    for (const entry of gone) rmSync(join(aside, entry), { recursive: true });
    expect(prune()).toEqual([]);
    expect(readdirSync(temp.path)).toEqual([]);
  }
});

test("M-20: a folder that was left aside with mail in it comes back whole", () => {
  const aside = leftover();
  writeFileSync(join(aside, "new", letter.fileName), letter.text);
  const files = filesBelow(aside);
  prune();
  expect(readdirSync(temp.path)).toEqual(["a"]);
  expect(filesBelow(join(temp.path, "a"))).toEqual(files);
});

test("M-20: a folder that was left aside comes back to a session that runs again", () => {
  const files = filesBelow(leftover());
  writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: process.pid });
  prune("a");
  expect(readdirSync(temp.path)).toEqual(["a", "running"]);
  expect(filesBelow(join(temp.path, "a"))).toEqual(files);
});

test("M-20: several folders left aside of one mailbox all come back", () => {
  for (const at of [1, 2, 3]) {
    const aside = join(temp.path, `.pruning.a.${at}`);
    renameSync(closedMailbox(temp.path, "a"), aside);
    writeFileSync(join(aside, "new", `00000000000000${at}-x.json`), letter.text);
  }
  prune();
  prune();
  expect(readdirSync(join(temp.path, "a", "new"))).toHaveLength(3);
  expect(readdirSync(join(temp.path, "a", "cur")).length).toBeGreaterThanOrEqual(3);
});

test("M-20: bringing back can be cut short at any step, and is ended later with nothing lost or doubled", () => {
  let steps = 0;
  for (let until = 1; steps >= until - 1; until += 1) {
    const aside = leftover();
    writeFileSync(join(aside, "new", letter.fileName), letter.text);
    writeFileSync(join(aside, "new", `0${letter.fileName}`), letter.text);
    const files = filesBelow(aside);
    steps = 0;
    const end = followFsSteps(() => {
      steps += 1;
      if (steps >= until) throw new Error("cut short");
    });
    try {
      prune();
    } finally {
      end();
    }
    prune();
    expect([until, readdirSync(temp.path)]).toEqual([until, ["a"]]);
    expect(filesBelow(join(temp.path, "a"))).toEqual(files);
    rmSync(join(temp.path, "a"), { recursive: true });
  }
  expect(steps).toBeGreaterThan(10);
});

test("M-20: a removal can be cut short at any step, and is ended later", () => {
  let steps = 0;
  for (let until = 1; steps >= until - 1; until += 1) {
    closedMailbox(temp.path, "a");
    steps = 0;
    const end = followFsSteps(() => {
      steps += 1;
      if (steps >= until) throw new Error("cut short");
    });
    try {
      prune();
    } finally {
      end();
    }
    prune();
    expect([until, readdirSync(temp.path)]).toEqual([until, []]);
  }
  expect(steps).toBeGreaterThan(8);
});

test("M-20: one mailbox that can not be removed does not keep the others", () => {
  for (const address of ["a", "b", "c"]) closedMailbox(temp.path, address);
  const end = followFsSteps(({ path }) => {
    if (path.includes(".pruning.b.")) throw new Error("EACCES");
  });
  try {
    expect(prune()).toEqual(["a", "c"]);
  } finally {
    end();
  }
  expect(readdirSync(temp.path)).toEqual(["b"]);
});
