import { expect, test } from "vitest";
import {
  endLine,
  fromLine,
  received,
  repliesTo,
  replyTo,
  shownLetters,
  toolOutcome,
  typeRequest,
  userTexts,
} from "../support/letters.ts";
import { ask, reply } from "../support/mail-steps.ts";
import { gate } from "../support/mock-model.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

test("M-8, M-14: an ask answered with session_mail_reply returns at once, the run goes on, and its end leaves that ask out", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  const goesOn = gate();
  world.model.push("bob", reply("port 8080"), { gate: goesOn.promise, text: "and then I tidied up" });
  world.model.push("alice", ask("bob", "which port?"), { text: "thanks" });
  const [fromAlice, fromBob] = [alice.records.length, bob.records.length];
  await alice.prompt("ask bob");
  await waitFor(() => world.running().find(({ address, waitingOn }) => address === alice.id && waitingOn === bob.id), {
    what: "alice's record to say whom she waits on",
  });

  await alice.settled(fromAlice);
  const outcome = await toolOutcome(alice, "session_mail_ask", fromAlice);
  const [asked] = world.envelopes(alice.id, "sent");
  expect(asked).toMatchObject({ kind: "ask", body: "which port?", to: bob.id });
  expect(outcome.isError).toBe(false);
  const lines = outcome.text.split("\n");
  expect(lines[0]?.startsWith(`${fromLine(bob)} `)).toBe(true);
  expect(lines[0]).toContain(asked?.id);
  expect(lines.slice(1)).toEqual(["", "port 8080", "", endLine("bob")]);
  expect(world.running().find(({ address }) => address === alice.id)?.waitingOn).toBe("");
  expect(world.running().find(({ address }) => address === bob.id)?.state).toBe("busy");

  goesOn.open();
  await bob.settled(fromBob);
  expect(world.model.requestsOf("bob")).toHaveLength(2);
  const label = userTexts(world.model.requestsOf("bob")[0])[0]?.split("\n")[0] ?? "";
  expect(label).toMatch(/sender is waiting/);
  expect(label).toContain("session_mail_reply");
  expect(label).toMatch(/Otherwise this run's last message is sent as the answer/);
  expect(received(world, alice.id)).toHaveLength(1);
  expect(received(world, alice.id)[0]).toMatchObject({ kind: "reply", status: "done", in_reply_to: [asked?.id] });
  // The answer was the tool's result, so it is no letter in the conversation as well.
  expect(await shownLetters(alice)).toEqual([]);
  expect(world.model.requestsOf("alice")).toHaveLength(2);
});

test("M-10, M-14: an ask nobody replied to is answered by the last message of the run; a failed run is labelled as no answer", async () => {
  await using world = await makeWorld();
  const [alice] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  world.model.push("bob", { text: "it is 8080" });
  world.model.push("alice", ask("bob", "which port?"));
  let from = alice.records.length;
  await alice.prompt("ask bob");
  await alice.settled(from);
  expect((await toolOutcome(alice, "session_mail_ask", from)).text.split("\n").at(2)).toBe("it is 8080");

  world.model.push("bob", { error: "out of credit" });
  world.model.push("alice", ask("bob", "and the host?"));
  from = alice.records.length;
  await alice.prompt("ask again");
  await alice.settled(from);
  const failed = await toolOutcome(alice, "session_mail_ask", from);
  expect(failed.text).toMatch(/status is failed/);
  expect(failed.text).toMatch(/not an answer/);
  expect(failed.text).toContain("out of credit");
});

test("M-10: asks and requests of one sender that settle together are answered separately", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  const working = gate();
  world.model.push("bob", { gate: working.promise, text: "about the first" });
  const fromBob = bob.records.length;
  const requests = [
    await typeRequest(world, alice, "bob", "request one"),
    await typeRequest(world, alice, "bob", "request two"),
  ];

  // Only one ask of a session waits at a time, so the first is given up before the second is sent.
  world.model.push("alice", ask("bob", "first ask"));
  let from = alice.records.length;
  await alice.prompt("ask");
  const first = await waitFor(() => received(world, bob.id).find(({ body }) => body === "first ask"), {
    what: "an ask",
  });
  await alice.abort();
  await alice.settled(from);
  world.model.push("alice", ask("bob", "second ask"));
  from = alice.records.length;
  await alice.prompt("ask again");
  const second = await waitFor(() => received(world, bob.id).find(({ body }) => body === "second ask"), {
    what: "an ask",
  });
  await waitFor(() => world.envelopes(bob.id, "cur").length === 4, { what: "bob to claim all four" });

  world.model.push("bob", ...Array.from({ length: 3 }, () => ({ text: "about all of it" })));
  working.open();
  await bob.settled(fromBob);
  const answers = received(world, alice.id);
  expect(answers.map(({ in_reply_to }) => in_reply_to)).toEqual([requests, [first.id], [second.id]]);
  for (const answer of answers) expect(answer).toMatchObject({ status: "done", body: "about all of it" });
  expect((await toolOutcome(alice, "session_mail_ask", from)).text).toContain(second.id);
});

test("M-12, R-11: an asker learns within seconds that the asked session was killed", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  world.model.push("bob", { gate: gate().promise });
  world.model.push("alice", ask("bob", "still there?"));
  const from = alice.records.length;
  await alice.prompt("ask bob");
  await waitFor(() => world.model.requestsOf("bob").length === 1, { what: "bob to work on the ask" });
  expect(await bob.kill("SIGKILL")).toEqual({ code: null, signal: "SIGKILL" });
  const outcome = await toolOutcome(alice, "session_mail_ask", from);
  expect(outcome.text).toMatch(/stopped running/);
  expect(outcome.text).toContain(bob.id);
  await alice.settled(from);
  expect(world.running().map(({ address, waitingOn }) => [address, waitingOn])).toEqual([[alice.id, ""]]);
});

test("M-7, M-14: an ask the user stopped ends at once; its late answer wakes the session, and says so", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  const working = gate();
  world.model.push("bob", { gate: working.promise, text: "8080, at last" });
  world.model.push("alice", ask("bob", "which port?"), { text: "so it is 8080" });
  let from = alice.records.length;
  await alice.prompt("ask bob");
  await waitFor(() => world.model.requestsOf("bob").length === 1, { what: "bob to work on the ask" });
  await alice.abort();
  await alice.settled(from);
  expect((await toolOutcome(alice, "session_mail_ask", from)).text).toMatch(/stopped the wait/);
  expect(world.running().find(({ address }) => address === alice.id)?.waitingOn).toBe("");
  expect(world.model.requestsOf("alice")).toHaveLength(1);

  from = alice.records.length;
  working.open();
  await alice.settled(from);
  const [asked] = world.envelopes(alice.id, "sent");
  const answer = await replyTo(world, alice.id, asked?.id ?? "");
  expect(answer).toMatchObject({ from: bob.id, status: "done" });
  expect(world.model.requestsOf("alice")).toHaveLength(2);
  const late = userTexts(world.model.requestsOf("alice")[1]).at(-1) ?? "";
  expect(late.startsWith(fromLine(bob))).toBe(true);
  expect(late).toMatch(/stopped waiting/);
  expect(late).toContain("> which port?");
  expect(late).toContain("8080, at last");
  // A late answer wakes, and is still a reply: nobody is answered for it.
  expect(received(world, bob.id)).toHaveLength(1);
  expect(repliesTo(world, bob.id, answer.id)).toEqual([]);
});
