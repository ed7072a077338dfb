import { expect, test } from "vitest";
import { received, toolOutcome, typeRequest } from "../support/letters.ts";
import { ask, send } from "../support/mail-steps.ts";
import { gate, type Step } from "../support/mock-model.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";

/** A model that answers everything it is told with mail to the other, and its tools' results with a word. */
function pingPong(world: World, own: string, other: string, turns: number): void {
  const step: Step = (request) =>
    request.messages.at(-1)?.role === "user" ? send(other, `from ${own}`) : { text: "sent what could be sent" };
  world.model.push(own, ...Array.from({ length: turns }, () => step));
}

function hopsReceived(world: World, pi: PiProcess): number[] {
  return received(world, pi.id).map(({ hops }) => hops);
}

function refusals(pi: PiProcess): string[] {
  const ends = pi.records.filter((one) => one.type === "tool_execution_end" && one["isError"] === true);
  return ends.map((one) => JSON.stringify(one["result"]));
}

async function bothIdle(world: World, done: () => boolean): Promise<void> {
  await waitFor(() => done() && world.running().every(({ state }) => state === "idle"), { what: "the chain to end" });
}

test("M-16: two models that write to each other stop at the hop limit, and a typed prompt starts again at 0", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  pingPong(world, "alice", "bob", 40);
  pingPong(world, "bob", "alice", 40);
  await alice.prompt("write to bob");
  await bothIdle(world, () => refusals(bob).length === 1);
  expect(hopsReceived(world, bob)).toEqual([0, 2, 4]);
  expect(hopsReceived(world, alice)).toEqual([1, 3]);
  expect(refusals(alice)).toEqual([]);
  expect(refusals(bob)[0]).toMatch(/5.*hop limit.*person types.*starts again/);

  await bob.prompt("write to alice");
  await bothIdle(world, () => refusals(alice).length === 1);
  expect(hopsReceived(world, alice).slice(2)).toEqual([0, 2, 4]);
  expect(hopsReceived(world, bob).slice(3)).toEqual([1, 3]);
});

test("M-16, M-21: the limit is read at each send, holds for asks too, and never for answers and typed requests", async () => {
  await using world = await makeWorld();
  world.writeSettings({ hopLimit: 1 });
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  world.model.push("bob", ask("alice", "may I?"), { text: "I may not ask" });
  let from = bob.records.length;
  await typeRequest(world, alice, "bob", "ask me something");
  await bob.settled(from);
  const refused = await toolOutcome(bob, "session_mail_ask", from);
  expect(refused.isError).toBe(true);
  expect(refused.text).toMatch(/hop limit is 1/);
  expect(received(world, alice.id)).toEqual([
    expect.objectContaining({ kind: "reply", hops: 1, body: "I may not ask" }),
  ]);

  world.writeSettings({ hopLimit: 2 });
  world.model.push("bob", ask("alice", "may I now?"), { text: "I may" });
  world.model.push("alice", { text: "you may" });
  from = bob.records.length;
  await typeRequest(world, alice, "bob", "again");
  await bob.settled(from);
  expect((await toolOutcome(bob, "session_mail_ask", from)).text).toContain("you may");
  expect(world.envelopes(bob.id, "sent")).toEqual([expect.objectContaining({ kind: "ask", hops: 1 })]);
});

test("M-16: a person who steers a run that mail started takes the chain over, and so does a request typed during it", async () => {
  await using world = await makeWorld();
  world.writeSettings({ hopLimit: 1 });
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  const writing = gate();
  world.model.push("bob", { gate: writing.promise, text: "answering" }, send("alice", "from the person"));
  const from = bob.records.length;
  await typeRequest(world, alice, "bob", "work on this");
  await waitFor(() => world.model.requestsOf("bob").length === 1, { what: "bob's model to work" });
  await typeRequest(world, bob, "alice", "typed in between");
  await bob.prompt("tell alice from me", "steer");
  writing.open();
  await bob.settled(from);
  const hopsOf = (kind: string) => received(world, alice.id).filter((letter) => letter.kind === kind)[0]?.hops;
  expect(hopsOf("request")).toBe(0);
  expect(hopsOf("message")).toBe(0);
  expect(refusals(bob)).toEqual([]);
});
