import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { received, replyTo, typeRequest } from "../support/letters.ts";
import { writeOriginalEnvelope } from "../support/original-form.ts";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";

/** Two processes that run one session, with a log each. */
async function startTwice(world: World, id: string): Promise<[PiProcess, PiProcess]> {
  const start = (process: string) =>
    world.startReadyPi({
      name: "bob",
      id,
      model: process,
      extensions: [PROJECT_EXTENSION, PROBE_EXTENSION],
      env: { PROBE_LOG: join(world.root, "probe", `${process}.jsonl`) },
    });
  const first = await start("first");
  return [first, await start("second")];
}

/** Ids of the letters that came into the conversation of one process. */
function lettersRead(pi: PiProcess): string[] {
  const lines = pi.probeLog().filter((line) => line.event === "message_end" && line["customType"] === "mailbox");
  return lines.map((line) => String(line["id"]));
}

function recordsOf(world: World, id: string): number[] {
  return world.running().flatMap(({ address, pid }) => (address === id ? [pid] : []));
}

test("R-2: two processes that run one session never show or answer a letter twice, and the second says so", async () => {
  await using world = await makeWorld();
  const id = randomUUID();
  const [alice, [first, second]] = await Promise.all([world.startReadyPi({ name: "alice" }), startTwice(world, id)]);
  await waitFor(() => second.notifications().some(({ message }) => /Another process runs this session/.test(message)), {
    what: "the second process to say that it is the second",
  });
  expect(first.notifications()).toEqual([]);

  const ids = Array.from(
    { length: 60 },
    (_, at) => writeOriginalEnvelope(world.mailRoot, { from: alice.id, to: id, body: `request ${at}` }).id,
  );
  await Promise.all(ids.map((request) => replyTo(world, alice.id, request)));
  const shown = [...lettersRead(first), ...lettersRead(second)];
  expect([...shown].sort()).toEqual([...ids].sort());
  const answered = received(world, alice.id).flatMap(({ in_reply_to }) => in_reply_to);
  expect([...answered].sort()).toEqual([...ids].sort());
  expect(world.mailbox(id).names("new")).toEqual([]);

  // When one ends, the other still serves the address, and is found under it.
  await second.stop();
  await waitFor(() => recordsOf(world, id).includes(first.pid), { what: "the record of the process that stays" });
  const last = await typeRequest(world, alice, "bob", "still there?");
  expect(await replyTo(world, alice.id, last)).toMatchObject({ status: "done", body: "ok(first)" });
  expect(lettersRead(first)).toContain(last);
  await first.stop();
  expect(recordsOf(world, id)).toEqual([]);
  expect(received(world, alice.id).filter(({ status }) => status !== "done")).toEqual([]);
});

test("R-2: a second process takes up no debt of the first, and the first answers it after the second was killed", async () => {
  await using world = await makeWorld();
  const id = randomUUID();
  const alice = await world.startReadyPi({ name: "alice" });
  const options = { name: "bob", id };
  const first = await world.startReadyPi({ ...options, model: "first" });
  let answer = () => {};
  const working = new Promise<void>((resolve) => {
    answer = resolve;
  });
  world.model.push("first", { gate: working, text: "from the first" });
  const from = first.records.length;
  const request = await typeRequest(world, alice, "bob", "take your time");
  await waitFor(() => world.model.requestsOf("first").length === 1, { what: "the first process to work" });

  const second = await world.startReadyPi({ ...options, model: "second" });
  await second.run("anything to do?");
  await second.kill("SIGKILL");
  expect(received(world, alice.id)).toEqual([]);
  answer();
  await first.settled(from);
  expect(await replyTo(world, alice.id, request)).toMatchObject({ status: "done", body: "from the first" });
  expect(received(world, alice.id)).toHaveLength(1);
  expect(world.model.requestsOf("second")).toHaveLength(1);
});
