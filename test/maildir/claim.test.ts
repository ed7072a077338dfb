import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { claim, claimedName } from "../../src/maildir/claim.ts";
import { boxPath, ensureBoxes, type Mailbox, mailboxAt } from "../../src/maildir/mailbox.ts";
import { patchFs } from "../support/patch-fs.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const NAME = "000000000000001-i.json";
let mailbox: Mailbox;
beforeEach(() => {
  mailbox = mailboxAt(temp.path, "b");
  ensureBoxes(mailbox);
  writeFileSync(join(boxPath(mailbox, "new"), NAME), "letter");
});
const names = (box: "new" | "cur") => readdirSync(boxPath(mailbox, box)).sort();
const take = (name = NAME) => claim(mailbox, name, claimedName(mailbox, name), { durable: false });

test("R-2: an envelope is claimed once: it moves from new/ to cur/ under its name", () => {
  expect(take()).toBe(join(boxPath(mailbox, "cur"), NAME));
  expect([names("new"), names("cur")]).toEqual([[], [NAME]]);
  expect(take()).toBeUndefined();
});

test("R-2: when another process takes an envelope between the look and the claim, it is theirs", () => {
  const to = claimedName(mailbox, NAME);
  rmSync(join(boxPath(mailbox, "new"), NAME));
  expect(claim(mailbox, NAME, to, { durable: false })).toBeUndefined();
  expect(names("cur")).toEqual([]);
});

test("R-3: a letter under a name that is taken in cur/ gets a free one, and replaces nothing", () => {
  const cur = boxPath(mailbox, "cur");
  const second = NAME.replace(".json", ".2.json");
  writeFileSync(join(cur, NAME), "kept");
  mkdirSync(join(cur, second));
  expect(take()).toBe(join(cur, NAME.replace(".json", ".3.json")));
  expect(readFileSync(join(cur, NAME), "utf8")).toBe("kept");
  writeFileSync(join(boxPath(mailbox, "new"), "z.json"), "letter");
  symlinkSync("nowhere", join(cur, "z.json"));
  expect(take("z.json")).toBe(join(cur, "z.2.json"));
});

test("M-3: mail is claimed also when somebody removed cur/", () => {
  rmSync(boxPath(mailbox, "cur"), { recursive: true });
  expect(take()).toBe(join(boxPath(mailbox, "cur"), NAME));
  expect([names("new"), names("cur")]).toEqual([[], [NAME]]);
});

test("M-3: mail that can not be moved stays in new/, and the error says why", () => {
  rmSync(boxPath(mailbox, "cur"), { recursive: true });
  writeFileSync(boxPath(mailbox, "cur"), "in the way");
  expect(() => claim(mailbox, NAME, NAME, { durable: false })).toThrow(/ENOTDIR/);
  expect(names("new")).toEqual([NAME]);
});

test.for([
  [false, []],
  [true, ["cur"]],
] as const)("M-21: a claim with durable %j syncs these folders: %j", ([durable, wanted]) => {
  const opened = new Map<number, string>();
  const synced: string[] = [];
  const end = patchFs((real) => ({
    openSync(path: string, flags: string, mode?: number) {
      const fd = real.openSync(path, flags, mode);
      opened.set(fd, path);
      return fd;
    },
    fsyncSync(fd: number) {
      real.fsyncSync(fd);
      // Nothing is synced that is not there yet.
      expect(names("cur")).toEqual([NAME]);
      synced.push(opened.get(fd) ?? "");
    },
  }));
  try {
    claim(mailbox, NAME, NAME, { durable });
  } finally {
    end();
  }
  expect(synced).toEqual(wanted.map((box) => boxPath(mailbox, box)));
});
