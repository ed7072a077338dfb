import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { boxNames, readEnvelopes } from "../support/mail-files.ts";
import { type Program, startProgram } from "../support/program.ts";
import { expectAnsweredOnce, expectNoHalves, idsOf, lettersOf, mailRootOf, timesShown } from "./accounts.ts";
import { live, PRELOAD } from "./kill-points.ts";
import type { CorrespondOrder } from "./programs/correspond.ts";
import { seeded } from "./seeded.ts";

/** How often a process is killed, over all worlds. */
const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 60);
const SEED = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const WORLDS = 3;
/** After so many kills of a world everybody lives on in peace for once, and all is looked at. */
const KILLS_A_LOOK = 10;
/** A life is killed within this many ms of its start. */
const LONGEST_LIFE_MS = 90;
const PEOPLE = ["a11ce000-0000-4000-8000-000000000001", "b0b00000-0000-4000-8000-000000000002"] as const;

test(`R-1: ${ROUNDS} kills at random moments of sessions that write to each other lose and double nothing`, {
  timeout: 120_000 + ROUNDS * 2_000,
}, async () => {
  const letters = await Promise.all(
    Array.from({ length: WORLDS }, (_, world) => killInWorld(Math.ceil(ROUNDS / WORLDS), SEED + world)),
  );
  // Otherwise the sessions had nothing to lose.
  expect(letters.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(ROUNDS / 2);
});

/** @returns how many letters were sent in the world */
async function killInWorld(rounds: number, seed: number): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "mailroom-kill-"));
  const random = seeded(seed);
  const start = (at: number): Program => {
    const [address = "", other = ""] = at === 0 ? PEOPLE : [PEOPLE[1], PEOPLE[0]];
    const order: CorrespondOrder = { home, address, other, saves: "before", seed: Math.floor(random() * 2 ** 30) };
    return startProgram(new URL("./programs/correspond.ts", import.meta.url), order, { execArgv: PRELOAD });
  };
  const running = [start(0), start(1)];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const at = random() < 0.5 ? 0 : 1;
      const program = running[at] as Program;
      await program.heard();
      await pause(random() * LONGEST_LIFE_MS);
      await kill(program);
      if ((round + 1) % KILLS_A_LOOK === 0) {
        await kill(running[1 - at] as Program);
        await liveInPeace(home);
        running[1 - at] = start(1 - at);
      }
      running[at] = start(at);
    }
    await Promise.all(running.map(kill));
    await liveInPeace(home);
    const sent = PEOPLE.map((address) => readEnvelopes(mailRootOf(home), address, "sent").length);
    rmSync(home, { recursive: true, force: true });
    return sent.reduce((sum, count) => sum + count, 0);
  } catch (cause) {
    throw new Error(`KILL_SEED=${SEED}: what is left lies in ${home}`, { cause });
  } finally {
    for (const program of running) program.process.kill("SIGKILL");
  }
}

async function kill(program: Program): Promise<void> {
  program.process.kill("SIGKILL");
  const { signal, stderr } = await program.ended;
  if (signal !== "SIGKILL" || stderr !== "") throw new Error(`a session ended by itself or ran into errors: ${stderr}`);
}

/** Everybody lives on without a kill. One life mends what is theirs; a second round brings the last answers. */
async function liveInPeace(home: string): Promise<void> {
  const [alice, bob] = PEOPLE;
  for (const [self, other] of [PEOPLE, [bob, alice], PEOPLE, [bob, alice]] as const) {
    await live({ home, address: self, saves: "before", acts: ["start", "work", "prompt"] });
    checkLife(home, self, other);
  }
  for (const [self, other] of [PEOPLE, [bob, alice]] as const) {
    const arrived = lettersOf(home, other).filter(({ kind }) => kind !== "reply");
    expect(idsOf(arrived)).toEqual(idsOf(readEnvelopes(mailRootOf(home), self, "sent")));
  }
}

/** What reached a session is in its conversation once, and answered once. */
function checkLife(home: string, self: string, other: string): void {
  expectNoHalves(home);
  expect(boxNames(mailRootOf(home), self, "new")).toEqual([]);
  const arrived = lettersOf(home, self);
  const wanted = arrived.filter(({ kind }) => kind === "request" || kind === "ask");
  expectAnsweredOnce(
    home,
    other,
    wanted.map(({ id }) => id),
  );
  const shown = timesShown(home, self);
  expect(arrived.map(({ id, kind }) => [kind, id, shown.get(id)])).toEqual(
    arrived.map(({ id, kind }) => [kind, id, 1]),
  );
}
