import { describe, expect, test } from "vitest";
import { ABSENT, enterTool, leaveClaimed, leaveMail, timesShown } from "../support/absent-sender.ts";
import { repliesTo, replyTo } from "../support/letters.ts";
import { gate } from "../support/mock-model.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { startPiInTmux } from "../support/tmux.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";
import { expectNoComplaints, idle, sessionOn } from "./old-session.ts";
import { OLD_PIS } from "./versions.ts";

const TOOK_OVER = /^\(The user stopped an earlier run partway and took over;[\s\S]*it is 42$/;

/** Starts a run whose text stands still until it is stopped. */
async function enterText(world: World, alice: PiProcess): Promise<number> {
  const from = alice.records.length;
  world.model.push("alice", { text: "half an answer", hold: gate().promise });
  await alice.prompt("say something long");
  await alice.waitFor((record) => record.type === "message_update", { what: "the first words", from });
  return from;
}

describe.each(OLD_PIS)("on Pi $version", (pi) => {
  test.each(["text", "tool"] as const)(
    "M-10: a request and an ask that the user stops in a %s: the ask is answered stopped, the request by the next run",
    async (where) => {
      await using world = await makeWorld();
      const alice = await world.startReadyPi(sessionOn(pi, "alice"));
      const from = alice.records.length;
      world.model.push(
        "alice",
        where === "text" ? { text: "half an answer", hold: gate().promise } : { tool: { name: "probe_wait" } },
      );
      const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
      const sign = where === "text" ? "message_update" : "tool_execution_start";
      await alice.waitFor((record) => record.type === sign, { what: "the run on the request", from });
      await alice.abort();
      await alice.settled(from);
      expect(repliesTo(world, ABSENT, request)).toHaveLength(0);

      const again = alice.records.length;
      world.model.push("alice", { text: "half of it", hold: gate().promise });
      const ask = leaveMail(world, alice.id, { kind: "ask", body: "which one?" });
      await alice.waitFor((record) => record.type === "message_update", { what: "the run on the ask", from: again });
      await alice.abort();
      await alice.settled(again);
      expect(await replyTo(world, ABSENT, ask)).toMatchObject({ status: "stopped" });
      expect(repliesTo(world, ABSENT, request)).toHaveLength(0);

      world.model.push("alice", { text: "it is 42" });
      await alice.run("go on");
      expect(await replyTo(world, ABSENT, request)).toMatchObject({
        status: "done",
        body: expect.stringMatching(TOOK_OVER),
      });
      for (const id of [request, ask]) expect(repliesTo(world, ABSENT, id)).toHaveLength(1);
      expectNoComplaints(alice);
    },
  );

  test("M-9: mail that waits in the queue as a run is stopped over RPC is shown once, and its request answered once", async () => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(sessionOn(pi, "alice"));
    await enterText(world, alice);
    const message = await leaveClaimed(world, alice.id, { kind: "message", body: "by the way" });
    const request = await leaveClaimed(world, alice.id, { kind: "request", body: "how many?" });
    await alice.abort();
    await replyTo(world, ABSENT, request);
    await idle(alice);
    await alice.run("and now?");
    await alice.run("and then?");
    const last = world.model.requestsOf("alice").at(-1);
    expect(timesShown(last, "by the way")).toBe(1);
    expect(timesShown(last, "how many?")).toBe(1);
    expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
    expect(repliesTo(world, ABSENT, message)).toHaveLength(0);
    expectNoComplaints(alice);
  });

  test("M-9: Esc drops queued mail: its request is answered failed once, its message shown once with the next prompt", async () => {
    await using world = await makeWorld();
    const { terminal, id, probeLog } = await startPiInTmux(world, sessionOn(pi, "alice"));
    const settles = () => probeLog().filter(({ event }) => event === "agent_settled").length;
    await waitFor(() => probeLog().length > 0, { what: "session_start" });
    await terminal.waitForText("alice");
    world.model.push("alice", { text: "half an answer", hold: gate().promise });
    await terminal.enter("say something long");
    await terminal.waitForText("half an answer");
    await leaveClaimed(world, id, { kind: "message", body: "by the way" });
    const request = await leaveClaimed(world, id, { kind: "request", body: "how many?" });
    await terminal.send("Escape");
    expect(await replyTo(world, ABSENT, request)).toMatchObject({ status: "failed" });
    await waitFor(() => settles() === 1, { what: "the stopped run" });
    const before = world.model.requests.length;
    await terminal.enter("and now?");
    await waitFor(() => settles() === 2, { what: "the next run" });
    expect(world.model.requests.length).toBe(before + 1);
    expect(timesShown(world.model.requests.at(-1), "by the way")).toBe(1);
    expect(timesShown(world.model.requests.at(-1), "how many?")).toBe(0);
    expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
  });
});

describe.each(OLD_PIS.filter((pi) => pi.clearsQueue))("on Pi $version, whose queue a program can clear", (pi) => {
  test("M-9: mail dropped from the queue without a stop is shown again, once, and answered", async () => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(sessionOn(pi, "alice"));
    const from = await enterTool(world, alice);
    const request = await leaveClaimed(world, alice.id, { kind: "request", body: "how many?" });
    await alice.clearQueue();
    alice.releaseProbe();
    await alice.settled(from);
    expect(await replyTo(world, ABSENT, request)).toMatchObject({ status: "done" });
    await idle(alice);
    await alice.run("and now?");
    expect(timesShown(world.model.requestsOf("alice").at(-1), "how many?")).toBe(1);
    expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
  });
});
