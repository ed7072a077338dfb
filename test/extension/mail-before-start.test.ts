import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect } from "../../src/extension/index.ts";
import { FakeHost } from "../support/fake-host.ts";
import { originalEnvelope, writeOriginalEnvelope } from "../support/original-form.ts";
import { surroundingsIn } from "../support/surroundings-in.ts";
import { waitFor } from "../support/wait-for.ts";

let state: string;
let host: FakeHost;
const root = () => join(state, "pi-session-mail");

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "mailroom-"));
});

afterEach(async () => {
  await host.shutdown();
  rmSync(state, { recursive: true });
});

async function start(hasUI = true): Promise<void> {
  host = new FakeHost({ sessionId: "owner", cwd: state, hasUI });
  await host.load((pi) => connect(pi, surroundingsIn(state)));
  await host.sessionStart();
}

function inCur(): string {
  const { fileName, text } = originalEnvelope({ from: "friend", to: "owner", kind: "message" });
  const folder = join(root(), "owner", "cur");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, fileName), text);
  return join(folder, fileName);
}

function send(kind: "request" | "ask"): string {
  return writeOriginalEnvelope(root(), { from: "owner", to: "friend", kind, body: "how many?" }).id;
}

const answer = (id: string) =>
  writeOriginalEnvelope(root(), { from: "friend", to: "owner", kind: "reply", inReplyTo: [id], body: "42" });
const footer = () => host.statuses.get("mailbox");
const shown = () => waitFor(() => host.sent[0], { what: "the letter in the conversation" });

test("M-19: mail read before the session started counts, also when a letter waits at the start", async () => {
  for (let count = 0; count < 3; count += 1) inCur();
  send("request");
  writeOriginalEnvelope(root(), { from: "friend", to: "owner", kind: "message" });
  await start();
  await waitFor(() => footer() === "✉ 1 pending · 4 read · 1 awaiting", { what: "all the mail in the footer" });
});

test("M-19: a file that somebody removes just before a letter arrives is no longer counted", async () => {
  const removed = inCur();
  inCur();
  await start();
  await waitFor(() => footer() === "✉ 2 read", { what: "both files in the footer" });
  rmSync(removed);
  writeOriginalEnvelope(root(), { from: "friend", to: "owner", kind: "message" });
  host.events.emit("message:scan", {});
  await waitFor(() => footer() === "✉ 1 pending · 2 read", { what: "the footer without the removed file" });
});

test("M-8: a reply that waits at the start shows the request that an earlier life of the session sent", async () => {
  answer(send("request"));
  await start();
  expect((await shown()).message.content).toContain("> how many?");
});

test("M-7: the answer to an ask of an earlier life wakes the session, also without a UI", async () => {
  answer(send("ask"));
  await start(false);
  expect(await shown()).toMatchObject({
    options: { triggerTurn: true },
    message: { details: { note: "late answer" } },
  });
});
