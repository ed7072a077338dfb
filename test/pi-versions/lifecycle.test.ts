import { describe, expect, test } from "vitest";
import { ABSENT, leaveMail, timesShown } from "../support/absent-sender.ts";
import { repliesTo, replyTo, shownText } from "../support/letters.ts";
import { gate } from "../support/mock-model.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";
import { expectNoComplaints, idle, sessionOn } from "./old-session.ts";
import { OLD_PIS } from "./versions.ts";

describe.each(OLD_PIS)("on Pi $version", (pi) => {
  test("M-12, M-23: /new while busy tells the sender of the request at work failed, that it closed; coming back changes nothing", async () => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(sessionOn(pi, "alice"));
    await alice.run("hello");
    const { sessionFile } = await alice.ready();
    const from = alice.records.length;
    world.model.push("alice", { tool: { name: "probe_wait" } });
    const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
    await alice.waitFor((record) => record.type === "tool_execution_start", { what: "the run", from });
    await alice.newSession();
    expect(await replyTo(world, ABSENT, request)).toMatchObject({
      status: "failed",
      body: expect.stringMatching(/closed/),
    });
    await alice.send({ type: "switch_session", sessionPath: sessionFile ?? "" });
    await alice.run("back again");
    expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
    expectNoComplaints(alice);
  });

  test("M-23: session_start fired twice opens one mailbox: a letter is shown once and answered once", async () => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(sessionOn(pi, "alice"));
    await alice.newSession();
    const starts = alice.probeLog().filter(({ event, reason }) => event === "session_start" && reason === "new");
    expect(starts).toHaveLength(2);
    const { sessionId } = await alice.ready();
    const request = leaveMail(world, sessionId, { kind: "request", body: "how many?" });
    await replyTo(world, ABSENT, request);
    await idle(alice);
    await alice.run("and?");
    expect(timesShown(world.model.requestsOf("alice").at(-1), "how many?")).toBe(1);
    expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
    expect(world.running().map(({ address }) => address)).toEqual([sessionId]);
    await alice.stop();
    expect(world.running()).toEqual([]);
    expectNoComplaints(alice);
  });

  test("M-12, M-23: reloads keep a held request, serve what comes, and leave nothing behind", async () => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(sessionOn(pi, "alice"));
    const from = alice.records.length;
    world.model.push("alice", { text: "half an answer", hold: gate().promise });
    const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
    await alice.waitFor((record) => record.type === "message_update", { what: "the run", from });
    await alice.abort();
    await alice.settled(from);
    for (const reload of [1, 2]) {
      await alice.prompt("/probe-reload");
      await waitFor(
        () =>
          alice.probeLog().filter(({ event, reason }) => event === "session_start" && reason === "reload").length >=
          reload,
        { what: "the reload" },
      );
    }
    expect(repliesTo(world, ABSENT, request)).toHaveLength(0);
    const message = leaveMail(world, alice.id, { kind: "message", body: "by the way" });
    await shownText(alice, message);
    const reply = await replyTo(world, ABSENT, request);
    expect(reply.status).toBe("done");
    await idle(alice);
    await alice.run("and?");
    expect(timesShown(world.model.requestsOf("alice").at(-1), "by the way")).toBe(1);
    expect(timesShown(world.model.requestsOf("alice").at(-1), "how many?")).toBe(1);
    expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
    expectNoComplaints(alice);
  });

  test("M-12, R-1: a request that a killed session had read is answered once when it comes back", async () => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(sessionOn(pi, "alice"));
    await alice.run("hello");
    world.model.push("alice", { gate: gate().promise });
    const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
    await waitFor(() => world.model.requests.length === 2, { what: "the model to work on the request" });
    await alice.kill("SIGKILL");
    world.model.push("alice", { text: "it is 42" });
    const again = await world.startReadyPi({ ...sessionOn(pi, "alice"), id: alice.id });
    expect(await replyTo(world, ABSENT, request)).toMatchObject({ status: "done", body: "it is 42" });
    await idle(again);
    await again.run("and?");
    expect(timesShown(world.model.requestsOf("alice").at(-1), "how many?")).toBe(1);
    expect(repliesTo(world, ABSENT, request)).toHaveLength(1);
  });
});
