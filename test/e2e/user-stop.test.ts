import { expect, test } from "vitest";
import { received, repliesTo, replyTo, shownText, typeRequest, userTexts } from "../support/letters.ts";
import { ask, list } from "../support/mail-steps.ts";
import { gate } from "../support/mock-model.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";

const TOOK_OVER =
  "(The user stopped an earlier run partway and took over; the answer that follows is from the run that completed after that.)";

/** Types a prompt, or waits for mail to start the run, and stops the run once its first words are out. */
async function stopMidway(world: World, pi: PiProcess, start: () => Promise<unknown>): Promise<void> {
  world.model.push(pi.model, { text: "only half of ", hold: gate().promise });
  const from = pi.records.length;
  await start();
  await pi.waitFor((record) => record.type === "message_update", { what: "the first words", from });
  await pi.abort();
  await pi.settled(from);
}

function held(world: World, pi: PiProcess, id: string): boolean {
  return world.receipts(pi.id).some((line) => line.id === id && line.step === "held");
}

test("M-10: a request whose run the user stops is held through stopped and failed runs, then answered with the took-over note", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  let request = "";
  await stopMidway(world, bob, async () => {
    request = await typeRequest(world, alice, "bob", "do it");
  });
  await waitFor(() => held(world, bob, request), { what: "the request to be held" });
  expect(received(world, alice.id)).toEqual([]);

  await stopMidway(world, bob, () => bob.prompt("no, like this"));
  expect(received(world, alice.id)).toEqual([]);
  world.model.push("bob", { error: "out of credit" });
  await bob.run("and again");
  expect(received(world, alice.id)).toEqual([]);

  // Meanwhile a second request, read by the run that completes, gets a reply of its own without the note.
  world.model.push("bob", { text: "done as you said" });
  const from = bob.records.length;
  const other = await typeRequest(world, alice, "bob", "and this");
  await bob.settled(from);
  const answer = await replyTo(world, alice.id, request);
  expect(answer).toMatchObject({ status: "done", in_reply_to: [request], body: `${TOOK_OVER}\n\ndone as you said` });
  expect(await replyTo(world, alice.id, other)).toMatchObject({
    status: "done",
    in_reply_to: [other],
    body: "done as you said",
  });
  expect(await shownText(alice, answer.id)).toContain(TOOK_OVER);
  expect(received(world, alice.id)).toHaveLength(2);

  // What was answered stays answered.
  await bob.run("one more thing");
  expect(received(world, alice.id)).toHaveLength(2);
});

test("M-10: an ask whose run the user stops is answered stopped at once, with the partial text", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  world.model.push("alice", ask("bob", "which port?"));
  const from = alice.records.length;
  await stopMidway(world, bob, () => alice.prompt("ask bob"));
  await alice.settled(from);
  const [answer] = received(world, alice.id);
  expect(answer).toMatchObject({ kind: "reply", status: "stopped" });
  expect(answer?.body).toContain("only half of");
  const seen = world.model.requestsOf("alice")[1]?.messages.at(-1)?.content;
  expect(JSON.stringify(seen)).toMatch(/status is stopped .*not an answer/);
});

test("M-10: a run that ends on a provider's error answers failed once, with the error and what was written until then", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  world.model.push("bob", { text: "I looked round first. ", ...list }, { error: "out of credit" });
  const from = bob.records.length;
  const request = await typeRequest(world, alice, "bob", "do it");
  await bob.settled(from);
  const answer = await replyTo(world, alice.id, request);
  expect(answer.status).toBe("failed");
  expect(answer.body).toMatch(/out of credit[\s\S]*I looked round first/);
  expect(await shownText(alice, answer.id)).toMatch(/status is failed .*not an answer/);

  world.model.push("bob", { text: "a later run" });
  await bob.run("something else");
  expect(repliesTo(world, alice.id, request)).toHaveLength(1);
});

test("M-10: a run that Pi retried with success answers once, done; one that failed every time answers once, failed", async () => {
  await using world = await makeWorld({ settings: { retry: { enabled: true, maxRetries: 2, baseDelayMs: 1 } } });
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  const busy = { error: "overloaded", status: 503 };
  world.model.push("bob", { text: "before. ", ...list }, busy, busy, { text: "after all" });
  let from = bob.records.length;
  const lucky = await typeRequest(world, alice, "bob", "do it");
  await bob.settled(from);
  expect(bob.records.filter((record) => record.type === "auto_retry_start")).toHaveLength(2);
  expect(await replyTo(world, alice.id, lucky)).toMatchObject({ status: "done", body: "after all" });

  const before = world.model.requestsOf("bob").length;
  world.model.push("bob", busy, busy, busy);
  from = bob.records.length;
  const unlucky = await typeRequest(world, alice, "bob", "once more");
  await bob.settled(from);
  expect(world.model.requestsOf("bob")).toHaveLength(before + 3);
  const failed = await replyTo(world, alice.id, unlucky);
  expect(failed).toMatchObject({ status: "failed", in_reply_to: [unlucky] });
  expect(failed.body).toContain("overloaded");
  expect(failed.body).not.toContain("after all");
  expect(received(world, alice.id)).toHaveLength(2);
  expect(userTexts(world.model.requestsOf("bob").at(-1)).filter((text) => text.includes("once more"))).toHaveLength(1);
});
