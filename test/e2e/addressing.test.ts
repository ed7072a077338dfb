import { expect, test } from "vitest";
import { fromLine, received, shownText, toolOutcome, typeRequest } from "../support/letters.ts";
import { list, send } from "../support/mail-steps.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

test("M-6, M-17: a name with spaces is typed in quotes; a renamed session goes by its new name alone, in records and labels", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([
    world.startReadyPi({ name: "alice of the east" }),
    world.startReadyPi({ name: "bob" }),
  ]);
  const first = await typeRequest(world, bob, '"alice of the east"', "good morning");
  expect(bob.notifications().at(-1)?.message).toBe(`Sent ${first} to ${alice.id}.`);
  expect(received(world, alice.id)).toEqual([expect.objectContaining({ id: first, body: "good morning", hops: 0 })]);

  await alice.setName('alice "the great"');
  await waitFor(() => world.running().some(({ name }) => name === 'alice "the great"'), { what: "the new name" });
  const sentBefore = world.envelopes(bob.id, "sent").length;
  await bob.prompt('/mailbox "alice of the east" are you there?');
  expect(bob.notifications().at(-1)).toMatchObject({ type: "error" });
  expect(bob.notifications().at(-1)?.message).toMatch(/"alice of the east".*session_mail_list/);
  expect(world.envelopes(bob.id, "sent")).toHaveLength(sentBefore);
  const second = await typeRequest(world, bob, '"alice \\"the great\\""', "hail");
  expect(received(world, alice.id).map(({ id }) => id)).toContain(second);

  const third = await typeRequest(world, alice, "bob", "who writes?");
  expect((await shownText(bob, third)).startsWith(fromLine(alice, 'alice "the great"'))).toBe(true);
});

test("M-6, M-14: a name or short id that two sessions share is refused, naming both in full; a longer prefix reaches one", async () => {
  await using world = await makeWorld();
  const ids = ["0199b1c2-aaaa-7000-8000-000000000001", "0199b1c2-abbb-7000-8000-000000000002"] as const;
  const [alice, first, second] = await Promise.all([
    world.startReadyPi({ name: "alice" }),
    world.startReadyPi({ name: "twin", id: ids[0], model: "one" }),
    world.startReadyPi({ name: "twin", id: ids[1], model: "two" }),
  ]);
  const words = ["twin", "0199b1c2", "0199b1c2-ab", "0199b1c"];
  world.model.push("alice", ...words.map((to) => send(to, `to ${to}`)));
  const from = alice.records.length;
  await alice.run("write to your friends");
  const results = alice.records
    .slice(from)
    .filter((one) => one.type === "tool_execution_end")
    .map((one) => ({ isError: one["isError"], text: JSON.stringify(one["result"]) }));
  expect(results.map(({ isError }) => isError)).toEqual([true, true, false, true]);
  for (const refused of results.slice(0, 2)) for (const id of ids) expect(refused.text).toContain(`twin (${id})`);
  expect(received(world, first.id)).toEqual([]);
  expect(received(world, second.id)).toEqual([expect.objectContaining({ kind: "message", body: "to 0199b1c2-ab" })]);
});

test("M-5, M-14: session_mail_list shows every session with name or unique short id, folder, state and whom it waits on", async () => {
  await using world = await makeWorld();
  const ids = ["0199b1c2-aaaa-7000-8000-000000000001", "0199b1c2-abbb-7000-8000-000000000002"] as const;
  const [alice, , nameless] = await Promise.all([
    world.startReadyPi({ name: "alice" }),
    world.startReadyPi({ id: ids[0], model: "one" }),
    world.startReadyPi({ id: ids[1], model: "two" }),
  ]);
  world.model.push("two", { tool: { name: "session_mail_ask", args: { to: alice.id, message: "hello?" } } });
  world.model.push("alice", list, { text: "they are three" });
  const from = alice.records.length;
  await nameless.prompt("ask alice");
  const { text } = await toolOutcome(alice, "session_mail_list", from);
  await alice.settled(from);
  const cwd = (pi: { setup: { cwd: string } }) => pi.setup.cwd;
  expect(text.split("\n")).toEqual([
    expect.stringMatching(new RegExp(`^0199b1c2-aa ${ids[0]}.* idle.* ${world.root}/work/`)),
    `0199b1c2-ab ${ids[1]}: busy, waiting on alice, in ${cwd(nameless)}`,
    `alice ${alice.id} (this session): busy, in ${cwd(alice)}`,
  ]);
});
