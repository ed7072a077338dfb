import { expect, test } from "vitest";
import { immediates, MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

/** A run that never reads what was handed over, and settles by itself. */
async function runBlind(host: MailHost, answer = "answer"): Promise<void> {
  await host.agentStart();
  await host.assistant(answer);
  await host.settle();
  await immediates();
}

/** A turn of a run ends with these letters in the host's queue. */
async function turnEnd(host: MailHost, ...queued: { readonly id: string }[]): Promise<void> {
  const pendingMessages = queued.map(({ id }) => ({ role: "custom", customType: "mailbox", details: { id } }));
  await host.emit("turn_end", { message: {}, toolResults: [], context: { pendingMessages } });
}

test.for(["request", "ask", "message"] as const)(
  "M-9: a %s that the host dropped is handed over once more after a normal settle, and said to be shown again",
  async (kind) => {
    await using home = new MailHome();
    const host = await home.open();
    await host.agentStart();
    const { id } = host.arrive({ from: STRANGER, kind });
    await host.assistant("knew nothing of it");
    await host.settle();
    await immediates();
    expect(home.inbox(STRANGER)).toEqual([]);
    expect(host.shownIds()).toEqual([id, id]);
    expect(host.texts()[0]).not.toMatch(/shown again/);
    expect(host.texts()[1]).toMatch(/shown again/);
    expect(host.sent[1]?.options).toEqual({ triggerTurn: true, deliverAs: "steer" });

    await host.run("now it knows");
    await immediates();
    expect(host.sent).toHaveLength(2);
    expect(home.inbox(STRANGER).map(({ body }) => body)).toEqual(kind === "message" ? [] : ["now it knows"]);
  },
);

test("M-9: mail that was dropped by a run that failed is handed over once more", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.agentStart();
  const { id } = host.arrive({ from: STRANGER });
  await host.assistant("", "error", "overloaded");
  await host.settle();
  await immediates();
  expect(home.inbox(STRANGER)).toEqual([]);
  expect(host.shownIds()).toEqual([id, id]);
});

test("M-9: what an abort dropped is answered failed, and a plain message is shown again quietly; neither ever twice", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.agentStart();
  const requests = ["one", "two"].map((body) => host.arrive({ from: STRANGER, body }).id);
  const ask = host.arrive({ from: STRANGER, kind: "ask" });
  const message = host.arrive({ from: NEIGHBOUR, kind: "message", body: "just so you know" });
  await host.settle({ aborted: true });
  await immediates();
  const replies = home.inbox(STRANGER);
  expect(replies.map(({ status, in_reply_to }) => [status, in_reply_to])).toEqual([
    ["failed", requests],
    ["failed", [ask.id]],
  ]);
  for (const { body } of replies) expect(body).toMatch(/before it read this.*Nothing was done/);
  const again = host.sent.slice(4);
  expect(again.map(({ message: { details }, costsTurn }) => [details?.["id"], costsTurn])).toEqual([
    [message.id, false],
  ]);
  expect(again[0]?.message.content).toContain("just so you know");

  await host.run("next");
  await host.agentStart();
  await host.settle({ aborted: true });
  await immediates();
  expect(home.inbox(STRANGER)).toHaveLength(2);
  expect(host.sent).toHaveLength(5);
});

test("M-9: mail that stays in the host's queue after an abort is not shown again, and a request in it is not answered twice", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.agentStart();
  const request = host.arrive({ from: STRANGER });
  const message = host.arrive({ from: STRANGER, kind: "message" });
  await turnEnd(host, request, message);
  await host.settle({ aborted: true });
  await immediates();
  expect(host.shownIds()).toEqual([request.id, message.id]);
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "failed", in_reply_to: [request.id] }]);

  await host.input("go on");
  await host.run("the person's answer");
  await immediates();
  expect(home.inbox(STRANGER)).toHaveLength(1);
  expect(host.sent).toHaveLength(2);
  expect([request, message].map(({ id }) => host.steps(id).includes("read"))).toEqual([true, true]);
});

test("M-9: only what the queue held when the last turn ended counts as kept", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.agentStart();
  const message = host.arrive({ from: STRANGER, kind: "message" });
  await turnEnd(host, message);
  await turnEnd(host);
  await host.settle({ aborted: true });
  expect(host.shownIds()).toEqual([message.id, message.id]);
});

test("M-9: of two messages at an abort, the one that the queue kept is not shown again and the one it lost is", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.agentStart();
  const lost = host.arrive({ from: STRANGER, kind: "message" });
  const kept = host.arrive({ from: STRANGER, kind: "message" });
  await turnEnd(host, kept);
  await host.settle({ aborted: true });
  expect(host.shownIds()).toEqual([lost.id, kept.id, lost.id]);
});

test("M-9: a queue that an earlier run kept says nothing of a later one", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const message = host.arrive({ from: STRANGER, kind: "message" });
  await host.agentStart();
  await turnEnd(host, message);
  await host.settle({ aborted: true });
  expect(host.shownIds()).toEqual([message.id]);
  await host.agentStart();
  await host.settle({ aborted: true });
  expect(host.shownIds()).toEqual([message.id, message.id]);
});

test.for([false, true])(
  "M-9: letters that the host hands to the model one run after the other are shown once each (minimal host: %s)",
  async (minimal) => {
    await using home = new MailHome();
    const host = await home.open({ minimal });
    const ids = ["one", "two", "three"].map((body) => host.arrive({ from: STRANGER, body }).id);
    for (const [at, id] of ids.entries()) {
      await host.agentStart();
      await host.messageEnd({ role: "custom", customType: "mailbox", details: { id } });
      await host.assistant(`answer ${at}`);
      await host.settle();
      // The host goes on with the next letter before anything that was put off comes to its turn.
      if (at < ids.length - 1) await host.agentStart();
      await immediates();
    }
    expect(host.shownIds()).toEqual(ids);
    expect(home.inbox(STRANGER).map(({ body, in_reply_to }) => [body, in_reply_to])).toEqual(
      ids.map((id, at) => [`answer ${at}`, [id]]),
    );
  },
);

test("M-9: a host that says it is about to run is not handed the same mail again", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const ids = ["one", "two"].map((body) => host.arrive({ from: STRANGER, body }).id);
  await host.agentStart();
  await host.messageEnd({ role: "custom", customType: "mailbox", details: { id: ids[0] } });
  await host.settle();
  host.busy = true;
  await immediates();
  expect(host.shownIds()).toEqual(ids);
});

test("M-9: a request that the host drops again and again is answered failed at last, and the person is told once", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  for (let round = 0; round < 12; round += 1) await runBlind(host);
  expect(host.sent.length).toBeLessThanOrEqual(5);
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "failed", in_reply_to: [id] }]);
  expect(host.warnings()).toHaveLength(1);
  expect(host.warnings()[0]).toContain(`${host.address}/cur/`);
});

test("M-9: a message that the host drops again and again is given up, and the person is told where it is", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, kind: "message" });
  for (let round = 0; round < 12; round += 1) await runBlind(host);
  expect(host.sent.length).toBeLessThanOrEqual(5);
  expect(home.inbox(STRANGER)).toEqual([]);
  expect(host.warnings()).toHaveLength(1);
});

test("M-9: nothing is handed over again to a session that has shut down meanwhile", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.settle();
  await host.shutdown();
  await immediates();
  expect(host.sent).toHaveLength(1);
});
