import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { mailboxAt } from "../../src/maildir/mailbox.ts";
import { lastActivity, pruneFolders } from "../../src/maildir/prune-folders.ts";
import { closedMailbox, touchMailbox } from "../support/closed-mailbox.ts";
import { filesBelow } from "../support/files-below.ts";
import { writeOriginalEnvelope, writeOriginalRecord } from "../support/original-form.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const nowMs = Date.now();
const DAY_MS = 24 * 60 * 60 * 1000;
const prune = (olderThanDays: number | undefined = 30) =>
  pruneFolders({ root: temp.path, self: "self", nowMs, olderThanDays, uuid: () => crypto.randomUUID() });
const entries = () => readdirSync(temp.path).sort();

beforeEach(() => mkdirSync(temp.path, { mode: 0o700 }));

test("M-20: the mailbox of a closed session that is old enough goes, with its read mail, copies and receipts", () => {
  closedMailbox(temp.path, "old", { ageDays: 31 });
  closedMailbox(temp.path, "young", { ageDays: 29 });
  expect(prune(30)).toEqual(["old"]);
  expect(entries()).toEqual(["young"]);
  expect(prune(28)).toEqual(["young"]);
  expect(entries()).toEqual([]);
});

test.for(["", "tmp", "new", "cur", "sent"])("M-20: a change of the folder /%s alone keeps a mailbox", (changed) => {
  const folder = closedMailbox(temp.path, "a", { ageDays: 100 });
  utimesSync(join(folder, changed), nowMs / 1_000, (nowMs - 5 * DAY_MS) / 1_000);
  expect(Math.round(lastActivity(mailboxAt(temp.path, "a")) ?? 0)).toBe(nowMs - 5 * DAY_MS);
  expect(prune(6)).toEqual([]);
  expect(prune(4)).toEqual(["a"]);
});

test("M-20: the times of files do not count", () => {
  const folder = closedMailbox(temp.path, "a", { ageDays: 100 });
  for (const file of filesBelow(folder)) utimesSync(join(folder, file), nowMs / 1_000, nowMs / 1_000);
  expect(prune()).toEqual(["a"]);
});

test("M-20: by command a mailbox goes whatever its age", () => {
  closedMailbox(temp.path, "a", { ageDays: 0 });
  touchMailbox(closedMailbox(temp.path, "future"), nowMs + 1_000 * DAY_MS);
  expect(prune()).toEqual([]);
  expect(pruneFolders({ root: temp.path, self: "self", nowMs, olderThanDays: undefined, uuid: () => "u" })).toEqual([
    "a",
    "future",
  ]);
});

const inNew: Record<string, (path: string) => void> = {
  "a letter": (path) => writeFileSync(path, "{}"),
  "an empty file": (path) => writeFileSync(path, ""),
  "a hidden file": (path) => writeFileSync(path.replace("x.json", ".x"), ""),
  "a folder": (path) => mkdirSync(path),
  "a link to nowhere": (path) => symlinkSync("nowhere", path),
};
test.for(Object.keys(inNew))("M-20: %s in new/ keeps a mailbox", (what) => {
  const folder = closedMailbox(temp.path, "a");
  inNew[what]?.(join(folder, "new", "x.json"));
  touchMailbox(folder, nowMs - 100 * DAY_MS);
  const before = filesBelow(temp.path);
  expect(prune()).toEqual([]);
  expect(filesBelow(temp.path)).toEqual(before);
  expect(entries()).toEqual(["a"]);
});

test("M-20: a session's own mailbox, and those of running sessions, stay", async () => {
  for (const address of ["self", "running-here", "running-there", "died"]) closedMailbox(temp.path, address);
  const other = spawn("sleep", ["600"]);
  await once(other, "spawn");
  writeOriginalRecord(temp.path, { address: "running-here", cwd: "/", pid: process.pid });
  writeOriginalRecord(temp.path, { address: "running-there", cwd: "/", pid: other.pid ?? 0 });
  writeOriginalRecord(temp.path, { address: "died", cwd: "/", pid: process.pid, started: "1" });
  expect(prune()).toEqual(["died"]);
  other.kill("SIGKILL");
  await once(other, "exit");
  expect(prune()).toEqual(["running-there"]);
  expect(entries()).toEqual(["running", "running-here", "self"]);
});

test("M-20: only real folders named like an address are looked at", () => {
  const elsewhere = closedMailbox(temp.folder, "elsewhere");
  symlinkSync(elsewhere, join(temp.path, "link"));
  symlinkSync("nowhere", join(temp.path, "dangling"));
  for (const name of [
    ".mailroom",
    "running",
    "a.b",
    "a b",
    ".pruning.a",
    "é",
    ".pruning.a.b.c",
    ".pruning.running.x",
  ]) {
    mkdirSync(join(temp.path, name, "cur"), { recursive: true });
    touchable(join(temp.path, name));
  }
  writeFileSync(join(temp.path, "file"), "");
  writeFileSync(join(temp.path, ".pruning.a.u"), "");
  symlinkSync(elsewhere, join(temp.path, ".pruning.b.u"));
  const before = [entries(), filesBelow(temp.folder)];
  expect(pruneFolders({ root: temp.path, self: "self", nowMs, olderThanDays: undefined, uuid: () => "u" })).toEqual([]);
  expect([entries(), filesBelow(temp.folder)]).toEqual(before);
});

function touchable(folder: string): void {
  for (const path of [folder, join(folder, "cur")]) utimesSync(path, 1, 1);
}

test("M-20, R-3: a mailbox whose boxes are links is never followed: what lies behind them stays", () => {
  const elsewhere = join(temp.folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "x.json"), "{}");
  for (const [address, box] of [
    ["inbox", "new"],
    ["read", "cur"],
  ] as const) {
    const folder = closedMailbox(temp.path, address);
    rmSync(join(folder, box), { recursive: true });
    symlinkSync(elsewhere, join(folder, box));
  }
  utimesSync(elsewhere, 1, 1);
  for (const address of ["inbox", "read"]) utimesSync(join(temp.path, address), 1, 1);
  expect(prune()).toEqual(["read"]);
  expect(entries()).toEqual(["inbox"]);
  expect(filesBelow(elsewhere)).toEqual(["x.json"]);
});

test("M-20: a mailbox without boxes, as other programs may leave it, goes too", () => {
  mkdirSync(join(temp.path, "bare"));
  utimesSync(join(temp.path, "bare"), 1, 1);
  expect(prune()).toEqual(["bare"]);
  expect(entries()).toEqual([]);
});

test("M-20: without a mail root there is nothing to prune", () => {
  rmSync(temp.path, { recursive: true });
  expect(prune()).toEqual([]);
  expect(readdirSync(temp.folder)).toEqual([]);
});

test("M-20: mail sent to an address whose mailbox was pruned waits in a new one", () => {
  closedMailbox(temp.path, "a");
  expect(prune()).toEqual(["a"]);
  writeOriginalEnvelope(temp.path, { from: "b", to: "a", kind: "message" });
  expect(readdirSync(join(temp.path, "a", "new"))).toHaveLength(1);
});
