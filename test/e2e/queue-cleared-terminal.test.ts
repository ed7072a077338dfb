import { expect, test } from "vitest";
import { ABSENT, leaveClaimed, timesShown } from "../support/absent-sender.ts";
import { repliesTo, replyTo } from "../support/letters.ts";
import { gate } from "../support/mock-model.ts";
import type { Answer } from "../support/openai-stream.ts";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import { type PiInTmux, startPiInTmux } from "../support/tmux.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";

/** Opens alice's session in a terminal. */
async function openAlice(world: World): Promise<PiInTmux> {
  const alice = await startPiInTmux(world, { name: "alice", extensions: [PROBE_EXTENSION, PROJECT_EXTENSION] });
  await waitFor(() => alice.probeLog().length > 0, { what: "session_start" });
  await alice.terminal.waitForText("alice");
  return alice;
}

/** Types a prompt whose run stands still, in its text or in a tool, until it is stopped or let go. */
async function enterRun(world: World, alice: PiInTmux, where: "text" | "tool"): Promise<{ letGo: () => void }> {
  const held = gate();
  const step: Answer =
    where === "tool" ? { tool: { name: "probe_wait" } } : { text: "half an answer", hold: held.promise };
  world.model.push("alice", step);
  await alice.terminal.enter("go to work");
  if (where === "text") await alice.terminal.waitForText("half an answer");
  else await waitFor(() => alice.probeLog().some((line) => line.event === "probe_wait"), { what: "the tool" });
  return { letGo: where === "tool" ? alice.releaseProbe : held.open };
}

function settles(alice: PiInTmux): unknown[] {
  return alice.probeLog().flatMap((line) => (line.event === "agent_settled" ? [line["aborted"]] : []));
}

/** Types a prompt and gives the model's request for it. */
async function nextRequest(world: World, alice: PiInTmux) {
  const before = world.model.requests.length;
  const runs = settles(alice).length;
  await alice.terminal.enter("and now?");
  await waitFor(() => settles(alice).length > runs, { what: "the next run" });
  expect(world.model.requests.length).toBe(before + 1);
  return world.model.requests.at(-1);
}

test.each(["text", "tool"] as const)(
  "M-9: Esc during a %s: queued request and ask are answered failed once, a message is shown once with the next prompt",
  async (where) => {
    await using world = await makeWorld();
    const alice = await openAlice(world);
    await enterRun(world, alice, where);
    const message = await leaveClaimed(world, alice.id, { kind: "message", body: "by the way" });
    const request = await leaveClaimed(world, alice.id, { kind: "request", body: "how many?" });
    const ask = await leaveClaimed(world, alice.id, { kind: "ask", body: "which one?" });
    await alice.terminal.send("Escape");
    await waitFor(() => settles(alice).length === 1, { what: "the stopped run" });
    expect(settles(alice)).toEqual([true]);

    for (const id of [request, ask]) expect(await replyTo(world, ABSENT, id)).toMatchObject({ status: "failed" });
    const next = await nextRequest(world, alice);
    expect(timesShown(next, "by the way")).toBe(1);
    expect(timesShown(next, "how many?")).toBe(0);
    expect(timesShown(next, "which one?")).toBe(0);
    for (const id of [request, ask]) expect(repliesTo(world, ABSENT, id)).toHaveLength(1);
    expect(repliesTo(world, ABSENT, message)).toHaveLength(0);
  },
);

test("M-9: Alt+Up drops queued mail without a stop: it is shown again in a run of its own and answered once", async () => {
  await using world = await makeWorld();
  const alice = await openAlice(world);
  const { letGo } = await enterRun(world, alice, "tool");
  const message = await leaveClaimed(world, alice.id, { kind: "message", body: "by the way" });
  const request = await leaveClaimed(world, alice.id, { kind: "request", body: "how many?" });
  await alice.terminal.send("M-Up");
  await alice.terminal.waitForText("No queued messages");
  letGo();

  expect(await replyTo(world, ABSENT, request)).toMatchObject({ status: "done" });
  const next = await nextRequest(world, alice);
  expect(timesShown(next, "by the way")).toBe(1);
  expect(timesShown(next, "how many?")).toBe(1);
  expect(settles(alice).slice(0, 2)).toEqual([false, false]);
  expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
  expect(repliesTo(world, ABSENT, message)).toHaveLength(0);
});
