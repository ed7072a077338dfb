import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { envelopeNames, mailboxAt } from "../../src/maildir/mailbox.ts";
import { readEnvelope } from "../../src/maildir/read-envelope.ts";
import { startProgram } from "../support/program.ts";
import { useTempRoot } from "../support/temp-root.ts";
import type { SendOrder, SendReport } from "./programs/send-mail.ts";

const temp = useTempRoot();
const LETTERS = 400;

test("M-20: processes that send while others prune the receiver's mailbox lose nothing", {
  timeout: 120_000,
}, async () => {
  mkdirSync(temp.path);
  const program = (name: string, argument: unknown) =>
    startProgram(new URL(`./programs/${name}.ts`, import.meta.url), argument);
  const pruners = [program("prune-mailboxes", [temp.path]), program("prune-mailboxes", [temp.path])];
  await Promise.all(pruners.map((pruner) => pruner.heard()));
  const senders = ["a", "b"].map((from) => {
    const order: SendOrder = { root: temp.path, from, to: "closed", count: LETTERS, body: "hello", persists: true };
    return program("send-mail", order);
  });

  // The receiver's session comes and goes: it takes its mail away in between, so that the pruners have something to do.
  const arrived = new Set<string>();
  const takeAll = (): void => {
    const mailbox = mailboxAt(temp.path, "closed");
    for (const name of envelopeNames(mailbox, "new")) {
      const path = join(mailbox.path, "new", name);
      const reading = readEnvelope(path);
      if (reading.type !== "envelope") continue;
      rmSync(path, { force: true });
      arrived.add(reading.envelope.id);
    }
  };
  const reports: SendReport[] = [];
  for (const sender of senders) void sender.heard().then((report) => reports.push(report as SendReport));
  while (reports.length < senders.length) {
    takeAll();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  for (const pruner of pruners) pruner.process.send("stop");
  const pruned = (await Promise.all(pruners.map((pruner) => pruner.heard()))) as number[];
  await Promise.all([...pruners, ...senders].map((one) => one.ended));
  takeAll();
  await endPruning();
  takeAll();

  const sent = reports.flatMap(({ ids }) => ids);
  expect(sent).toHaveLength(2 * LETTERS);
  expect(sent.filter((id) => !arrived.has(id))).toEqual([]);
  // A send that failed because the folder went again and again left nothing that arrives after all.
  expect(arrived.size).toBe(2 * LETTERS);
  expect(Math.max(...pruned)).toBeGreaterThan(10);
  expect(readdirSync(temp.path).filter((name) => name.startsWith(".pruning."))).toEqual([]);
});

/** One more pruning by a process of its own, after everybody else has ended. */
async function endPruning(): Promise<void> {
  const last = startProgram(new URL("./programs/prune-mailboxes.ts", import.meta.url), [temp.path]);
  await last.heard();
  last.process.send("stop");
  await last.heard();
  await last.ended;
}
