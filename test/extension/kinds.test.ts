import { expect, test } from "vitest";
import { MailHome, STRANGER } from "../support/mail-host.ts";
import type { OriginalLetter } from "../support/original-form.ts";

const WAKES = { triggerTurn: true, deliverAs: "steer" };
const QUIET = { triggerTurn: false, deliverAs: "followUp" };

const KINDS: [string, Partial<OriginalLetter>, object][] = [
  ["request", { kind: "request" }, WAKES],
  ["ask", { kind: "ask" }, WAKES],
  ["message", { kind: "message" }, WAKES],
  ["done reply", { kind: "reply", inReplyTo: ["unknown"] }, QUIET],
  ["failed reply", { kind: "reply", inReplyTo: ["unknown"], status: "failed" }, QUIET],
  ["reply that names nothing", { kind: "reply" }, QUIET],
];

test.for(KINDS)("M-7: a %s is handed to an idle session in the way of its kind", async ([, letter, options]) => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER, ...letter });
  expect(host.sent).toMatchObject([
    { message: { customType: "mailbox", display: true, details: { id } }, options: { ...options }, read: false },
  ]);
  expect(Object.keys(host.sent[0]?.options ?? {}).sort()).toEqual(["deliverAs", "triggerTurn"]);
  expect(host.sent[0]?.costsTurn).toBe(options === WAKES);
});

test.for(KINDS)(
  "M-7: a %s reaches a session that runs at once, also while the person has typed ahead",
  async ([, letter, options]) => {
    await using home = new MailHome();
    const host = await home.open();
    await host.input("work");
    await host.agentStart();
    await host.input("and then this");
    host.arrive({ from: STRANGER, ...letter });
    expect(host.sent.map((sent) => sent.options)).toEqual([options]);
  },
);

test.for(["1.0.0", "1.3.0", "1.6.0", "unknown"])(
  "M-7: on Pi %s a reply for no turn is shown during the run",
  async (hostVersion) => {
    await using home = new MailHome();
    const host = await home.open({ hostVersion });
    await host.agentStart();
    const { id } = host.arrive({ from: STRANGER, kind: "reply", inReplyTo: ["x"] });
    expect(host.shownIds()).toEqual([id]);
    expect(host.sent[0]?.costsTurn).toBe(false);
  },
);

test.for(["0.80.4", "0.80.6", "0.99.1"])(
  "M-7: on Pi %s a reply for no turn waits until the run has settled",
  async (hostVersion) => {
    await using home = new MailHome();
    const host = await home.open({ hostVersion });
    const early = host.arrive({ from: STRANGER, kind: "reply", inReplyTo: ["x"] });
    expect(host.shownIds()).toEqual([early.id]);
    await host.agentStart();
    const late = ["one", "two"].map(
      (body) => host.arrive({ from: STRANGER, kind: "reply", inReplyTo: ["x"], body }).id,
    );
    await host.assistant("working");
    expect(host.shownIds()).toEqual([early.id]);
    await host.settle();
    expect(host.shownIds()).toEqual([early.id, ...late]);
    expect(host.sent.map(({ costsTurn }) => costsTurn)).toEqual([false, false, false]);
    await host.run("later");
    expect(host.sent).toHaveLength(3);
    expect(late.map((id) => host.steps(id))).toEqual([
      ["claimed", "read"],
      ["claimed", "read"],
    ]);
  },
);

test("M-7: on an older Pi a reply that waits for the settle is shown after a run that the person stopped, too", async () => {
  await using home = new MailHome();
  const host = await home.open({ hostVersion: "0.80.6" });
  await host.agentStart();
  const { id } = host.arrive({ from: STRANGER, kind: "reply", inReplyTo: ["x"] });
  await host.settle({ aborted: true });
  expect(host.shownIds()).toEqual([id]);
  expect(host.sent[0]?.costsTurn).toBe(false);
});

test("M-7, M-12: on an older Pi a reply that still waits when the session closes is shown when it is resumed", async () => {
  await using home = new MailHome();
  const host = await home.open({ hostVersion: "0.80.6" });
  await host.agentStart();
  const { id } = host.arrive({ from: STRANGER, kind: "reply", inReplyTo: ["x"] });
  await host.shutdown();
  expect(host.sent).toEqual([]);
  const resumed = await home.open({ id: host.address, hostVersion: "0.80.6" });
  expect(resumed.shownIds()).toEqual([id]);
  expect(resumed.sent[0]?.costsTurn).toBe(false);
});

test("M-7: replies and messages are never answered", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, kind: "message" });
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: ["x"] });
  await host.run("an answer");
  await host.shutdown();
  expect(home.inbox(STRANGER)).toEqual([]);
});

test("M-7: a reply to an ask that nobody waits for any more starts a turn, like a message", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const ask = home.put({ from: host.address, to: STRANGER, kind: "ask", body: "how far?" });
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: [ask.id], body: "5 miles" });
  expect(host.sent[0]?.options).toEqual(WAKES);
  expect(host.texts()[0]).toMatch(/^\[mailbox\] From .* stopped waiting/);
  expect(host.texts()[0]).toContain("> how far?");
});

test("M-7: a reply that answers a request and an ask of this session starts a turn", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const request = home.put({ from: host.address, to: STRANGER });
  const ask = home.put({ from: host.address, to: STRANGER, kind: "ask" });
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: [request.id, ask.id] });
  expect(host.sent[0]?.options).toEqual(WAKES);
});
