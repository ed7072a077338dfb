/** Reads every file of some folders, again and again until told to stop, and tells what was not a whole letter. */
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

export interface Sightings {
  readonly read: number;
  readonly halves: readonly string[];
}

const folders = JSON.parse(process.argv[2] ?? "[]") as string[];
let isOver = false;
process.once("message", () => {
  isOver = true;
});
// Whoever started it has ended without a word.
process.once("disconnect", () => process.exit());
process.send?.("ready");

const halves: string[] = [];
let read = 0;
while (!isOver) {
  for (const folder of folders) {
    // Only the newest are looked at: older ones do not change any more.
    for (const name of readdirSync(folder).sort().slice(-3)) {
      read += 1;
      const text = readFileSync(`${folder}/${name}`, "utf8");
      try {
        JSON.parse(text);
      } catch {
        halves.push(`${folder}/${name}: ${text.length} characters`);
      }
    }
  }
  await nextTurn();
}
process.send?.({ read, halves } satisfies Sightings, () => process.disconnect());
