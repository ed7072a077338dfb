import { fileURLToPath } from "node:url";
import { PROJECT_EXTENSION } from "../support/pi-command.ts";
import { makeWorld, type World } from "../support/world.ts";
import { type Figure, plainFigure } from "./figure.ts";

const EMPTY_EXTENSION = fileURLToPath(new URL("empty-extension.ts", import.meta.url));

/** What the extension adds to Pi's start: real Pi, from spawn to its first answer, against an empty extension. */
export async function startFigures({ pairs }: { pairs: number }): Promise<Figure[]> {
  await using world = await makeWorld();
  await startTime(world, EMPTY_EXTENSION);
  await startTime(world, PROJECT_EXTENSION);
  const empty: number[] = [];
  const ours: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const both = [
      async () => empty.push(await startTime(world, EMPTY_EXTENSION)),
      async () => ours.push(await startTime(world, PROJECT_EXTENSION)),
    ];
    for (const start of pair % 2 === 0 ? both : both.reverse()) await start();
  }
  const differences = ours.map((time, pair) => time - (empty[pair] ?? Number.NaN));
  return [
    plainFigure({ name: "Pi's start with it, over an empty one", unit: "ms", runs: differences, goal: 60 }),
    plainFigure({ name: "Pi's start with an empty extension", unit: "ms", runs: empty }),
  ];
}

async function startTime(world: World, extension: string): Promise<number> {
  const startMs = performance.now();
  const pi = world.startPi({ extensions: [extension] });
  await pi.ready();
  const took = performance.now() - startMs;
  await pi.stop();
  return took;
}
