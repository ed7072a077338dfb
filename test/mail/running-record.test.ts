import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatRecord,
  isAlive,
  parseRecord,
  type RunningRecord,
  recordAddress,
  recordFileName,
} from "../../src/mail/running-record.ts";
import { address, hostileText } from "./hostile-text.ts";

const ALICE = "0a11ce00-0000-4000-8000-000000000001";
const BOB = "0b0b0000-0000-4000-8000-000000000002";

const RECORD: RunningRecord = {
  address: ALICE,
  name: "alice",
  cwd: "/home/a/project",
  pid: 4711,
  state: "busy",
  waitingOn: BOB,
  updated: "2026-01-02T03:04:05.678Z",
  started: "123456",
};

test("M-5, M-26: a record is two-space JSON, keys in the order of the format, and a final line feed", () => {
  expect(formatRecord(RECORD)).toBe(`{
  "address": "0a11ce00-0000-4000-8000-000000000001",
  "name": "alice",
  "cwd": "/home/a/project",
  "pid": 4711,
  "state": "busy",
  "waitingOn": "0b0b0000-0000-4000-8000-000000000002",
  "updated": "2026-01-02T03:04:05.678Z",
  "started": "123456"
}
`);
});

test("M-5, M-26: a session without a name, a wait or a readable start time leaves them out, or empty", () => {
  const { name: _, started: __, ...rest } = RECORD;
  expect(formatRecord({ ...rest, waitingOn: "", state: "idle" })).toBe(`{
  "address": "0a11ce00-0000-4000-8000-000000000001",
  "cwd": "/home/a/project",
  "pid": 4711,
  "state": "idle",
  "waitingOn": "",
  "updated": "2026-01-02T03:04:05.678Z"
}
`);
});

const records: fc.Arbitrary<RunningRecord> = fc.record(
  {
    address,
    name: hostileText().filter((name) => name !== ""),
    cwd: hostileText(),
    pid: fc.integer({ min: 1 }),
    state: fc.constantFrom("idle", "busy"),
    waitingOn: fc.oneof(fc.constant(""), address),
    updated: fc.string(),
    started: fc.string({ minLength: 1 }),
  },
  { requiredKeys: ["address", "cwd", "pid", "state", "waitingOn", "updated"] },
);

test("M-5: every record that is written is read again as it was", () => {
  fc.assert(
    fc.property(records, (record) => {
      expect(parseRecord(formatRecord(record), record.address)).toEqual(record);
    }),
  );
});

function record(changes: Record<string, unknown>): RunningRecord | undefined {
  return parseRecord(JSON.stringify({ ...RECORD, ...changes }), ALICE);
}

test.for([
  ["another address than its file", { address: BOB }],
  ["an address in other case", { address: ALICE.toUpperCase() }],
  ["no address", { address: undefined }],
  ["no process id", { pid: undefined }],
  ["a process id of 0", { pid: 0 }],
  ["a negative process id, which would name a group", { pid: -1 }],
  ["half a process id", { pid: 1.5 }],
  ["a process id as text", { pid: "4711" }],
  ["a process id beyond what can be counted", { pid: 2 ** 53 }],
  ["no place", { cwd: undefined }],
  ["a place that is no text", { cwd: 7 }],
] as const)("M-5, R-3: a record with %s is passed over", ([, changes]) => {
  expect(record(changes)).toBeUndefined();
});

test.for([
  "",
  "null",
  "7",
  '"text"',
  "[]",
  "{}",
  "{",
  "\0",
  "[".repeat(100_000) + "]".repeat(100_000),
  `{"__proto__": ${JSON.stringify(RECORD)}}`,
])("M-5, R-3: %.20s is no record", (text) => {
  expect(parseRecord(text, ALICE)).toBeUndefined();
});

test.for([
  ["a name that is no text", { name: 7 }, { name: undefined }],
  ["an empty name", { name: "" }, { name: undefined }],
  ["an unknown state", { state: "asleep" }, { state: "idle" }],
  ["no state", { state: undefined }, { state: "idle" }],
  ["a wait that is no text", { waitingOn: null }, { waitingOn: "" }],
  ["no time of change", { updated: undefined }, { updated: "" }],
  ["a start time that is no text", { started: 123456 }, { started: undefined }],
  ["an empty start time", { started: "" }, { started: undefined }],
  ["fields from a later version", { team: "red" }, { team: undefined }],
] as const)("M-5: a record with %s is read without it", ([, changes, read]) => {
  const parsed = record(changes);
  for (const [key, value] of Object.entries(read)) expect(parsed?.[key as keyof RunningRecord]).toBe(value);
  expect(parsed).toMatchObject({ address: ALICE, cwd: RECORD.cwd, pid: RECORD.pid });
  expect(Object.values(parsed ?? {})).not.toContain(undefined);
});

test("R-3: no text at all makes the reader of records throw", () => {
  fc.assert(
    fc.property(fc.oneof(hostileText(), fc.json()), address, (text, about) => {
      expect(() => parseRecord(text, about)).not.toThrow();
    }),
  );
});

test.for([
  [`${ALICE}.json`, ALICE],
  ["worker_1.json", "worker_1"],
  [`${ALICE}.json.4711.tmp`, undefined],
  [ALICE, undefined],
  [".json", undefined],
  ["..json", undefined],
  ["...json", undefined],
  [`../${ALICE}.json`, undefined],
  ["running.json", undefined],
  [`${"a".repeat(201)}.json`, undefined],
  ["a\nb.json", undefined],
] as const)("M-5, R-3: the file `%s` is about %s", ([file, about]) => {
  expect(recordAddress(file)).toBe(about);
});

test("M-5: a record lies in the file of its address", () => {
  fc.assert(
    fc.property(address, (about) => {
      expect(recordAddress(recordFileName(about))).toBe(about);
    }),
  );
});

test.for([
  ["there is, started when the record says", { exists: true, started: "123456", beforeBoot: false }, "123456", true],
  ["is gone", { exists: false, started: undefined, beforeBoot: false }, "123456", false],
  ["has its id used again by another", { exists: true, started: "999", beforeBoot: false }, "123456", false],
  ["was there before the machine started", { exists: true, started: "123456", beforeBoot: true }, "123456", false],
  [
    "was there before the start, with no token",
    { exists: true, started: undefined, beforeBoot: true },
    undefined,
    false,
  ],
  [
    "has a start time that can not be read now",
    { exists: true, started: undefined, beforeBoot: false },
    "123456",
    true,
  ],
  ["had a start time that could not be read", { exists: true, started: "123456", beforeBoot: false }, undefined, true],
  ["is gone, with no token", { exists: false, started: undefined, beforeBoot: false }, undefined, false],
] as const)("M-5, R-10: a session whose process %s", ([, facts, started, alive]) => {
  const { started: _, ...rest } = RECORD;
  expect(isAlive(started === undefined ? rest : { ...rest, started }, facts)).toBe(alive);
});
