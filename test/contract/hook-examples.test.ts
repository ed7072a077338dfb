import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEventBus } from "@mariozechner/pi-coding-agent";
import { afterEach, expect, test } from "vitest";
import { connect } from "../../src/extension/index.ts";
import { makeFakeHost } from "../support/fake-host.ts";
import { readEnvelopes } from "../support/mail-files.ts";
import { writeOriginalEnvelope } from "../support/original-form.ts";
import { surroundingsIn } from "../support/surroundings-in.ts";

const SELF = "11111111-1111-4111-8111-111111111111";
const PEER = "22222222-2222-4222-8222-222222222222";

const examples = new Map(
  [...readFileSync("docs/hooks.md", "utf8").matchAll(/```js ([\w-]+)\n([\s\S]*?)```/g)].map(([, name, code]) => [
    name ?? "",
    code ?? "",
  ]),
);
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("M-18: docs/hooks.md has an example for each hook", () => {
  expect([...examples.keys()]).toEqual(["send-a-request", "take-over-replies", "scan-the-inbox"]);
});

test("M-18: the example of message:send sends a request", async () => {
  const { root, run } = await openSession();
  run("send-a-request", {});
  expect(readEnvelopes(root, PEER, "new")).toMatchObject([
    { from: SELF, kind: "request", body: "Which tests fail on main?" },
  ]);
});

test("M-18: the example of message:inbound takes over the reply to its request", async () => {
  const { host, root, run } = await openSession();
  const payload: { to: string; body: string; envelope?: { id: string } } = { to: PEER, body: "How many?" };
  host.pi.events.emit("message:send", payload);
  run("take-over-replies", { asked: payload.envelope });
  reply(root, [payload.envelope?.id ?? ""], "seven");
  host.pi.events.emit("message:scan", {});
  expect(host.sent.map(({ message }) => [message.customType, message.content])).toEqual([
    ["my-extension", "How many? seven"],
  ]);
});

test("M-18: the example of message:scan finds the reply that waits", async () => {
  const { root, run } = await openSession();
  reply(root, ["an-older-request"], "done");
  run("scan-the-inbox", {});
});

async function openSession() {
  const state = mkdtempSync(join(tmpdir(), "mailroom-hooks-"));
  folders.push(state);
  const host = makeFakeHost({ sessionId: SELF, cwd: "/work" });
  await host.load((pi) => connect(pi, surroundingsIn(state)));
  await host.sessionStart();
  const root = join(state, "pi-session-mail");
  // The first scan comes after session_start; what is planted before would be taken by it.
  await new Promise((resolve) => setImmediate(resolve));
  const run = (name: string, scope: Record<string, unknown>): void => {
    const names = ["pi", "peer", "nobody", "assert", ...Object.keys(scope)];
    const values = [host.pi, PEER, createEventBus(), assert, ...Object.values(scope)];
    new Function(...names, examples.get(name) ?? "throw new Error('no such example')")(...values);
  };
  expect(host.errors).toEqual([]);
  return { host, root, run };
}

function reply(root: string, inReplyTo: string[], body: string): void {
  writeOriginalEnvelope(root, { from: PEER, to: SELF, kind: "reply", inReplyTo, status: "done", body });
}
