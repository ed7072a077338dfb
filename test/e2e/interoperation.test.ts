import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endLine, putInNew, shownText, toolOutcome, typeRequest } from "../support/letters.ts";
import type { EnvelopeJson } from "../support/mail-files.ts";
import { ask, list, send } from "../support/mail-steps.ts";
import {
  type OriginalLetter,
  originalEnvelope,
  originalRecord,
  writeOriginalRecord,
} from "../support/original-form.ts";
import { playOriginalSession } from "../support/original-session.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

/** The file that the original would write for an envelope with these values. */
function inOriginalForm(fileName: string, text: string) {
  const { in_reply_to: inReplyTo, ...rest } = JSON.parse(text) as EnvelopeJson;
  const letter = { ...rest, inReplyTo, status: rest.status === "" ? undefined : rest.status } as OriginalLetter;
  return originalEnvelope({ ...letter, tsMs: Number(fileName.slice(0, 15)) });
}

const letterLine = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("[mailbox]"));

test("M-26: requests, asks and messages in the original's form are served, and what ours answers is in that form, byte for byte", async () => {
  await using world = await makeWorld();
  const bob = await world.startReadyPi({ name: "bob" });
  const other = playOriginalSession(world, "elder");
  world.model.push("bob", { text: "request done" }, { text: "ask answered" }, { text: "message read" });
  const answers: { fileName: string; text: string }[] = [];
  for (const kind of ["request", "ask", "message"] as const) {
    const from = bob.records.length;
    const letter = other.send({ to: bob.id, kind, body: `a ${kind}`, hops: 1 });
    await bob.settled(from);
    const shown = await shownText(bob, letter.id);
    expect(
      shown.startsWith(`[mailbox] From elder (${other.address}, working in ${other.cwd}), another Pi session`),
    ).toBe(true);
    expect(shown.endsWith(endLine("elder"))).toBe(true);
    if (kind === "message") continue;
    const answer = await other.claimNext();
    answers.push(answer);
    expect(JSON.parse(answer.text)).toMatchObject({ in_reply_to: [letter.id], kind: "reply", status: "done", hops: 2 });
  }
  expect(answers.map(({ text }) => (JSON.parse(text) as EnvelopeJson).body)).toEqual(["request done", "ask answered"]);
  expect(world.mailbox(other.address).names("new")).toEqual([]);
  expect(world.mailbox(bob.id).names("sent")).toEqual([]);
  for (const { fileName, text } of answers) {
    const original = inOriginalForm(fileName, text);
    expect({ fileName, text }).toEqual({ fileName: original.fileName, text: original.text });
  }
});

test("M-26: an original session gets our request, ask and message in its own form, and its answers arrive", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi({ name: "alice" });
  const elder = playOriginalSession(world, "elder");
  const sent: { fileName: string; text: string }[] = [];

  const request = await typeRequest(world, alice, "elder", "how many?");
  sent.push(await elder.claimNext());
  const answer = elder.send({ to: alice.id, kind: "reply", inReplyTo: [request], body: "41" });
  const shown = await shownText(alice, answer.id);
  expect(letterLine(shown)).toEqual(["> how many?", "41"]);
  await waitFor(() => alice.status("mailbox")?.endsWith("1 read"), { what: "nothing to be awaited any more" });
  expect(world.model.requestsOf("alice")).toEqual([]);

  world.model.push("alice", ask("elder", "are you sure?"), send("elder", "noted"), { text: "good" });
  const from = alice.records.length;
  await alice.prompt("ask elder");
  const asked = await elder.claimNext();
  sent.push(asked);
  elder.send({
    to: alice.id,
    kind: "reply",
    inReplyTo: [(JSON.parse(asked.text) as EnvelopeJson).id],
    body: "42 then",
  });
  await alice.settled(from);
  expect(letterLine((await toolOutcome(alice, "session_mail_ask", from)).text)).toEqual(["42 then"]);
  sent.push(await elder.claimNext());

  expect(sent.map(({ text }) => (JSON.parse(text) as EnvelopeJson).kind)).toEqual(["request", "ask", "message"]);
  expect(world.mailbox(alice.id).names("sent")).toEqual(sent.map(({ fileName }) => fileName));
  for (const { fileName, text } of sent) {
    const original = inOriginalForm(fileName, text);
    expect({ fileName, text }).toEqual({ fileName: original.fileName, text: original.text });
    const copy = join(world.mailbox(alice.id).path, "sent", fileName);
    expect(readFileSync(copy, "utf8")).toBe(text);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  }
});

