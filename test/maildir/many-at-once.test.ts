import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureBoxes, mailboxAt } from "../../src/maildir/mailbox.ts";
import { readEnvelope } from "../../src/maildir/read-envelope.ts";
import { sendMail } from "../../src/maildir/send.ts";
import { startProgram } from "../support/program.ts";
import { postAt, useTempRoot } from "../support/temp-root.ts";
import type { ClaimReport } from "./programs/claim-mail.ts";
import type { SendOrder, SendReport } from "./programs/send-mail.ts";

const temp = useTempRoot();
const program = (name: string, argument: unknown) =>
  startProgram(new URL(`./programs/${name}.ts`, import.meta.url), argument);

test("R-2: 16 processes send 500 letters each to one inbox while its owner claims, and 8,000 arrive once each", {
  timeout: 180_000,
}, async () => {
  ensureBoxes(mailboxAt(temp.path, "owner"));
  const owner = program("claim-mail", [temp.path, "owner"]);
  await owner.heard();
  const senders = Array.from({ length: 16 }, (_, at) => {
    const order: SendOrder = { root: temp.path, from: `sender-${at}`, to: "owner", count: 500, body: `from ${at}` };
    return program("send-mail", order);
  });
  const reports = (await Promise.all(senders.map((sender) => sender.heard()))) as SendReport[];
  owner.process.send("stop");
  const claimed = (await owner.heard()) as ClaimReport;
  await Promise.all([owner, ...senders].map(({ ended }) => ended));

  expect(reports.filter(({ error }) => error !== undefined)).toEqual([]);
  const sent = reports.flatMap(({ ids }) => ids);
  expect(new Set(sent).size).toBe(8_000);
  expect(claimed.faults).toEqual([]);
  expect([...claimed.ids].sort()).toEqual([...sent].sort());
  const left = (box: string) => readdirSync(join(temp.path, "owner", box)).length;
  expect([left("tmp"), left("new"), left("cur")]).toEqual([0, 0, 8_000]);
  const copies = senders.map((_, at) => readdirSync(join(temp.path, `sender-${at}`, "sent")).length);
  expect(copies).toEqual(Array(16).fill(500));
});

test("R-2: of two processes with the same session id, each letter goes to one", { timeout: 120_000 }, async () => {
  const mailbox = mailboxAt(temp.path, "owner");
  ensureBoxes(mailbox);
  const claimers = [1, 2].map(() => program("claim-mail", [temp.path, "owner"]));
  await Promise.all(claimers.map((claimer) => claimer.heard()));
  const sent: string[] = [];
  for (let at = 0; at < 800; at += 1) {
    const outgoing = { from: "sender", to: "owner", kind: "reply", hops: 0, body: "" } as const;
    sent.push(sendMail(postAt(temp.path), outgoing).envelope.id);
  }
  for (const claimer of claimers) claimer.process.send("stop");
  const reports = (await Promise.all(claimers.map((claimer) => claimer.heard()))) as ClaimReport[];
  await Promise.all(claimers.map(({ ended }) => ended));

  // They did meet at letters: otherwise nothing is shown.
  expect(reports.reduce((sum, { missed }) => sum + missed, 0)).toBeGreaterThan(0);
  expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
  expect(reports.flatMap(({ ids }) => ids).sort()).toEqual([...sent].sort());
  const inCur = readdirSync(join(mailbox.path, "cur")).map((name) => readEnvelope(join(mailbox.path, "cur", name)));
  expect(new Set(inCur.map((reading) => reading.type === "envelope" && reading.envelope.id)).size).toBe(800);
});
