import { expect, test } from "vitest";
import { waitingCycle } from "../../src/mail/waiting.ts";
import { findRunning } from "../../src/maildir/running.ts";
import { writeOriginalRecord } from "../support/original-form.ts";
import { startProgram } from "../support/program.ts";
import { useTempRoot } from "../support/temp-root.ts";
import type { AnnounceOrder } from "./programs/announce-then-look.ts";

const temp = useTempRoot();
const ROUNDS = 100;
const waitsOn = (address: string) => findRunning(temp.path, address)?.waitingOn;
const record = (address: string, waitingOn: string, pid = process.pid) =>
  writeOriginalRecord(temp.path, { address, cwd: "/", pid, waitingOn });

test("M-15: a circle of waiting sessions is seen in the records of other programs, and ends at one that died", () => {
  record("b", "c");
  record("c", "d");
  record("d", "a");
  expect(waitingCycle("a", "b", waitsOn)).toEqual(["a", "b", "c", "d"]);
  record("c", "d", 2 ** 31 - 2);
  expect(waitingCycle("a", "b", waitsOn)).toBeUndefined();
  record("c", "");
  expect(waitingCycle("a", "b", waitsOn)).toBeUndefined();
});

test("M-15: of sessions that announce their waits in a circle at the same moment, at least one sees it", {
  timeout: 60_000,
}, async () => {
  const members = ["a", "b", "c"];
  const programs = members.map((self, at) => {
    const order: AnnounceOrder = { root: temp.path, self, target: members[(at + 1) % members.length] ?? "" };
    return startProgram(new URL("./programs/announce-then-look.ts", import.meta.url), order);
  });
  const all = async (word: string): Promise<unknown[]> => {
    for (const program of programs) program.process.send(word);
    return Promise.all(programs.map((program) => program.heard()));
  };
  try {
    await Promise.all(programs.map((program) => program.heard()));
    for (let round = 0; round < ROUNDS; round += 1) {
      const circles = ((await all("go")) as string[][]).filter((circle) => circle.length > 0);
      expect(circles.length).toBeGreaterThan(0);
      for (const circle of circles) expect([...circle].sort()).toEqual(members);
      await all("clear");
    }
  } finally {
    for (const program of programs) program.process.kill("SIGKILL");
  }
});
