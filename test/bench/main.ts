import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { crowdFigures } from "./crowd.ts";
import { deliverFigures } from "./deliver.ts";
import type { Figure } from "./figure.ts";
import { killFigures } from "./kill-rounds.ts";
import { startFigures } from "./pi-start.ts";
import { table } from "./report.ts";
import { sendFigures } from "./send.ts";

const USAGE = `npm run bench [-- options]
  --json         the figures as JSON on stdout, progress on stderr
  --quick        a try of a few seconds; its numbers say nothing
  --only <part>  one part: send, deliver, crowd, start
  --kill         the rounds of SIGKILL alone, by the tests in test/kill`;

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    kill: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (options.help) console.log(USAGE);
else await bench();

async function bench(): Promise<void> {
  const { quick } = options;
  const parent = mkdtempSync(join(tmpdir(), "mailroom-bench-"));
  const parts: Record<string, () => Promise<Figure[]>> = {
    send: () => sendFigures(parent, quick ? { runs: 2, letters: 10 } : { runs: 11, letters: 150 }),
    deliver: () =>
      deliverFigures(
        parent,
        quick ? { sizes: [20], runs: 2, letters: 2 } : { sizes: [1_000, 10_000], runs: 9, letters: 20 },
      ),
    crowd: () =>
      crowdFigures(parent, quick ? { runs: 1, senders: 2, letters: 10 } : { runs: 7, senders: 16, letters: 500 }),
    start: () => startFigures({ pairs: quick ? 1 : 15 }),
  };
  const killing: [string, () => Promise<Figure[]>] = ["kill", () => killFigures(quick ? 20 : 1_000)];
  const chosen = options.kill ? [killing] : Object.entries(parts).filter(([name]) => (options.only ?? name) === name);
  if (chosen.length === 0) throw new Error(`There is no part "${options.only}".\n${USAGE}`);

  const results: Figure[] = [];
  try {
    for (const [name, measure] of chosen) {
      const startMs = performance.now();
      process.stderr.write(`${name} ... `);
      results.push(...(await measure()));
      process.stderr.write(`${((performance.now() - startMs) / 1000).toFixed(1)} s\n`);
    }
    console.log(options.json ? JSON.stringify({ results }) : table(results));
  } finally {
    // Only now: a file system that has just removed many files makes new ones slower for a while.
    if (!quick) process.stderr.write("removing the files; this takes a while\n");
    rmSync(parent, { recursive: true, force: true });
  }
}
