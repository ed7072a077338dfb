import { expect, test } from "vitest";
import { boxNames, readEnvelopes } from "../support/mail-files.ts";
import { writeOriginalRecord } from "../support/original-form.ts";
import { expectAnsweredOnce, expectNoHalves, idsOf, lettersOf, mailRootOf, timesShown } from "./accounts.ts";
import { killEverywhere, live } from "./kill-points.ts";
import type { Act } from "./programs/session.ts";

// Full ids: a receiver that does not run is reached by nothing else.
const ALICE = "a11ce000-0000-4000-8000-000000000001";
const BOB = "b0b00000-0000-4000-8000-000000000002";
const alice = (home: string, acts: readonly Act[], killAt?: number) =>
  live({ home, address: ALICE, saves: "before", acts, killAt });
const bob = (home: string) => live({ home, address: BOB, saves: "before", acts: ["start", "work", "prompt"] });

test("R-1, M-2: killed at any step of sending, a session has sent each letter whole, with its copy, or not at all", async () => {
  const outcomes = new Set<number>();
  const kills = await killEverywhere({
    // Asks go to running sessions only; this one takes its mail later.
    prepare: (home) => void writeOriginalRecord(mailRootOf(home), { address: BOB, cwd: home, pid: process.pid }),
    act: (home, killAt) => alice(home, ["start", ["request", BOB], ["message", BOB], ["ask", BOB]], killAt),
    async recover(home, random) {
      const lives = [() => alice(home, ["start", "work"]), () => bob(home)];
      // The receiver claims what there is before the sender lives again, or after.
      if (random() < 0.5) lives.reverse();
      for (const next of [...lives, () => alice(home, ["start", "work", "prompt"]), () => bob(home)]) await next();
    },
    check(home) {
      const root = mailRootOf(home);
      expectNoHalves(home);
      const sent = readEnvelopes(root, ALICE, "sent");
      expect(idsOf(lettersOf(home, BOB))).toEqual(idsOf(sent));
      const wanted = sent.filter(({ kind }) => kind !== "message");
      expectAnsweredOnce(
        home,
        ALICE,
        wanted.map(({ id }) => id),
      );
      expect(boxNames(root, BOB, "new")).toEqual([]);
      const replies = lettersOf(home, ALICE);
      expect(replies.every(({ kind }) => kind === "reply")).toBe(true);
      for (const [address, letters] of [
        [BOB, sent],
        [ALICE, replies],
      ] as const) {
        const shown = timesShown(home, address);
        expect(letters.map(({ id }) => [id, shown.get(id)])).toEqual(letters.map(({ id }) => [id, 1]));
      }
      outcomes.add(sent.length);
    },
  });
  expect(kills).toBeGreaterThan(30);
  // Kills fell before the first letter, between any two, and after the last.
  expect([...outcomes].sort()).toEqual([0, 1, 2, 3]);
});
