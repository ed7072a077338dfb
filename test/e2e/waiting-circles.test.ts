import { expect, test } from "vitest";
import { received, toolOutcome } from "../support/letters.ts";
import { ask } from "../support/mail-steps.ts";
import { gate } from "../support/mock-model.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";

/** Waits until a session's record says whom it waits on. */
async function waitsOn(world: World, asker: string, asked: string): Promise<void> {
  await waitFor(() => world.running().some(({ address, waitingOn }) => address === asker && waitingOn === asked), {
    what: `${asker} to wait on ${asked}`,
  });
}

test("M-15, R-11: the ask that would close a circle of three is refused, naming the circle, and the others are answered", async () => {
  await using world = await makeWorld();
  const names = ["alice", "bob", "carol"] as const;
  const [alice, bob, carol] = await Promise.all([
    world.startReadyPi({ name: names[0] }),
    world.startReadyPi({ name: names[1] }),
    world.startReadyPi({ name: names[2] }),
  ]);
  world.model.push("alice", ask("bob", "a?"), { text: "alice is done" });
  world.model.push("bob", ask("carol", "b?"), { text: "bob says 2" });
  world.model.push("carol", ask("alice", "c?"), { text: "carol says 3" });
  const from = [alice, bob, carol].map((pi) => pi.records.length);
  await alice.prompt("ask round");
  await Promise.all([alice, bob, carol].map((pi, at) => pi.settled(from[at] ?? 0)));

  const refused = await toolOutcome(carol, "session_mail_ask", 0);
  expect(refused.isError).toBe(true);
  const circle = [carol, alice, bob, carol].map((pi) => `${pi.setup.name} (${pi.id})`);
  expect(refused.text).toContain(circle.join(" waits for "));
  expect(received(world, alice.id).filter(({ kind }) => kind === "ask")).toEqual([]);
  expect(world.envelopes(carol.id, "sent")).toEqual([]);
  expect((await toolOutcome(bob, "session_mail_ask", 0)).text).toContain("carol says 3");
  expect((await toolOutcome(alice, "session_mail_ask", 0)).text).toContain("bob says 2");
  expect(world.running().map(({ waitingOn }) => waitingOn)).toEqual(["", "", ""]);
});

test("M-15: of two asks that cross exactly one is refused, and the other is answered", async () => {
  await using world = await makeWorld();
  const pis = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  const [alice, bob] = pis;
  for (let round = 1; round <= 8; round += 1) {
    const both = gate();
    for (const [own, other] of [
      ["alice", "bob"],
      ["bob", "alice"],
    ] as const) {
      // The run that is refused then has the other's ask to answer: with its own end, or in a run of its own.
      world.model.push(own, async () => {
        await both.promise;
        return { tool: { name: "session_mail_ask", args: { to: other, message: `round ${round}?` } } };
      });
    }
    const from = pis.map((pi) => pi.records.length);
    const before = world.model.requests.length;
    await Promise.all(pis.map((pi) => pi.prompt(`round ${round}`)));
    await waitFor(() => world.model.requests.length === before + 2, { what: "both models to be asked" });
    both.open();
    const outcomes = await Promise.all(pis.map((pi, at) => toolOutcome(pi, "session_mail_ask", from[at] ?? 0)));
    await waitFor(() => world.running().every(({ state }) => state === "idle"), { what: "both to be idle" });
    const [first, second] = outcomes;
    const [refused, answered] = first?.isError ? [first, second] : [second, first];
    expect(refused?.isError).toBe(true);
    expect(refused?.text).toMatch(/waits for/);
    expect(answered?.isError).toBe(false);
    expect(answered?.text).toMatch(/ok\((alice|bob)\)/);
    const asks = [alice, bob].flatMap(({ id }) => world.envelopes(id, "sent"));
    expect(asks.filter(({ body }) => body === `round ${round}?`)).toHaveLength(1);
  }
});

test("M-14: an ask is refused while another one waits, and to a session that does not run, itself or nobody", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  const closed = "0199a000-1111-7222-8333-444455556666";
  const call = (to: string) => ({ name: "session_mail_ask", args: { to, message: "well?" } });
  world.model.push("alice", {
    tools: [call(closed), call(alice.id), call("nobody"), call("  "), call("bob"), call("bob")],
  });
  const working = gate();
  world.model.push("bob", { gate: working.promise, text: "well enough" });
  const from = alice.records.length;
  await alice.prompt("ask everybody");
  await waitsOn(world, alice.id, bob.id);
  working.open();
  await alice.settled(from);
  const results = (await alice.messages()).filter((message) => message.role === "toolResult");
  const texts = results.map((result) => JSON.stringify(result.content));
  expect(texts[0]).toMatch(/not running.*session_mail_send/);
  expect(texts[1]).toMatch(/this session/);
  expect(texts[2]).toMatch(/session_mail_list/);
  expect(texts[3]).toMatch(/No running session/);
  const last = [texts[4], texts[5]];
  expect(last.filter((text) => text?.includes("already waits"))).toHaveLength(1);
  expect(last.filter((text) => text?.includes("well enough"))).toHaveLength(1);
  expect(results.filter(({ isError }) => isError)).toHaveLength(5);
  expect(world.envelopes(alice.id, "sent")).toHaveLength(1);
});
