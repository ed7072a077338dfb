/** Prunes a mail root again and again until told to stop, and tells how often a mailbox went. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { pruneFolders } from "../../../src/maildir/prune-folders.ts";

const [root = ""] = JSON.parse(process.argv[2] ?? "[]") as string[];
let isOver = false;
process.once("message", () => {
  isOver = true;
});
// Whoever started it has ended without a word.
process.once("disconnect", () => process.exit());
process.send?.("ready");

let pruned = 0;
const prune = (): void => {
  const gone = pruneFolders({ root, self: "pruner", nowMs: Date.now(), olderThanDays: undefined, uuid: randomUUID });
  pruned += gone.length;
};
while (!isOver) {
  prune();
  await pause(1);
}
// What was moved aside while the last letters came is looked at once more.
prune();
process.send?.(pruned, () => process.disconnect());
