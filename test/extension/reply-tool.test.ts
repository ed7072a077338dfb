import { expect, test } from "vitest";
import { MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

/** A session in a run that has read two asks of one sender, a request, a message and a reply. */
async function inRun(home: MailHome): Promise<MailHost> {
  const host = await home.open();
  host.arrive({ from: STRANGER, kind: "ask", id: "ask-0000-1111", hops: 1 });
  host.arrive({ from: STRANGER, kind: "ask", id: "ask-0000-2222" });
  host.arrive({ from: STRANGER, kind: "request", id: "the-request" });
  host.arrive({ from: NEIGHBOUR, kind: "message", id: "the-message" });
  host.arrive({ from: NEIGHBOUR, kind: "reply", id: "the-reply", inReplyTo: ["x"] });
  await host.agentStart();
  await host.read();
  return host;
}

test("M-14: session_mail_reply answers one ask at once with status done and the hops of the turn, and the run goes on", async () => {
  await using home = new MailHome();
  const host = await inRun(home);
  const result = await host.callTool("session_mail_reply", { ask: "ask-0000-1111", message: "here it is" });
  const [reply] = home.inbox(STRANGER);
  expect(reply).toMatchObject({
    kind: "reply",
    from: host.address,
    to: STRANGER,
    status: "done",
    hops: 2,
    in_reply_to: ["ask-0000-1111"],
    body: "here it is",
  });
  expect(result.details).toMatchObject({ id: reply?.id, ask: "ask-0000-1111", to: STRANGER });
  expect(host.record()?.state).toBe("busy");
  expect(host.steps("ask-0000-1111")).toEqual(["claimed", "read", "answered"]);
  await host.assistant("the rest");
  await host.settle();
  expect(home.inbox(STRANGER).map(({ in_reply_to, body }) => [in_reply_to, body])).toEqual([
    [["ask-0000-1111"], "here it is"],
    [["the-request"], "the rest"],
    [["ask-0000-2222"], "the rest"],
  ]);
});

test.for<[string, string, string, RegExp]>([
  ["a request", "the-request", "hi", /is a request, not an ask.*automatically/],
  ["a message", "the-message", "hi", /is a message, not an ask.*session_mail_send/],
  ["a reply", "the-reply", "hi", /is a reply, not an ask/],
  ["an id that never came", "nobody-asked", "hi", /No ask with the id "nobody-asked".*ask-0000-1111, ask-0000-2222/],
  ["no id", "", "hi", /No ask/],
  ["fewer than 8 characters of an id", "ask-000", "hi", /No ask/],
  ["the beginning of two ids", "ask-0000", "hi", /No ask.*ask-0000-1111, ask-0000-2222/],
  ["the id of a property of every object", "constructor", "hi", /No ask/],
  ["an empty text", "ask-0000-1111", "", /text is empty/],
  ["a text of blanks", "ask-0000-1111", " \n ", /text is empty/],
])("M-14: session_mail_reply refuses %s with its reason, and sends nothing", async ([, ask, message, reason]) => {
  await using home = new MailHome();
  const host = await inRun(home);
  expect(await host.refusal("reply", { ask, message })).toMatch(reason);
  expect(home.inbox(STRANGER)).toEqual([]);
  expect(home.inbox(NEIGHBOUR)).toEqual([]);
  await host.tool("reply", { ask: "ask-0000-1111", message: "still open" });
});

test("M-14: session_mail_reply takes the beginning of an id when it means one open ask", async () => {
  await using home = new MailHome();
  const host = await inRun(home);
  await host.tool("reply", { ask: " ask-0000-2 ", message: "here" });
  expect(home.inbox(STRANGER).map(({ in_reply_to }) => in_reply_to)).toEqual([["ask-0000-2222"]]);
});

test("M-14: an ask is answered once, whether by the tool or at settle", async () => {
  await using home = new MailHome();
  const host = await inRun(home);
  await host.tool("reply", { ask: "ask-0000-1111", message: "here" });
  expect(await host.refusal("reply", { ask: "ask-0000-1111", message: "again" })).toMatch(/answered already/);
  await host.assistant("the rest");
  await host.settle();
  for (const ask of ["ask-0000-1111", "ask-0000-2222"]) {
    expect(await host.refusal("reply", { ask, message: "again" })).toMatch(/answered already/);
  }
  expect(home.inbox(STRANGER)).toHaveLength(3);
});

test("M-14: an ask that a stopped run answered is answered already", async () => {
  await using home = new MailHome();
  const host = await inRun(home);
  await host.settle({ aborted: true });
  expect(await host.refusal("reply", { ask: "ask-0000-1111", message: "late" })).toMatch(/answered already/);
  expect(home.inbox(STRANGER).every(({ status }) => status === "stopped")).toBe(true);
});

test("M-14: an ask can be answered though the model has not read it, and is not answered again when it is", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.agentStart();
  const { id } = host.arrive({ from: STRANGER, kind: "ask" });
  await host.tool("reply", { ask: id, message: "I know already" });
  await host.read();
  await host.assistant("done");
  await host.settle();
  expect(home.inbox(STRANGER).map(({ body }) => body)).toEqual(["I know already"]);
});

test("M-14: session_mail_reply works with no run going on", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER, kind: "ask" });
  await host.tool("reply", { ask: id, message: "here" });
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "done", in_reply_to: [id] }]);
});

test("M-14: the asker's session_mail_ask returns with what session_mail_reply sent", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const bob = await home.open({ name: "bob" });
  await anna.agentStart();
  const result = anna.tool("ask", { to: "bob", message: "how far?" });
  bob.scan();
  await bob.agentStart();
  await bob.read();
  const id = bob.box("cur")[0]?.id ?? "";
  expect(bob.texts()[0]).toContain(id);
  await bob.tool("reply", { ask: id, message: "5 miles" });
  anna.scan();
  expect(await result).toContain("\n\n5 miles\n\n");
});
