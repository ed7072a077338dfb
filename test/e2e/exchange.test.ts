import { expect, test } from "vitest";
import { endLine, fromLine, replyTo, shownText, typeRequest, userTexts } from "../support/letters.ts";
import { gate } from "../support/mock-model.ts";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";

/** Two ready sessions, alice (with the probe's waiting tool) and bob. */
async function aliceAndBob(world: World): Promise<[PiProcess, PiProcess]> {
  const extensions = [PROJECT_EXTENSION, PROBE_EXTENSION];
  return await Promise.all([world.startReadyPi({ name: "alice", extensions }), world.startReadyPi({ name: "bob" })]);
}

test("M-7, M-8, M-10: a request typed in one session is answered by the other's run, each letter framed for its model", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await aliceAndBob(world);
  world.model.push("bob", { text: "42" });
  const from = bob.records.length;
  const request = await typeRequest(world, alice, "bob", "how many?");
  expect(alice.notifications().at(-1)).toEqual({ message: `Sent ${request} to ${bob.id}.`, type: "info" });
  await bob.settled(from);

  const [shown] = userTexts(world.model.requestsOf("bob")[0]);
  const lines = shown?.split("\n") ?? [];
  expect(lines[0]?.startsWith(`${fromLine(alice)} `)).toBe(true);
  expect(lines[0]).toMatch(/final answer this turn goes back to the sender automatically/);
  expect(lines.slice(1)).toEqual(["", "how many?", "", endLine("alice")]);

  const reply = await replyTo(world, alice.id, request);
  expect(reply).toMatchObject({ from: bob.id, to: alice.id, status: "done", body: "42", in_reply_to: [request] });
  const answer = (await shownText(alice, reply.id)).split("\n");
  expect(answer[0]?.startsWith(`${fromLine(bob)} `)).toBe(true);
  expect(answer[0]).toContain(request);
  expect(answer[0]).toMatch(/user made that request/);
  expect(answer[0]).not.toMatch(/not an answer/);
  const copy = `${world.mailbox(alice.id).path}/sent/${world.mailbox(alice.id).names("sent")[0]}`;
  expect(answer[2]).toContain(copy);
  expect(answer.slice(3)).toEqual(["> how many?", "", "42", "", endLine("bob")]);

  expect(world.model.requestsOf("bob")).toHaveLength(1);
  expect(world.model.requestsOf("alice")).toHaveLength(0);
});

test("M-7: a reply shown quietly to an idle session costs no turn and stands before the person's next prompt", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await aliceAndBob(world);
  world.model.push("bob", { text: "the answer" });
  const reply = await replyTo(world, alice.id, await typeRequest(world, alice, "bob", "a question"));
  await shownText(alice, reply.id);
  await alice.run("go on");
  const requests = world.model.requestsOf("alice");
  expect(requests).toHaveLength(1);
  const [mail, prompt, ...others] = userTexts(requests[0]);
  expect(mail?.startsWith(fromLine(bob))).toBe(true);
  expect(mail?.endsWith(endLine("bob"))).toBe(true);
  expect(prompt).toBe("go on");
  expect(others).toEqual([]);
});

test("M-7: a reply shown quietly costs no turn while the model writes or a tool runs, and is seen with the next request", async () => {
  await using world = await makeWorld();
  const [alice] = await aliceAndBob(world);
  const writing = gate();
  world.model.push("alice", { text: "half ", hold: writing.promise });
  let from = alice.records.length;
  await alice.prompt("write");
  await alice.waitFor((record) => record.type === "message_update", { what: "the first words", from });
  world.model.push("bob", { text: "first answer" });
  const first = await replyTo(world, alice.id, await typeRequest(world, alice, "bob", "one?"));
  await waitFor(() => world.receipts(alice.id).some(({ id, step }) => id === first.id && step === "read"), {
    what: "the reply to be handed over during the text",
  });
  writing.open();
  await alice.settled(from);
  await shownText(alice, first.id);
  expect(world.model.requestsOf("alice")).toHaveLength(1);

  world.model.push("alice", { tool: { name: "probe_wait" } }, { text: "done" });
  world.model.push("bob", { text: "second answer" });
  from = alice.records.length;
  await alice.prompt("use the tool");
  await waitFor(() => alice.probeLog().some((line) => line.event === "probe_wait"), { what: "the tool to run" });
  const second = await replyTo(world, alice.id, await typeRequest(world, alice, "bob", "two?"));
  await waitFor(() => world.receipts(alice.id).some(({ id, step }) => id === second.id && step === "read"), {
    what: "the reply to be handed over during the tool",
  });
  alice.releaseProbe();
  await alice.settled(from);
  await shownText(alice, second.id);
  expect(world.model.requestsOf("alice")).toHaveLength(3);

  await alice.run("and now?");
  const requests = world.model.requestsOf("alice");
  expect(requests).toHaveLength(4);
  const seen = userTexts(requests[3]);
  expect(seen.filter((text) => text.includes("first answer"))).toHaveLength(1);
  expect(seen.filter((text) => text.includes("second answer"))).toHaveLength(1);
  expect(seen.at(-1)).toBe("and now?");
});
