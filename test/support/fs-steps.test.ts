import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sendMail } from "../../src/maildir/send.ts";
import { type FsStep, followFsSteps } from "./fs-steps.ts";

let folder: string;
let steps: FsStep[];
let end: () => void;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailroom-"));
  steps = [];
  end = followFsSteps((step) => steps.push(step));
});
afterEach(() => {
  end();
  rmSync(folder, { recursive: true });
});
const calls = () => steps.map(({ call, path }) => `${call} ${basename(path)}`);

test("a file is written in two halves, and read whole afterwards", () => {
  writeFileSync(join(folder, "a"), "1234567", { mode: 0o600 });
  expect(calls()).toEqual(["openSync a", "writeSync a", "writeSync a"]);
  expect(readFileSync(join(folder, "a"), "utf8")).toBe("1234567");
});

test("a folder is removed entry by entry, and what changes nothing is no step", () => {
  mkdirSync(join(folder, "a"));
  mkdirSync(join(folder, "a"), { recursive: true });
  writeFileSync(join(folder, "a", "b"), "");
  rmSync(join(folder, "a"), { recursive: true });
  rmSync(join(folder, "a"), { recursive: true, force: true });
  expect(calls()).toEqual(["mkdirSync a", "openSync b", "unlinkSync b", "rmdirSync a"]);
});

test("modules that imported node:fs by name before are followed too, until it ends", () => {
  const post = { root: folder, now: () => 1, uuid: () => "id", durable: false };
  sendMail(post, { from: "a", to: "b", kind: "message", hops: 0, body: "" });
  const seen = steps.length;
  expect(seen).toBeGreaterThan(10);
  end();
  sendMail(post, { from: "a", to: "b", kind: "message", hops: 0, body: "" });
  expect(steps).toHaveLength(seen);
});
