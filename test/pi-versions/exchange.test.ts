import { describe, expect, test } from "vitest";
import { ABSENT, enterTool, leaveClaimed, leaveMail, timesShown } from "../support/absent-sender.ts";
import { replyTo, shownText, toolOutcome, typeRequest } from "../support/letters.ts";
import { gate } from "../support/mock-model.ts";
import { makeWorld } from "../support/world.ts";
import { expectNoComplaints, idle, sessionOn } from "./old-session.ts";
import { OLD_PIS } from "./versions.ts";

describe.each(OLD_PIS)("on Pi $version", (pi) => {
  test("M-7, M-10: a typed request is answered by the other session's run, and its reply is shown without a turn", async () => {
    await using world = await makeWorld();
    const [alice, bob] = await Promise.all([
      world.startReadyPi(sessionOn(pi, "alice")),
      world.startReadyPi(sessionOn(pi, "bob")),
    ]);
    world.model.push("bob", { text: "42" });
    const request = await typeRequest(world, alice, "bob", "how many?");
    const reply = await replyTo(world, alice.id, request);
    expect(reply).toMatchObject({ status: "done", body: "42", hops: 1 });
    expect(await shownText(alice, reply.id)).toContain("42");
    expect(world.model.requestsOf("alice")).toHaveLength(0);
    await alice.run("and?");
    expect(timesShown(world.model.requestsOf("alice").at(-1), "\n42\n")).toBe(1);
    for (const session of [alice, bob]) expectNoComplaints(session);
  });

  test("M-14: an ask is answered with session_mail_reply before the run of the asked session ends", async () => {
    await using world = await makeWorld();
    const [alice, bob] = await Promise.all([
      world.startReadyPi(sessionOn(pi, "alice")),
      world.startReadyPi(sessionOn(pi, "bob")),
    ]);
    const ending = gate();
    const answer = () => {
      const [ask] = world.envelopes(bob.id, "cur");
      return { tool: { name: "session_mail_reply", args: { ask: ask?.id ?? "", message: "the second one" } } };
    };
    world.model.push("bob", answer, { gate: ending.promise, text: "bob is done" });
    world.model.push("alice", { tool: { name: "session_mail_ask", args: { to: "bob", message: "which one?" } } });
    const from = alice.records.length;
    await alice.prompt("ask bob");
    const outcome = await toolOutcome(alice, "session_mail_ask", from);
    expect(outcome).toMatchObject({ isError: false, text: expect.stringContaining("the second one") });
    await alice.settled(from);
    ending.open();
    await idle(bob);
    const [ask] = world.envelopes(alice.id, "sent");
    expect(world.envelopes(alice.id, "cur").map(({ in_reply_to }) => in_reply_to)).toEqual([[ask?.id]]);
    for (const session of [alice, bob]) expectNoComplaints(session);
  });

  test("M-7: a reply that comes during a run costs no turn and is shown once", async () => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(sessionOn(pi, "alice"));
    const asked = await typeRequest(world, alice, ABSENT, "how many?");
    const from = await enterTool(world, alice, { text: "the tool is done" });
    const reply = await leaveClaimed(world, alice.id, { kind: "reply", body: "it is 42", inReplyTo: [asked] });
    alice.releaseProbe();
    await alice.settled(from);
    await shownText(alice, reply);
    await idle(alice);
    expect(world.model.requests).toHaveLength(2);
    await alice.run("and?");
    expect(world.model.requests).toHaveLength(3);
    expect(timesShown(world.model.requests.at(-1), "it is 42")).toBe(1);
    expectNoComplaints(alice);
  });

  test("M-7: mail for the model reaches a busy session between its tool calls, and several letters at once are all read", async () => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(sessionOn(pi, "alice"));
    const from = await enterTool(world, alice);
    const ids: string[] = [];
    for (const body of ["first", "second", "third"]) {
      ids.push(await leaveClaimed(world, alice.id, { kind: "request", body: `the ${body} letter` }));
    }
    alice.releaseProbe();
    await alice.settled(from);
    for (const id of ids) expect(await replyTo(world, ABSENT, id)).toMatchObject({ status: "done" });
    await idle(alice);
    await alice.run("and?");
    for (const body of ["first", "second", "third"]) {
      expect(timesShown(world.model.requests.at(-1), `the ${body} letter`)).toBe(1);
    }
  });

  test("M-10: a run that ends on an error answers failed with the error", async () => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi(sessionOn(pi, "alice"));
    world.model.push("alice", { error: "the model is out" });
    const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
    const reply = await replyTo(world, ABSENT, request);
    expect(reply.status).toBe("failed");
    expect(reply.body).toContain("the model is out");
  });
});
