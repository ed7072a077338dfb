import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FromChild, ToChild } from "../support/asking-child.ts";
import { readRunning } from "../support/mail-files.ts";

const CHILD = fileURLToPath(new URL("../support/asking-child.ts", import.meta.url));
const ADDRESSES = ["aaaaaaaa-low", "bbbbbbbb-middle", "cccccccc-high"];

let state: string;
let children: ChildProcess[];

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "crossing-"));
  children = [];
});

afterEach(async () => {
  await Promise.all(
    children.map((child) => {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.disconnect();
      return gone;
    }),
  );
  rmSync(state, { recursive: true });
});

/** What a child says next. */
function said(child: ChildProcess): Promise<FromChild> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null) => reject(new Error(`a child ended with ${code}`));
    child.once("exit", fail);
    child.once("message", (message) => {
      child.off("exit", fail);
      resolve(message as FromChild);
    });
  });
}

async function tell(child: ChildProcess, message: ToChild): Promise<FromChild> {
  const answer = said(child);
  child.send(message);
  return await answer;
}

async function start(addresses: readonly string[]): Promise<void> {
  children = addresses.map((address) => fork(CHILD, [address, state]));
  await Promise.all(children.map(said));
}

/** Each session asks the next one, at the same moment but for the given ms. @returns the refusals, "" for an ask that waits */
async function cross(addresses: readonly string[], offsets: readonly number[]): Promise<string[]> {
  const atMs = Date.now() + 30;
  const outcomes = await Promise.all(
    children.map((child, at) => {
      const next = addresses[(at + 1) % addresses.length] ?? "";
      return tell(child, { ask: next, atMs: atMs + (offsets[at] ?? 0) });
    }),
  );
  const waiting = readRunning(join(state, "pi-session-mail")).filter(({ waitingOn }) => waitingOn !== "");
  const refusals = outcomes.map((outcome) => ("refused" in outcome ? outcome.refused : "no outcome"));
  expect(waiting).toHaveLength(refusals.filter((refusal) => refusal === "").length);
  await Promise.all(children.map((child) => tell(child, { end: true })));
  return refusals;
}

test("M-15: of two sessions that ask each other at the same moment, exactly one is refused, round after round", async () => {
  const pair = [ADDRESSES[0] ?? "", ADDRESSES[2] ?? ""];
  await start(pair);
  const refusedBy = [0, 0];
  const offsets = [0, 0, 1, -1, 2, -2, 0, 20, -20];
  for (let round = 0; round < 60; round += 1) {
    const refusals = await cross(pair, [0, offsets[round % offsets.length] ?? 0]);
    const refused = refusals.map((refusal) => refusal !== "");
    expect(refused.filter(Boolean), `round ${round}: ${JSON.stringify(refusals)}`).toHaveLength(1);
    expect(refusals.join("")).toMatch(/circle/);
    refusedBy[refused.indexOf(true)] = (refusedBy[refused.indexOf(true)] ?? 0) + 1;
  }
  // Whoever is first waits: both must have been it, or the rounds did not cross.
  expect(Math.min(...refusedBy)).toBeGreaterThan(0);
});

test("M-15: of three sessions that ask each other in a circle at the same moment, some wait and some are refused", async () => {
  await start(ADDRESSES);
  for (let round = 0; round < 24; round += 1) {
    const refusals = await cross(ADDRESSES, [0, 0, round % 3]);
    const refused = refusals.filter((refusal) => refusal !== "");
    expect([1, 2], `round ${round}: ${JSON.stringify(refusals)}`).toContain(refused.length);
    for (const refusal of refused) expect(refusal).toMatch(/circle/);
  }
});
