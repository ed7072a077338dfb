import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MailHome, STRANGER } from "../support/mail-host.ts";

test("M-12, R-2: a process that came too late for a letter leaves its receipt behind, and the letter is found after a crash all the same", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id, fileName } = host.arrive({ from: STRANGER, body: "hello" });
  // The other process read the letter in new/, found its name taken in cur/ by the first one's claim, noted the next
  // free name, and then had nothing left to rename.
  const name = fileName.replace(/\.json$/, ".2.json");
  const late = { ts: "", id, step: "claimed", name, from: STRANGER, kind: "request", hops: 0 };
  appendFileSync(join(home.mailRoot, host.address, "receipts.jsonl"), `${JSON.stringify(late)}\n`);
  host.crash();

  const again = await home.open({ id: host.address, entries: [] });
  expect(again.shownIds()).toEqual([id]);
  await again.run("answer");
  expect(home.inbox(STRANGER)).toMatchObject([{ in_reply_to: [id], status: "done" }]);
});
