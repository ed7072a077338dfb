import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "../support/program.ts";
import type { SessionOrder, SessionReport } from "./programs/session.ts";
import { seeded } from "./seeded.ts";

/** What a program has to be started with that loads the extension. */
export const PRELOAD = ["--import", new URL("./programs/without-pi.ts", import.meta.url).href];
/** Worlds that are killed side by side. */
const AT_ONCE = 3;

/** Lives a session in a process of its own. @returns undefined when it was killed, as the order may say */
export async function live(order: SessionOrder): Promise<SessionReport | undefined> {
  const program = startProgram(new URL("./programs/session.ts", import.meta.url), order, { execArgv: PRELOAD });
  const report = program.heard().catch(() => undefined) as Promise<SessionReport | undefined>;
  const { code, signal, stdout, stderr } = await program.ended;
  if (signal === "SIGKILL") return undefined;
  const told = await report;
  if (code !== 0 || told === undefined) throw new Error(`a session ended with ${code ?? signal}:\n${stdout}${stderr}`);
  if (told.errors.length > 0) throw new Error(`a session ran into errors: ${told.errors.join("; ")}`);
  return told;
}

export interface Killing {
  /** Makes the world before the session that is killed. @param home the folder of the world */
  prepare(home: string): void;
  /** Lives the session; it is killed before this change of the disk. @returns what `live` returns */
  act(home: string, killAt: number | undefined): Promise<{ readonly steps: number } | undefined>;
  /** Lives on after the kill, to the end of everything. @param random from 0 to 1, the same for each kill point */
  recover(home: string, random: () => number): Promise<void>;
  /** Looks whether all is well. @throws an assertion error when it is not */
  check(home: string): void;
}

/**
 * Has a session killed just before each of its changes of the disk, and just after the last, each time in a world of its
 * own that then lives on. @returns how many kill points there were
 */
export async function killEverywhere(killing: Killing): Promise<number> {
  const unkilled = await inWorld(killing, undefined);
  const points = unkilled?.steps ?? 0;
  let killed = 0;
  let next = 1;
  const work = async (): Promise<void> => {
    while (next <= points) {
      const killAt = next;
      next += 1;
      if ((await inWorld(killing, killAt)) === undefined) killed += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return killed;
}

async function inWorld(killing: Killing, killAt: number | undefined): Promise<{ readonly steps: number } | undefined> {
  const home = mkdtempSync(join(tmpdir(), "mailroom-kill-"));
  try {
    killing.prepare(home);
    const report = await killing.act(home, killAt);
    await killing.recover(home, seeded(killAt ?? 0));
    killing.check(home);
    rmSync(home, { recursive: true, force: true });
    return report;
  } catch (cause) {
    throw new Error(`killed before change ${killAt ?? "(never)"} of the disk; what is left lies in ${home}`, { cause });
  }
}
