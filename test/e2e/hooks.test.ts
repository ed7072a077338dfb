import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { received, replyTo, shownLetters, shownText, typeRequest, userTexts } from "../support/letters.ts";
import type { EnvelopeJson } from "../support/mail-files.ts";
import { gate } from "../support/mock-model.ts";
import { originalEnvelope } from "../support/original-form.ts";
import { PROJECT_EXTENSION } from "../support/pi-command.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

const DELEGATE = fileURLToPath(new URL("../support/delegate-extension.ts", import.meta.url));
const oursFirst = [PROJECT_EXTENSION, DELEGATE];
const oursLast = [DELEGATE, PROJECT_EXTENSION];

interface Inbound {
  envelope: EnvelopeJson;
  path: string;
  requests: { envelope: EnvelopeJson; path: string }[];
  handled: boolean;
}

/** What the neighbour notified under a word, parsed, oldest first. */
function told<T>(pi: PiProcess, word: string): T[] {
  return pi
    .notifications()
    .filter(({ message }) => message.startsWith(`${word} `))
    .map(({ message }) => JSON.parse(message.slice(word.length + 1)) as T);
}

/** Sends through the neighbour's command. @returns what `message:send` left in its payload. */
async function delegate(pi: PiProcess, to: string, text: string): Promise<{ envelope?: EnvelopeJson; error?: string }> {
  const from = pi.notifications().length;
  await pi.prompt(`/delegate ${to} ${text}`);
  const line = pi
    .notifications()
    .slice(from)
    .find(({ message }) => message.startsWith("sent "));
  return JSON.parse(line?.message.slice(5) ?? "{}") as { envelope?: EnvelopeJson; error?: string };
}

test.for([
  ["before", oursLast],
  ["after", oursFirst],
] as const)(
  "M-18: a neighbour loaded %s ours sends requests and takes over their replies, with the copies of what they answer",
  async ([, extensions]) => {
    await using world = await makeWorld();
    const [alice, bob] = await Promise.all([
      world.startReadyPi({ name: "alice", extensions }),
      world.startReadyPi({ name: "bob" }),
    ]);
    world.model.push("bob", { text: "the tests pass" });
    const from = alice.records.length;
    const { envelope, error } = await delegate(alice, bob.id, "run the tests");
    expect(error).toBeUndefined();
    expect(world.envelopes(alice.id, "sent")).toEqual([envelope]);
    expect(envelope).toMatchObject({
      from: alice.id,
      to: bob.id,
      kind: "request",
      hops: 0,
      in_reply_to: [],
      status: "",
    });

    await alice.settled(from);
    const [reply] = received(world, alice.id);
    const copy = join(world.mailbox(alice.id).path, "sent", world.mailbox(alice.id).names("sent")[0] ?? "");
    const path = join(world.mailbox(alice.id).path, "cur", world.mailbox(alice.id).names("cur")[0] ?? "");
    expect(told<Inbound>(alice, "inbound")).toEqual([
      { envelope: reply, path, requests: [{ envelope, path: copy }], handled: false },
    ]);
    // Taken over: shown once, by the neighbour, with a turn, and not by us.
    expect(userTexts(world.model.requestsOf("alice")[0])).toEqual(["delegate has the tests pass for run the tests"]);
    expect(await shownLetters(alice)).toEqual([]);
    await waitFor(() => alice.status("mailbox")?.endsWith("1 read"), { what: "nothing to be awaited any more" });

    // What the neighbour leaves alone is ours as ever.
    const typed = await typeRequest(world, alice, "bob", "and you?");
    const quiet = await replyTo(world, alice.id, typed);
    expect(await shownText(alice, quiet.id)).toContain("> and you?");
    expect(world.model.requestsOf("alice")).toHaveLength(1);
  },
);

test("M-18: a request that a neighbour takes over still gets its answer from the run", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([
    world.startReadyPi({ name: "alice" }),
    world.startReadyPi({ name: "bob", extensions: oursFirst }),
  ]);
  world.model.push("bob", { text: "task done" });
  const request = await typeRequest(world, alice, "bob", "task: sweep");
  expect(await replyTo(world, alice.id, request)).toMatchObject({ status: "done", body: "task done", hops: 1 });
  expect(await shownLetters(bob)).toEqual([]);
  expect(userTexts(world.model.requestsOf("bob")[0])).toEqual(["delegate has task: sweep for "]);
  const steps = world.receipts(bob.id).map(({ step }) => step);
  expect(steps).toEqual(["claimed", "read", "answered"]);
});

test("M-16, M-18: what a neighbour sends carries the run's hops during a run and 0 while idle, and is never refused", async () => {
  await using world = await makeWorld();
  world.writeSettings({ hopLimit: 1 });
  const [alice, bob] = await Promise.all([
    world.startReadyPi({ name: "alice" }),
    world.startReadyPi({ name: "bob", extensions: oursFirst }),
  ]);
  const working = gate();
  world.model.push("bob", { tool: { name: "delegate", args: { to: alice.id, body: "from the run" } } });
  world.model.push("bob", { gate: working.promise, text: "done" });
  const from = bob.records.length;
  await typeRequest(world, alice, "bob", "delegate something");
  await waitFor(() => world.model.requestsOf("bob").length === 2, { what: "bob's run to go on" });
  expect((await delegate(bob, alice.id, "from a command in the run")).envelope?.hops).toBe(1);
  working.open();
  await bob.settled(from);
  expect((await delegate(bob, alice.id, "from an idle session")).envelope?.hops).toBe(0);
  const hops = world.envelopes(bob.id, "sent").map((letter) => [letter.body, letter.hops]);
  expect(hops).toEqual([
    ["from the run", 1],
    ["from a command in the run", 1],
    ["from an idle session", 0],
  ]);

  for (const [to, text, why] of [
    ["bob", "", /body/],
    ["../elsewhere", "x", /address/],
    [bob.id, "x", /this session/],
  ] as const) {
    const refused = await delegate(bob, to, text);
    expect(refused.envelope).toBeUndefined();
    expect(refused.error).toMatch(why);
  }
  expect(world.envelopes(bob.id, "sent")).toHaveLength(3);
});

test("M-18: message:scan claims and delivers what waits before emit returns", async () => {
  await using world = await makeWorld();
  const bob = await world.startReadyPi({ name: "bob", extensions: oursLast });
  const outside = join(world.root, "ready");
  mkdirSync(outside);
  for (const round of [1, 2, 3]) {
    const letter = originalEnvelope({ from: "someone-else", to: bob.id, kind: "message", body: `round ${round}` });
    const ready = join(outside, letter.fileName);
    writeFileSync(ready, letter.text);
    const from = bob.records.length;
    await bob.prompt(`/delegate-scan ${ready} ${join(world.mailbox(bob.id).path, "new", letter.fileName)}`);
    const scans = told<{ scanned?: boolean; heard: string[] }>(bob, "scanned");
    expect(scans.at(-1)).toEqual({ scanned: true, heard: [letter.id] });
    await bob.settled(from);
    expect((await shownLetters(bob)).map(({ id }) => id).filter((id) => id === letter.id)).toHaveLength(1);
  }
});
