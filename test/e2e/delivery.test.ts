import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { fromLine, received, replyTo, shownLetters, toolOutcome, typeRequest, userTexts } from "../support/letters.ts";
import { send } from "../support/mail-steps.ts";
import { writeOriginalEnvelope } from "../support/original-form.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

test("M-7, M-14: mail to a closed session waits, by full id alone, and is found when the session is resumed", async () => {
  await using world = await makeWorld();
  const [alice, first] = await Promise.all([
    world.startReadyPi({ name: "alice" }),
    world.startReadyPi({ name: "bob" }),
  ]);
  await first.run("remember the number 7");
  await first.stop();

  world.model.push("alice", send("bob", "hello?"), send(first.id, "hello, whenever you are back"));
  const from = alice.records.length;
  await alice.run("write to bob");
  const refused = await toolOutcome(alice, "session_mail_send", from);
  expect(refused.isError).toBe(true);
  expect(refused.text).toMatch(/full id/);
  const lastTool = (await alice.messages()).findLast((message) => message.role === "toolResult");
  expect(JSON.stringify(lastTool?.content)).toMatch(/not running.*waits/);
  const request = await typeRequest(world, alice, first.id, "which number?");
  expect(received(world, first.id)).toHaveLength(2);
  expect(world.mailbox(first.id).names("cur")).toEqual([]);

  world.model.push("bob", { text: "it was 7" }, { text: "it was 7" });
  const bob = await world.startReadyPi({ name: "bob", id: first.id });
  const answer = await replyTo(world, alice.id, request);
  expect(answer).toMatchObject({ status: "done", body: "it was 7", in_reply_to: [request] });
  const texts = userTexts(world.model.requestsOf("bob").at(-1));
  expect(texts[0]).toBe("remember the number 7");
  const mail = texts.filter((text) => text.startsWith(fromLine(alice)));
  expect(mail.map((text) => text.split("\n")[2])).toEqual(["hello, whenever you are back", "which number?"]);
  expect(await shownLetters(bob)).toHaveLength(2);
});

test("M-7, M-9: of a burst to an idle session no letter is lost and none doubled, round after round", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  const bodies: string[] = [];
  for (const round of [1, 2, 3]) {
    await waitFor(() => world.running().every(({ state }) => state === "idle"), { what: "both to be idle" });
    const burst = ["a", "b", "c"].map((letter) => `letter ${letter} of round ${round}`);
    bodies.push(...burst);
    await Promise.all(burst.map((body) => alice.prompt(`/mailbox bob ${body}`)));
    const requests = world.envelopes(alice.id, "sent");
    await Promise.all(requests.map(({ id }) => replyTo(world, alice.id, id)));
  }
  const requests = world.envelopes(alice.id, "sent");
  const answered = received(world, alice.id).flatMap(({ in_reply_to }) => in_reply_to);
  expect([...answered].sort()).toEqual(requests.map(({ id }) => id).sort());
  const shown = (await shownLetters(bob)).map(({ id }) => id);
  expect(shown.sort()).toEqual(requests.map(({ id }) => id).sort());
  const texts = userTexts(world.model.requestsOf("bob").at(-1));
  for (const body of bodies) expect(texts.filter((text) => text.includes(`\n${body}\n`))).toHaveLength(1);
});

test("M-4: more requests of one sender than one reply can name are answered by several replies, none set aside", async () => {
  await using world = await makeWorld();
  const bobsId = randomUUID();
  const alice = await world.startReadyPi({ name: "alice" });
  const ids = Array.from(
    { length: 53 },
    (_, at) => writeOriginalEnvelope(world.mailRoot, { from: alice.id, to: bobsId, body: `request ${at}` }).id,
  );
  world.model.push("bob", ...ids.map((_, at) => ({ text: `answer ${at}` })));
  const bob = await world.startReadyPi({ name: "bob", id: bobsId });
  await replyTo(world, alice.id, ids[52] ?? "");
  const replies = received(world, alice.id);
  expect(replies.map(({ in_reply_to }) => in_reply_to.length)).toEqual([50, 3]);
  expect(replies.flatMap(({ in_reply_to }) => in_reply_to)).toEqual(ids);
  expect(new Set(replies.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
  expect((await shownLetters(bob)).map(({ id }) => id)).toEqual(ids);

  await waitFor(async () => (await shownLetters(alice)).length === 2, { what: "both replies in alice's conversation" });
  expect(alice.notifications().filter(({ type }) => type !== "info")).toEqual([]);
  await waitFor(() => alice.status("mailbox")?.endsWith("2 read"), { what: "a footer with nothing awaited" });
  expect(world.model.requestsOf("alice")).toEqual([]);
});
