import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunningRecord } from "../../src/mail/running-record.ts";
import { processStart } from "../../src/maildir/process-start.ts";
import {
  findRunning,
  listRunning,
  peekRunning,
  removeRecord,
  runningFolder,
  writeRecord,
} from "../../src/maildir/running.ts";
import { originalRecord, writeOriginalRecord } from "../support/original-form.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const updatedMs = Date.parse("2031-02-03T04:05:06.789Z");
const started = processStart(process.pid, process.platform);

function record(address: string, changes: Partial<RunningRecord> = {}): RunningRecord {
  return {
    address,
    cwd: "/work",
    pid: process.pid,
    state: "idle",
    waitingOn: "",
    updated: new Date(updatedMs).toISOString(),
    ...(started === undefined ? {} : { started }),
    ...changes,
  };
}
const files = () => readdirSync(runningFolder(temp.path)).sort();

test.for([[{}], [{ name: 'Bob\'s "box"\n', state: "busy", waitingOn: "c" }], [{ cwd: "/wörk/ \u2028" }]] as const)(
  "M-5, M-26: a running record equals the original's form, byte for byte (%j)",
  ([changes]) => {
    writeRecord(temp.path, record("a", changes));
    expect(files()).toEqual(["a.json"]);
    const text = readFileSync(join(runningFolder(temp.path), "a.json"), "utf8");
    expect(text).toBe(originalRecord({ address: "a", cwd: "/work", pid: process.pid, updatedMs, ...changes }));
  },
);

test("M-5: a record is for its owner alone, and so is its folder", () => {
  const before = process.umask(0);
  writeRecord(temp.path, record("a"));
  process.umask(before);
  expect(statSync(runningFolder(temp.path)).mode & 0o7777).toBe(0o700);
  expect(statSync(join(runningFolder(temp.path), "a.json")).mode & 0o7777).toBe(0o600);
});

test("M-5: a session's record replaces the one before, whole", () => {
  writeRecord(temp.path, record("a", { cwd: "/a/long/path".repeat(50) }));
  writeRecord(temp.path, record("a", { state: "busy" }));
  expect(findRunning(temp.path, "a")).toEqual(record("a", { state: "busy" }));
  expect(files()).toEqual(["a.json"]);
});

test("M-5: sessions of one process have a record each, and one ends without the other", () => {
  writeRecord(temp.path, record("a"));
  writeRecord(temp.path, record("b", { name: "bob" }));
  expect(listRunning(temp.path).map(({ address }) => address)).toEqual(["a", "b"]);
  removeRecord(temp.path, "a", process.pid);
  expect(listRunning(temp.path)).toEqual([record("b", { name: "bob" })]);
});

test("M-5: at shutdown only a record of this process is removed", async () => {
  const other = spawn("sleep", ["60"]);
  try {
    await once(other, "spawn");
    writeOriginalRecord(temp.path, { address: "a", cwd: "/work", pid: other.pid ?? 0 });
    removeRecord(temp.path, "a", process.pid);
    expect(findRunning(temp.path, "a")?.pid).toBe(other.pid);
    removeRecord(temp.path, "missing", process.pid);
    removeRecord(temp.path, "a", other.pid ?? 0);
    expect(files()).toEqual([]);
  } finally {
    other.kill();
  }
});

test("M-5: without a folder of records nobody runs", () => {
  expect([listRunning(temp.path), peekRunning(temp.path), findRunning(temp.path, "a")]).toEqual([[], [], undefined]);
  mkdirSync(temp.path);
  writeFileSync(runningFolder(temp.path), "");
  expect([listRunning(temp.path), peekRunning(temp.path), findRunning(temp.path, "a")]).toEqual([[], [], undefined]);
});

const malformed: Record<string, string> = {
  empty: "",
  half: originalRecord({ address: "half", cwd: "/", pid: process.pid }).slice(0, 40),
  "null-value": "null",
  list: "[]",
  number: "7",
  "pid-text": '{"address":"pid-text","cwd":"/","pid":"1"}',
  "pid-zero": '{"address":"pid-zero","cwd":"/","pid":0}',
  "pid-negative": '{"address":"pid-negative","cwd":"/","pid":-1}',
  "pid-fraction": '{"address":"pid-fraction","cwd":"/","pid":1.5}',
  "no-cwd": `{"address":"no-cwd","pid":${process.pid}}`,
  "no-address": `{"cwd":"/","pid":${process.pid}}`,
  "another-address": `{"address":"a","cwd":"/","pid":${process.pid}}`,
  large: `{"address":"large","cwd":"/","pid":2147483646,"x":"${"x".repeat(70_000)}"}`,
};

test("M-5: a record that is malformed, or does not fit its file name, is ignored and stays", () => {
  mkdirSync(runningFolder(temp.path), { recursive: true });
  for (const [name, text] of Object.entries(malformed)) {
    writeFileSync(join(runningFolder(temp.path), `${name}.json`), text);
  }
  for (const name of ["a.json.7.tmp", "a.txt", ".json", "..json", "a b.json", "running.json"]) {
    const text = originalRecord({ address: name.replace(".json", ""), cwd: "/", pid: 2 ** 31 - 2 });
    writeFileSync(join(runningFolder(temp.path), name), text);
  }
  mkdirSync(join(runningFolder(temp.path), "folder.json"));
  symlinkSync("nowhere", join(runningFolder(temp.path), "link.json"));
  const before = files();
  expect(listRunning(temp.path)).toEqual([]);
  for (const name of Object.keys(malformed)) expect(findRunning(temp.path, name)).toBeUndefined();
  expect(files()).toEqual(before);
});

test("M-5, M-26: a record of another program with more or fewer fields counts", () => {
  mkdirSync(runningFolder(temp.path), { recursive: true });
  const text = JSON.stringify({ extra: { deep: [1] }, pid: process.pid, cwd: "/w", address: "a", state: "odd" });
  writeFileSync(join(runningFolder(temp.path), "a.json"), text);
  const { started: _, ...bare } = record("a", { cwd: "/w", updated: "" });
  expect(listRunning(temp.path)).toEqual([bare]);
});

test("R-3: a link planted in place of the file that a record is written to is not written through", () => {
  mkdirSync(runningFolder(temp.path), { recursive: true });
  const mine = join(temp.folder, "mine");
  writeFileSync(mine, "mine");
  symlinkSync(mine, join(runningFolder(temp.path), `a.json.${process.pid}.tmp`));
  writeRecord(temp.path, record("a"));
  expect(readFileSync(mine, "utf8")).toBe("mine");
  expect(findRunning(temp.path, "a")).toEqual(record("a"));
});
