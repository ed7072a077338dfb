import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { boxNames } from "../support/mail-files.ts";
import { originalEnvelope, writeOriginalEnvelope } from "../support/original-form.ts";
import { expectAnsweredOnce, expectNoHalves, mailRootOf, timesShown } from "./accounts.ts";
import { live } from "./kill-points.ts";
import type { Saves } from "./programs/saved-host.ts";
import type { Act } from "./programs/session.ts";

const LETTERS = ["r-1", "r-2", "a-1", "r-3", "m-1", "late", "reply"];
/** Bob's life after a kill. */
const AFTERWARDS: readonly Act[] = ["start", "work", "prompt"];

/** A world in which Bob gets everything that a session can get, while he is away. */
export function leaveMailForBob(home: string, settings: object = {}): void {
  const root = mailRootOf(home);
  const put = (id: string, from: string, kind: "request" | "ask" | "message" | "reply", inReplyTo: string[] = []) =>
    writeOriginalEnvelope(root, { id, from, to: "bob", kind, inReplyTo, body: `the text of ${id}` });
  writeOriginalEnvelope(root, { id: "bobs-request", from: "bob", to: "alice" });
  writeOriginalEnvelope(root, { id: "bobs-ask", from: "bob", to: "alice", kind: "ask" });
  put("r-1", "alice", "request");
  put("r-2", "alice", "request");
  put("a-1", "alice", "ask");
  put("r-3", "carol", "request");
  put("m-1", "carol", "message");
  put("reply", "alice", "reply", ["bobs-request"]);
  put("late", "alice", "reply", ["bobs-ask"]);
  writeFileSync(join(root, "bob", "new", "junk.json"), "no letter");
  writeFileSync(
    join(root, "bob", "new", "half.json"),
    originalEnvelope({ from: "alice", to: "bob" }).text.slice(0, 80),
  );
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "session-mail.json"), JSON.stringify(settings));
}

export function liveAsBob(home: string, saves: Saves, acts: readonly Act[], killAt?: number) {
  return live({ home, address: "bob", saves, acts, killAt });
}

/**
 * Bob lives on after a kill, at times killed once more while he recovers. One life mends everything: another one would
 * hide what it did not, and finds nothing left to do.
 */
export async function recoverBob(home: string, saves: Saves, random: () => number): Promise<void> {
  if (random() < 0.3) await liveAsBob(home, saves, AFTERWARDS, 1 + Math.floor(random() * 60));
  await liveAsBob(home, saves, AFTERWARDS);
  checkBobsMail(home, saves);
  if (random() < 0.3) await liveAsBob(home, saves, AFTERWARDS);
}

/** Nothing is lost, nothing half, everybody answered once, and no letter twice in the conversation. */
export function checkBobsMail(home: string, saves: Saves): void {
  expectNoHalves(home, ["bob"]);
  expectAnsweredOnce(home, "alice", ["r-1", "r-2", "a-1"]);
  expectAnsweredOnce(home, "carol", ["r-3"]);
  const root = mailRootOf(home);
  expect(boxNames(root, "bob", "new")).toEqual([]);
  // The two that are no letters are set aside there.
  expect(boxNames(root, "bob", "cur")).toHaveLength(LETTERS.length + 2);
  const shown = timesShown(home, "bob");
  if (saves === "before") expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(LETTERS.map((id) => [id, 1])));
  else expect([...shown.values()].every((times) => times === 1)).toBe(true);
}
