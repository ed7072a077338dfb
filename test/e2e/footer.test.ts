import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ABSENT, leaveMail } from "../support/absent-sender.ts";
import { replyTo, shownText, typeRequest } from "../support/letters.ts";
import { gate } from "../support/mock-model.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

/** Every text that the footer was given, in order; undefined where it was taken away. */
function footers(alice: PiProcess): unknown[] {
  const set = alice.records.filter(
    ({ type, method, statusKey }) =>
      type === "extension_ui_request" && method === "setStatus" && statusKey === "mailbox",
  );
  return set.map(({ statusText }) => statusText);
}

test("M-19: the footer follows a request, its answer, mail at work, a quiet reply and a new session, and says nothing twice", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi({ name: "alice" });
  const asked = await typeRequest(world, alice, ABSENT, "how many?");
  const thinking = gate();
  world.model.push("alice", { gate: thinking.promise, text: "noted" });
  const request = leaveMail(world, alice.id, { kind: "request", body: "which one?" });
  await waitFor(() => world.model.requests.length === 1, { what: "the model to work on the request" });
  await waitFor(() => footers(alice).length === 2, { what: "the footer with the request" });
  thinking.open();
  await replyTo(world, ABSENT, request);
  await waitFor(() => footers(alice).length === 3, { what: "the footer after the run" });
  const reply = leaveMail(world, alice.id, { kind: "reply", body: "42", inReplyTo: [asked] });
  await shownText(alice, reply);
  await waitFor(() => footers(alice).length === 4, { what: "the footer after the reply" });
  await alice.run("thank you");
  await waitFor(() => footers(alice).length === 5, { what: "the footer after the next run" });
  await alice.newSession();
  await alice.stop();
  expect(footers(alice)).toEqual([
    "✉ 1 awaiting",
    "✉ 1 pending · 1 read · 1 awaiting",
    "✉ 1 read · 1 awaiting",
    "✉ 1 pending · 2 read",
    "✉ 2 read",
    undefined,
  ]);
});

test("M-19: a session that comes back shows what its mailbox holds", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi({ name: "alice" });
  await typeRequest(world, alice, ABSENT, "how many?");
  await typeRequest(world, alice, ABSENT, "which one?");
  const message = leaveMail(world, alice.id, { kind: "message", body: "by the way" });
  await shownText(alice, message);
  await waitFor(async () => !(await alice.ready()).isStreaming, { what: "the run to settle" });
  await alice.stop();
  const again = await world.startReadyPi({ name: "alice", id: alice.id });
  await waitFor(() => again.status("mailbox") === "✉ 1 read · 2 awaiting", { what: "the footer" });
});

test("M-1: a mailbox that other users can open is named with the chmod to run and left as it is; the root is closed", async () => {
  await using world = await makeWorld();
  const id = randomUUID();
  const own = join(world.mailRoot, id);
  mkdirSync(own, { recursive: true });
  for (const folder of [world.mailRoot, own]) chmodSync(folder, 0o755);
  const alice = await world.startReadyPi({ name: "alice", id });
  expect(alice.notifications()).toEqual([{ type: "warning", message: expect.stringContaining(`chmod 700 ${own}`) }]);
  expect(statSync(own).mode & 0o777).toBe(0o755);
  expect(statSync(world.mailRoot).mode & 0o777).toBe(0o700);
  for (const box of ["tmp", "new", "cur", "sent"]) expect(statSync(join(own, box)).mode & 0o777).toBe(0o700);
});
