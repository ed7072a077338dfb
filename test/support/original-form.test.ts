import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { boxNames, readEnvelopes, readRunning } from "./mail-files.ts";
import {
  originalEnvelope,
  originalRecord,
  startTimeOf,
  writeOriginalEnvelope,
  writeOriginalRecord,
} from "./original-form.ts";

let mailRoot: string;
beforeEach(() => {
  mailRoot = mkdtempSync(join(tmpdir(), "mailroom-"));
});
afterEach(() => rmSync(mailRoot, { recursive: true }));

test("an envelope has the original's name, keys and layout", () => {
  const file = originalEnvelope({ from: "a", to: "b", kind: "ask", id: "i-1", tsMs: 1_700_000_000_000, body: "why?" });
  expect(file.fileName).toBe("001700000000000-i-1.json");
  expect(file.text).toBe(`{
  "id": "i-1",
  "from": "a",
  "to": "b",
  "kind": "ask",
  "hops": 0,
  "in_reply_to": [],
  "status": "",
  "ts": "2023-11-14T22:13:20.000Z",
  "body": "why?"
}
`);
});

test("a request is copied to sent/, a reply is not, and names sort in send order", () => {
  const first = writeOriginalEnvelope(mailRoot, { from: "a", to: "b", body: "one" });
  const second = writeOriginalEnvelope(mailRoot, { from: "a", to: "b", body: "two" });
  writeOriginalEnvelope(mailRoot, { from: "b", to: "a", kind: "reply", inReplyTo: [first.id] });
  expect(boxNames(mailRoot, "b", "new")).toEqual([first.fileName, second.fileName]);
  expect(boxNames(mailRoot, "a", "sent")).toEqual([first.fileName, second.fileName]);
  expect(boxNames(mailRoot, "b", "tmp")).toEqual([]);
  expect(boxNames(mailRoot, "b", "sent")).toEqual([]);
  expect(readEnvelopes(mailRoot, "a", "new")).toMatchObject([{ status: "done", in_reply_to: [first.id] }]);
  expect(statSync(join(mailRoot, "b", "new", first.fileName)).mode & 0o777).toBe(0o600);
  expect(statSync(join(mailRoot, "b")).mode & 0o777).toBe(0o700);
});

test("a record leaves out the name when there is none, and carries the start time of its pid", () => {
  const session = { address: "a", cwd: "/work", pid: process.pid, updatedMs: 1_700_000_000_000 };
  const path = writeOriginalRecord(mailRoot, session);
  expect(readdirSync(join(mailRoot, "running"))).toEqual(["a.json"]);
  expect(Object.keys(readRunning(mailRoot)[0] ?? {})).toEqual([
    "address",
    "cwd",
    "pid",
    "state",
    "waitingOn",
    "updated",
    ...(startTimeOf(process.pid) ? ["started"] : []),
  ]);
  expect(readFileSync(path, "utf8")).toBe(originalRecord(session));
  expect(originalRecord({ ...session, name: "bob", started: "77" })).toContain('"name": "bob"');
  expect(originalRecord({ ...session, started: null })).not.toContain("started");
});

test("the start time is a whole number of ticks, the same each time, where /proc tells it", () => {
  const ticks = process.platform === "linux" ? expect.stringMatching(/^\d+$/) : undefined;
  expect(startTimeOf(process.pid)).toEqual(ticks);
  expect(startTimeOf(process.pid)).toBe(startTimeOf(process.pid));
  expect(startTimeOf(2 ** 30)).toBeUndefined();
});
