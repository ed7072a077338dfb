import { expect, test } from "vitest";
import { ABSENT, leaveClaimed, leaveMail, timesShown } from "../support/absent-sender.ts";
import { received, repliesTo, replyTo, shownText } from "../support/letters.ts";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";

const alone = { name: "alice", extensions: [PROBE_EXTENSION, PROJECT_EXTENSION] };

/** Has the user stop a run that had read a request, so that it is held. @returns the request's id */
async function holdRequest(world: World, alice: PiProcess, address = alice.id): Promise<string> {
  const from = alice.records.length;
  world.model.push("alice", { tool: { name: "probe_wait" } });
  const id = leaveMail(world, address, { kind: "request", body: "how many?" });
  await waitFor(() => alice.records.slice(from).some((one) => one.type === "tool_execution_start"), {
    what: "the run that the request starts",
  });
  await alice.abort();
  await alice.settled(from);
  expect(repliesTo(world, ABSENT, id)).toHaveLength(0);
  return id;
}

/** What Pi reports when an extension's handler throws, as it does when it uses a context that has gone stale. */
function extensionErrors(alice: PiProcess): unknown[] {
  return alice.records.filter((record) => record.type === "extension_error");
}

async function expectServed(world: World, alice: PiProcess): Promise<string> {
  const { sessionId } = await alice.ready();
  await waitFor(() => world.running().some(({ address, pid }) => address === sessionId && pid === alice.pid), {
    what: "the record of the session that follows",
  });
  expect(world.running()).toHaveLength(1);
  const id = leaveMail(world, sessionId, { kind: "message", body: "to whoever is here now" });
  expect(await shownText(alice, id)).toContain("to whoever is here now");
  expect(extensionErrors(alice)).toEqual([]);
  expect(alice.stderr).not.toMatch(/stale|Error/);
  return sessionId;
}

/** Each makes what it needs first, and gives the way out of the session that then is open. */
const WAYS: Record<string, (alice: PiProcess) => Promise<() => Promise<unknown>>> = {
  "/new": async (alice) => () => alice.newSession(),
  "/resume": async (alice) => {
    const { sessionFile } = await alice.ready();
    await alice.newSession();
    return () => alice.send({ type: "switch_session", sessionPath: sessionFile ?? "" });
  },
  "/fork": async (alice) => {
    const { messages } = (await alice.send({ type: "get_fork_messages" })) as { messages: { entryId: string }[] };
    return () => alice.send({ type: "fork", entryId: messages[0]?.entryId ?? "" });
  },
};

test.each(Object.entries(WAYS))(
  "M-12, M-23: a session that is left by %s while it holds a request tells the sender failed, and that it closed",
  async (_, prepare) => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(alone);
    await alice.run("hello");
    const leave = await prepare(alice);
    const left = (await alice.ready()).sessionId;
    const request = await holdRequest(world, alice, left);
    await leave();

    const reply = await replyTo(world, ABSENT, request);
    expect(reply).toMatchObject({ from: left, status: "failed" });
    expect(reply.body).toMatch(/closed/);
    expect(await expectServed(world, alice)).not.toBe(left);
    expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
  },
);

test("M-12, M-23: a session left while its run still works on a request and an ask answers each once, and done never", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const { sessionFile } = await alice.ready();
  world.model.push("alice", { tool: { name: "probe_wait" } });
  const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
  await alice.waitFor((record) => record.type === "tool_execution_start", { what: "the run" });
  const ask = await leaveClaimed(world, alice.id, { kind: "ask", body: "which one?" });
  await alice.newSession();
  const reply = await replyTo(world, ABSENT, request);
  expect(reply).toMatchObject({ status: "failed", body: expect.stringMatching(/closed/) });
  expect((await replyTo(world, ABSENT, ask)).status).not.toBe("done");
  await expectServed(world, alice);

  await alice.send({ type: "switch_session", sessionPath: sessionFile ?? "" });
  await alice.run("back again");
  for (const id of [request, ask]) expect(repliesTo(world, ABSENT, id)).toHaveLength(1);
});

test("M-12: a session that owes nothing tells nobody anything when it is left, and when it quits", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
  await replyTo(world, ABSENT, request);
  const message = leaveMail(world, alice.id, { kind: "message", body: "by the way" });
  await shownText(alice, message);
  await waitFor(async () => !(await alice.ready()).isStreaming, { what: "the run on the message to settle" });
  await alice.newSession();
  await alice.stop();
  expect(received(world, ABSENT).map((letter) => letter.in_reply_to)).toEqual([[request]]);
  expect(world.running()).toEqual([]);
});

test("M-12, M-23: a reload keeps what is held; the run that completes after it answers, once, and nothing is doubled", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const request = await holdRequest(world, alice);
  for (let times = 0; times < 3; times += 1) await alice.prompt("/probe-reload");
  expect(repliesTo(world, ABSENT, request)).toHaveLength(0);

  world.model.push("alice", { text: "now it is 42" });
  await alice.run("go on");
  const reply = await replyTo(world, ABSENT, request);
  expect(reply.status).toBe("done");
  expect(reply.body).toMatch(/^\(The user stopped an earlier run partway and took over;[\s\S]*now it is 42$/);
  const message = leaveMail(world, alice.id, { kind: "message", body: "by the way" });
  await shownText(alice, message);
  await waitFor(async () => !(await alice.ready()).isStreaming, { what: "the run on the message to settle" });
  const last = world.model.requestsOf("alice").at(-1);
  expect(timesShown(last, "how many?")).toBe(1);
  expect(timesShown(last, "by the way")).toBe(1);
  expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
  expect(extensionErrors(alice)).toEqual([]);
  expect(alice.stderr).not.toMatch(/stale|Error/);
});
