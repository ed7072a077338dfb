import { expect, test } from "vitest";
import { immediates, MailHome, STRANGER } from "../support/mail-host.ts";

test("M-9: mail is read once it is in the conversation, not when it is handed over", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  expect(host.steps(id)).toEqual(["claimed"]);
  await host.agentStart();
  expect(host.steps(id)).toEqual(["claimed"]);
  await host.read();
  expect(host.steps(id)).toEqual(["claimed", "read"]);
  await host.assistant("answer");
  await host.settle();
  expect(host.steps(id)).toEqual(["claimed", "read", "answered"]);
});

test.for([
  ["a custom message of another extension", { role: "custom", customType: "other", details: { id: "r-1" } }],
  ["a custom message of ours without an id", { role: "custom", customType: "mailbox", details: {} }],
  ["one whose details are null", { role: "custom", customType: "mailbox", details: null }],
  ["a prompt", { role: "user", content: "r-1", details: { id: "r-1" }, customType: "mailbox" }],
  ["an id that is not this letter's", { role: "custom", customType: "mailbox", details: { id: "r-2" } }],
])("M-9: %s in the conversation does not make a letter read", async ([, message]) => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, id: "r-1" });
  await host.agentStart();
  await host.messageEnd(message as { role: string });
  await host.settle({ aborted: true });
  expect(host.steps("r-1")).toEqual(["claimed", "answered"]);
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "failed" }]);
});

test("M-9: a reply shown quietly counts as read at once, and is never shown again", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER, kind: "reply", inReplyTo: ["x"] });
  expect(host.steps(id)).toEqual(["claimed", "read"]);
  for (const aborted of [false, true, false]) {
    await host.agentStart();
    await host.settle({ aborted });
    await immediates();
  }
  expect(host.shownIds()).toEqual([id]);
});

test("M-9: what a listener took over counts as read at once, and is never shown by us", async () => {
  await using home = new MailHome();
  const host = await home.open({
    before: (pi) => pi.events.on("message:inbound", (payload) => Object.assign(payload as object, { handled: true })),
  });
  const kinds = ["request", "ask", "message", "reply"] as const;
  const ids = kinds.map((kind) => host.arrive({ from: STRANGER, kind }).id);
  expect(ids.map((id) => host.steps(id))).toEqual(ids.map(() => ["claimed", "read"]));
  await host.run("taken care of");
  await immediates();
  await host.agentStart();
  await host.settle({ aborted: true });
  await immediates();
  expect(host.sent).toEqual([]);
  expect(home.inbox(STRANGER).map(({ status, in_reply_to }) => [status, in_reply_to])).toEqual([
    ["done", [ids[0]]],
    ["done", [ids[1]]],
  ]);
});

test("M-9: mail that the host puts into the conversation twice is answered once", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  await host.messageEnd({ role: "custom", customType: "mailbox", details: { id } });
  await host.assistant("answer");
  await host.settle();
  await host.agentStart();
  await host.messageEnd({ role: "custom", customType: "mailbox", details: { id } });
  await host.assistant("another run");
  await host.settle();
  expect(home.inbox(STRANGER).map(({ body }) => body)).toEqual(["answer"]);
});
