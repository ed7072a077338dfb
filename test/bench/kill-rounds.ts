import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { countFigure, type Figure } from "./figure.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const VITEST = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));

/** Sessions killed so often, at every step and at random moments: the tests of `test/kill` do it, and say what is lost. */
export async function killFigures(rounds: number): Promise<Figure[]> {
  const child = spawn(process.execPath, [VITEST, "run", "--project", "kill"], {
    cwd: PROJECT,
    env: { ...process.env, KILL_ROUNDS: String(rounds) },
    stdio: ["ignore", process.stderr, process.stderr],
  });
  const [code] = await once(child, "exit");
  const survived = code === 0 ? rounds : 0;
  return [countFigure({ name: `SIGKILL x ${rounds}, nothing lost`, unit: "kills", runs: [survived], goal: rounds })];
}
