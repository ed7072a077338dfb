import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processExists, processStart } from "../../src/maildir/process-start.ts";
import { findRunning, listRunning, peekRunning, runningFolder } from "../../src/maildir/running.ts";
import { startTimeOf, writeOriginalRecord } from "../support/original-form.ts";
import { patchFs } from "../support/patch-fs.ts";
import { useTempRoot } from "../support/temp-root.ts";
import { waitFor } from "../support/wait-for.ts";

const temp = useTempRoot();
const files = () => readdirSync(runningFolder(temp.path)).sort();

async function sleeper(): Promise<ChildProcess & { pid: number }> {
  const child = spawn("sleep", ["600"]);
  await once(child, "spawn");
  return child as ChildProcess & { pid: number };
}

async function deadPid(): Promise<number> {
  const child = await sleeper();
  child.kill("SIGKILL");
  await once(child, "exit");
  return child.pid;
}

test("M-5, R-10: a record whose process is gone is reaped by whoever reads it", async () => {
  const pid = await deadPid();
  writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid, started: null });
  writeOriginalRecord(temp.path, { address: "b", cwd: "/", pid, started: "123" });
  writeOriginalRecord(temp.path, { address: "c", cwd: "/", pid: process.pid });
  expect(peekRunning(temp.path).map(({ address }) => address)).toEqual(["c"]);
  expect(files()).toEqual(["a.json", "b.json", "c.json"]);
  expect(findRunning(temp.path, "a")).toBeUndefined();
  expect(files()).toEqual(["b.json", "c.json"]);
  expect(listRunning(temp.path).map(({ address }) => address)).toEqual(["c"]);
  expect(files()).toEqual(["c.json"]);
});

test("M-5: a session that is killed stops running at once", async () => {
  const child = await sleeper();
  writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: child.pid });
  expect(findRunning(temp.path, "a")?.pid).toBe(child.pid);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(findRunning(temp.path, "a")).toBeUndefined();
});

test("R-10: a process id that another process has now, of another start time, is a dead session", () => {
  writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: process.pid, started: "1" });
  expect(findRunning(temp.path, "a")).toBeUndefined();
  expect(files()).toEqual([]);
});

test("R-10: without a start time on either side, the process id alone decides", () => {
  writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: process.pid, started: null });
  expect(findRunning(temp.path, "a")?.pid).toBe(process.pid);
});

test("M-5: a process that we may not signal counts as alive", () => {
  const kill = process.kill;
  process.kill = () => {
    throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
  };
  try {
    expect(processExists(1)).toBe(true);
    writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: process.pid });
    expect(findRunning(temp.path, "a")?.pid).toBe(process.pid);
  } finally {
    process.kill = kill;
  }
});

test("R-10: a record from before this machine started is a dead session, though its process id exists", () => {
  const path = writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: process.pid, started: null });
  const bootSeconds = Date.now() / 1_000 - uptime();
  utimesSync(path, bootSeconds - 3_600, bootSeconds - 3_600);
  expect(findRunning(temp.path, "a")).toBeUndefined();
  expect(existsSync(path)).toBe(false);
});

test("R-9: a record that seems to come from the future, after the clock stepped back, still counts", () => {
  const path = writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: process.pid });
  const soon = Date.now() / 1_000 + 1e8;
  utimesSync(path, soon, soon);
  expect(findRunning(temp.path, "a")?.pid).toBe(process.pid);
});

test("M-5: a session that starts anew while its dead record is looked at keeps its new record", async () => {
  const pid = await deadPid();
  writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid, started: null });
  let isStarted = false;
  const end = patchFs(({ readFileSync: read }) => ({
    readFileSync(...args: Parameters<typeof read>) {
      const text = Reflect.apply(read, undefined, args);
      if (String(args[0]).endsWith("/a.json") && !isStarted) {
        isStarted = true;
        writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: process.pid });
      }
      return text;
    },
  }));
  try {
    findRunning(temp.path, "a");
  } finally {
    end();
  }
  expect(findRunning(temp.path, "a")?.pid).toBe(process.pid);
});

test("M-5: a session that stops while its record is looked at does not run, and nothing is thrown", async () => {
  const child = await sleeper();
  const path = writeOriginalRecord(temp.path, { address: "a", cwd: "/", pid: child.pid });
  const end = patchFs(({ statSync: stat, ...real }) => ({
    statSync(...args: Parameters<typeof stat>) {
      const stats = Reflect.apply(stat, undefined, args);
      if (String(args[0]) === path) real.rmSync(path, { force: true });
      return stats;
    },
  }));
  try {
    expect(listRunning(temp.path)).toEqual([]);
  } finally {
    end();
    child.kill();
  }
});

test("R-10: the start time tells a process from the next one of the same id, and stays the same", async () => {
  const child = await sleeper();
  try {
    const token = processStart(child.pid, process.platform);
    expect(processStart(child.pid, process.platform)).toBe(token);
    if (process.platform === "linux") expect(token).toBe(startTimeOf(child.pid));
    expect(token).toMatch(/\d/);
    expect(token).not.toBe(processStart(1, process.platform));
  } finally {
    child.kill("SIGKILL");
  }
  await once(child, "exit");
  await waitFor(() => processStart(child.pid, process.platform) === undefined, {
    what: "no start time of a dead process",
  });
});

test("R-10: other systems, and processes that are not there, have no start time", () => {
  expect(processStart(process.pid, "win32")).toBeUndefined();
  expect(processStart(process.pid, "freebsd")).toBeUndefined();
  expect(processStart(2 ** 31 - 2, process.platform)).toBeUndefined();
});

test("R-10: the start time of a program with spaces and parentheses in its name is found", async () => {
  mkdirSync(temp.path);
  const program = join(temp.path, "a) (b 1 2");
  copyFileSync(process.platform === "darwin" ? "/bin/sleep" : "/usr/bin/sleep", program);
  chmodSync(program, 0o700);
  const child = spawn(program, ["600"]);
  await once(child, "spawn");
  try {
    expect(Number(processStart(child.pid ?? 0, process.platform)?.replace(/\D/g, ""))).toBeGreaterThan(1);
    if (process.platform === "linux") expect(processStart(child.pid ?? 0, "linux")).toBe(startTimeOf(child.pid ?? 0));
  } finally {
    child.kill("SIGKILL");
  }
});
