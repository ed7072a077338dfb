import { expect, test } from "vitest";
import { ABSENT, leaveClaimed, leaveMail, timesShown } from "../support/absent-sender.ts";
import { repliesTo, replyTo } from "../support/letters.ts";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

const alone = { name: "alice", extensions: [PROBE_EXTENSION, PROJECT_EXTENSION] };

const ENDS: Record<string, (alice: PiProcess) => Promise<unknown>> = {
  SIGTERM: (alice) => alice.kill("SIGTERM"),
  "the end of its input": (alice) => alice.stop(),
};

test.each(Object.entries(ENDS))(
  "M-12, M-23: a busy session ended by %s tells the sender of what it works on failed, and that it closed",
  async (_, end) => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(alone);
    world.model.push("alice", { tool: { name: "probe_wait" } });
    const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
    await alice.waitFor((record) => record.type === "tool_execution_start", { what: "the run on the request" });
    const ask = await leaveClaimed(world, alice.id, { kind: "ask", body: "which one?" });
    const message = await leaveClaimed(world, alice.id, { kind: "message", body: "by the way" });
    await end(alice);

    expect(await replyTo(world, ABSENT, request)).toMatchObject({
      status: "failed",
      body: expect.stringMatching(/closed/),
    });
    expect(world.running()).toEqual([]);
    expect(alice.stderr).not.toMatch(/stale|Error/);

    const again = await world.startReadyPi({ ...alone, id: alice.id });
    expect((await replyTo(world, ABSENT, ask)).in_reply_to).toEqual([ask]);
    await waitFor(() => world.receipts(alice.id).some(({ id, step }) => id === message && step === "read"), {
      what: "the message to be read",
    });
    await waitFor(async () => !(await again.ready()).isStreaming, { what: "the session to be idle" });
    await again.run("what do you think?");
    expect(timesShown(world.model.requestsOf("alice").at(-1), "by the way")).toBe(1);
    for (const id of [request, ask]) expect(repliesTo(world, ABSENT, id)).toHaveLength(1);
    expect(repliesTo(world, ABSENT, message)).toHaveLength(0);
  },
);

test("M-12: a session that ends while it holds a request tells its sender failed once; back again it owes nothing", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(alone);
  const from = alice.records.length;
  world.model.push("alice", { tool: { name: "probe_wait" } });
  const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
  await alice.waitFor((record) => record.type === "tool_execution_start", { what: "the run on the request" });
  await alice.abort();
  await alice.settled(from);
  expect(repliesTo(world, ABSENT, request)).toHaveLength(0);
  await alice.stop();
  expect(await replyTo(world, ABSENT, request)).toMatchObject({
    status: "failed",
    body: expect.stringMatching(/closed/),
  });

  const again = await world.startReadyPi({ ...alone, id: alice.id });
  await again.run("hello again");
  expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
});
