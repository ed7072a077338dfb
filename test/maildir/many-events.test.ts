import { mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { watchInbox } from "../../src/maildir/watch-inbox.ts";
import { waitFor } from "../support/wait-for.ts";

test("R-2: letters that arrive together are looked for once, not once each", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailroom-"));
  const calls: string[] = [];
  const inbox = watchInbox(folder, (cause) => calls.push(cause));
  for (let count = 0; count < 500; count += 1) writeFileSync(join(folder, `${count}.json`), "{}");
  await waitFor(() => calls.includes("event"), { what: "the first event" });
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(calls.filter((cause) => cause === "event").length).toBeLessThan(20);
  inbox.close();
  rmSync(folder, { recursive: true });
});

test("M-23: an event that came just before the watch was closed calls nobody", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailroom-"));
  const calls: string[] = [];
  const ending = watchInbox(folder, (cause) => calls.push(cause));
  let hasSeen = false;
  // Told of the same event after the first, and before that one calls.
  const other = watch(folder, () => {
    hasSeen = true;
    ending.close();
  });
  writeFileSync(join(folder, "letter.json"), "{}");
  await waitFor(() => hasSeen, { what: "the event" });
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  other.close();
  expect(calls).not.toContain("event");
  rmSync(folder, { recursive: true });
});