test("M-5, M-26: running records are shared: ours has the original's form, its sessions are listed, and a dead one is reaped", async () => {
  await using world = await makeWorld();
  const [alice, nameless] = await Promise.all([
    world.startReadyPi({ name: "alice" }),
    world.startReadyPi({ model: "nameless" }),
  ]);
  const recordOf = (pi: PiProcess) => readFileSync(join(world.mailRoot, "running", `${pi.id}.json`), "utf8");
  for (const pi of [alice, nameless]) {
    const { updated } = JSON.parse(recordOf(pi)) as { updated: string };
    const { name, cwd } = pi.setup;
    const original = originalRecord({
      address: pi.id,
      ...(name === undefined ? {} : { name }),
      cwd,
      pid: pi.pid,
      updatedMs: Date.parse(updated),
    });
    expect(recordOf(pi)).toBe(original);
  }

  const elder = playOriginalSession(world, "elder");
  elder.record({ state: "busy", waitingOn: alice.id });
  const dead = { address: randomUUID(), name: "ghost", cwd: "/", pid: alice.pid, started: "1" };
  const deadRecord = writeOriginalRecord(world.mailRoot, dead);
  world.model.push("alice", list, ask("elder", "are you waiting for me?"));
  const from = alice.records.length;
  await alice.run("who is there?");
  const listed = (await toolOutcome(alice, "session_mail_list", from)).text;
  expect(listed).toMatch(new RegExp(`^elder ${elder.address}: busy, waiting on alice, in `, "m"));
  expect(listed).not.toContain("ghost");
  expect(existsSync(deadRecord)).toBe(false);
  // The pair is a circle across both extensions.
  const refused = await toolOutcome(alice, "session_mail_ask", from);
  expect(refused.isError).toBe(true);
  expect(refused.text).toContain("waits for elder");
  expect(world.mailbox(elder.address).names("new")).toEqual([]);
});

test("M-3, M-26: letters from before kinds and hops, of an unknown kind and with more fields than known are delivered", async () => {
  await using world = await makeWorld();
  const bob = await world.startReadyPi({ name: "bob" });
  const elder = playOriginalSession(world, "elder");
  const put = (change: object, letter: Partial<OriginalLetter> = {}) => {
    const { id, fileName, text } = originalEnvelope({ from: elder.address, to: bob.id, ...letter });
    putInNew(world, bob.id, fileName, JSON.stringify({ ...JSON.parse(text), ...change }));
    return id;
  };
  const absent = { kind: undefined, hops: undefined };
  const ids = [
    put(absent, { body: "an old request" }),
    put(absent, { kind: "reply", inReplyTo: [randomUUID()], body: "an old reply" }),
    put({ kind: "telegram", priority: 9 }, { body: "a telegram" }),
  ];
  const shown = await Promise.all(ids.map((id) => shownText(bob, id)));
  expect(shown.map((text) => text.split("\n")[0])).toEqual([
    expect.stringMatching(/It is a request/),
    expect.stringMatching(/It is a reply/),
    expect.stringMatching(/It is a message/),
  ]);
  expect(JSON.parse((await elder.claimNext()).text)).toMatchObject({ in_reply_to: [ids[0]], status: "done" });
  const kept = world.envelopes(bob.id, "cur").find(({ id }) => id === ids[2]);
  expect(kept).toMatchObject({ kind: "telegram", priority: 9 });
  expect(bob.notifications()).toEqual([]);
});
