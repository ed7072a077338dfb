import { expect, test } from "vitest";
import { ABSENT, enterTool, leaveClaimed, leaveMail, timesShown } from "../support/absent-sender.ts";
import { repliesTo, replyTo, toolOutcome } from "../support/letters.ts";
import { gate } from "../support/mock-model.ts";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";

const alone = { name: "alice", extensions: [PROBE_EXTENSION, PROJECT_EXTENSION] };

/** Leaves a request that wakes a session whose model then thinks for ever. */
async function requestAtWork(world: World, alice: PiProcess): Promise<string> {
  const before = world.model.requests.length;
  world.model.push("alice", { gate: gate().promise });
  const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
  await waitFor(() => world.model.requests.length > before, { what: "the model to work on the request" });
  return request;
}

/** Starts the session again and gives it a prompt of its own once it is idle; checks what it told the sender. */
async function comeBack(world: World, killed: PiProcess, request: string): Promise<{ alice: PiProcess; body: string }> {
  world.model.push("alice", { text: "it is 42" });
  const alice = await world.startReadyPi({ ...alone, id: killed.id });
  const { body, status } = await replyTo(world, ABSENT, request);
  expect(status).toBe("done");
  await waitFor(async () => !(await alice.ready()).isStreaming, { what: "the run to settle" });
  await alice.run("and now?");
  await alice.stop();
  expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
  return { alice, body };
}

test("M-12, R-1: a request that was claimed and never shown is delivered after a kill, and answered once", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  await enterTool(world, alice);
  const request = await leaveClaimed(world, alice.id, { kind: "request", body: "how many?" });
  await leaveClaimed(world, alice.id, { kind: "message", body: "by the way" });
  await alice.kill("SIGKILL");
  expect(repliesTo(world, ABSENT, request)).toHaveLength(0);

  const { body } = await comeBack(world, alice, request);
  expect(body).toContain("42");
  const last = world.model.requestsOf("alice").at(-1);
  expect(timesShown(last, "how many?")).toBe(1);
  expect(timesShown(last, "by the way")).toBe(1);
});

test("M-12, R-1: a request that was read in a session's very first run, which was never saved, is shown again after a kill", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const request = await requestAtWork(world, alice);
  await alice.kill("SIGKILL");

  await comeBack(world, alice, request);
  const last = world.model.requestsOf("alice").at(-1);
  expect(timesShown(last, "how many?")).toBe(1);
});

test("M-12, R-1: a request that is in the saved conversation is worked on again after a kill, not shown twice", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  await alice.run("remember the number 7");
  const request = await requestAtWork(world, alice);
  await alice.kill("SIGKILL");

  await comeBack(world, alice, request);
  const last = world.model.requestsOf("alice").at(-1);
  expect(timesShown(last, "remember the number 7")).toBe(1);
  expect(timesShown(last, "how many?")).toBe(1);
});

test("M-12: a request that was held when its session was killed stays held until a run completes, with the note", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const from = alice.records.length;
  world.model.push("alice", { tool: { name: "probe_wait" } });
  const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
  await waitFor(() => alice.probeLog().some((line) => line.event === "probe_wait"), { what: "the tool" });
  await alice.abort();
  await alice.settled(from);
  await alice.kill("SIGKILL");

  const again = await world.startReadyPi({ ...alone, id: alice.id });
  const before = world.model.requests.length;
  world.model.push("alice", { text: "it is 42" });
  await again.run("go on");
  expect(world.model.requests.length).toBe(before + 1);
  const reply = await replyTo(world, ABSENT, request);
  expect(reply.status).toBe("done");
  expect(reply.body).toMatch(/^\(The user stopped an earlier run partway and took over;[\s\S]*it is 42$/);
  expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
});

test("M-12, M-14, R-11: who asks a session that is killed learns it within seconds, and gets the late answer once", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([
    world.startReadyPi(alone),
    world.startReadyPi({ name: "bob", extensions: [PROJECT_EXTENSION] }),
  ]);
  world.model.push("alice", { gate: gate().promise });
  world.model.push("bob", { tool: { name: "session_mail_ask", args: { to: "alice", message: "which one?" } } });
  const from = bob.records.length;
  await bob.prompt("ask alice");
  await waitFor(() => world.model.requestsOf("alice").length > 0, { what: "alice to work on the ask" });
  const killedMs = performance.now();
  await alice.kill("SIGKILL");
  const outcome = await toolOutcome(bob, "session_mail_ask", from);
  expect(outcome).toMatchObject({ isError: false, text: expect.stringContaining("stopped running") });
  expect(performance.now() - killedMs).toBeLessThan(20_000);
  await bob.settled(from);

  world.model.push("alice", { text: "the second one" });
  await world.startReadyPi({ ...alone, id: alice.id });
  const [ask] = world.envelopes(bob.id, "sent");
  expect(await replyTo(world, bob.id, ask?.id ?? "")).toMatchObject({ status: "done", body: "the second one" });
  await waitFor(() => timesShown(world.model.requestsOf("bob").at(-1), "the second one") === 1, {
    what: "bob's model to see the late answer",
  });
  expect(repliesTo(world, bob.id, ask?.id ?? "")).toHaveLength(1);
  expect(world.running().find(({ address }) => address === bob.id)?.waitingOn).toBe("");
});
