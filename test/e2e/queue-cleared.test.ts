import { expect, test } from "vitest";
import { ABSENT, enterTool, leaveClaimed, timesShown } from "../support/absent-sender.ts";
import { repliesTo, replyTo } from "../support/letters.ts";
import { gate } from "../support/mock-model.ts";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import { makeWorld, type World } from "../support/world.ts";

const alone = { name: "alice", extensions: [PROBE_EXTENSION, PROJECT_EXTENSION] };

/** Starts a run whose text stands still until the run is stopped. @returns a mark taken before the run */
async function enterText(world: World, alice: Awaited<ReturnType<World["startReadyPi"]>>): Promise<number> {
  const from = alice.records.length;
  world.model.push("alice", { text: "half an answer", hold: gate().promise });
  await alice.prompt("say something long");
  await alice.waitFor((record) => record.type === "message_update", { what: "the first words", from });
  return from;
}

test("M-9: mail dropped from the queue of a run that then ends by itself is shown again, once, and answered", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const from = await enterTool(world, alice, { text: "the tool is done" }, { text: "42" });
  const request = await leaveClaimed(world, alice.id, { kind: "request", body: "how many?" });
  const message = await leaveClaimed(world, alice.id, { kind: "message", body: "by the way" });
  await alice.clearQueue();
  alice.releaseProbe();
  await alice.settled(from);

  expect(await replyTo(world, ABSENT, request)).toMatchObject({ status: "done" });
  await alice.run("and now?");
  const last = world.model.requestsOf("alice").at(-1);
  expect(timesShown(last, "how many?")).toBe(1);
  expect(timesShown(last, "by the way")).toBe(1);
  expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
  expect(repliesTo(world, ABSENT, message)).toHaveLength(0);
});

test("M-9: of mail that a stop drops, request and ask are answered failed once, a message is shown with the next prompt", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const from = await enterText(world, alice);
  const request = await leaveClaimed(world, alice.id, { kind: "request", body: "how many?" });
  const ask = await leaveClaimed(world, alice.id, { kind: "ask", body: "which one?" });
  await leaveClaimed(world, alice.id, { kind: "message", body: "by the way" });
  await alice.clearQueue();
  await alice.abort();
  await alice.settled(from);

  for (const id of [request, ask]) expect(await replyTo(world, ABSENT, id)).toMatchObject({ status: "failed" });
  const before = world.model.requests.length;
  await alice.run("and now?");
  expect(world.model.requests.length).toBe(before + 1);
  const last = world.model.requests.at(-1);
  expect(timesShown(last, "by the way")).toBe(1);
  expect(timesShown(last, "how many?")).toBe(0);
  expect(timesShown(last, "which one?")).toBe(0);
  for (const id of [request, ask]) expect(repliesTo(world, ABSENT, id)).toHaveLength(1);
});

test("M-9: mail that the queue keeps over a stop is shown once, with the next prompt, and its request is answered once", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const from = await enterText(world, alice);
  await leaveClaimed(world, alice.id, { kind: "message", body: "by the way" });
  const request = await leaveClaimed(world, alice.id, { kind: "request", body: "how many?" });
  await alice.abort();
  await alice.settled(from);
  expect(await replyTo(world, ABSENT, request)).toMatchObject({ status: "failed" });

  await alice.run("and now?");
  await alice.run("and then?");
  const last = world.model.requestsOf("alice").at(-1);
  expect(timesShown(last, "by the way")).toBe(1);
  expect(timesShown(last, "how many?")).toBe(1);
  expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
});

test("M-9, M-10: mail that reaches the conversation as a tool is stopped counts as read: its request is held, not failed", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const from = await enterTool(world, alice);
  const request = await leaveClaimed(world, alice.id, { kind: "request", body: "how many?" });
  await leaveClaimed(world, alice.id, { kind: "message", body: "by the way" });
  await alice.abort();
  await alice.settled(from);
  expect(repliesTo(world, ABSENT, request)).toHaveLength(0);

  world.model.push("alice", { text: "now it is 42" });
  await alice.run("go on");
  const last = world.model.requestsOf("alice").at(-1);
  expect(timesShown(last, "how many?")).toBe(1);
  expect(timesShown(last, "by the way")).toBe(1);
  const reply = await replyTo(world, ABSENT, request);
  expect(reply.status).toBe("done");
  expect(reply.body).toMatch(/^\(The user stopped an earlier run partway and took over;[\s\S]*now it is 42$/);
  expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
});
