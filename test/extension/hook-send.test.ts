import { expect, test } from "vitest";
import { immediates, MailHome, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

type Payload = Record<string, unknown> & { to?: unknown; body?: unknown };

/** What a consumer finds on its payload once `emit` has returned. */
function emitSend(host: { events: { emit(channel: string, payload: unknown): void } }, payload: Payload): Payload {
  host.events.emit("message:send", payload);
  return payload;
}

test("M-18: message:send writes a request and sets the envelope, as written, before emit returns", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const payload = emitSend(host, { to: STRANGER, body: " run the tests\n", mine: "kept" });
  expect(Object.keys(payload).sort()).toEqual(["body", "envelope", "mine", "to"]);
  expect(home.inbox(STRANGER)).toEqual([payload["envelope"]]);
  expect(host.box("sent")).toEqual([payload["envelope"]]);
  expect(Object.keys(payload["envelope"] as object)).toEqual([
    "id",
    "from",
    "to",
    "kind",
    "hops",
    "in_reply_to",
    "status",
    "ts",
    "body",
  ]);
  expect(payload["envelope"]).toMatchObject({
    from: host.address,
    to: STRANGER,
    kind: "request",
    hops: 0,
    in_reply_to: [],
    status: "",
    body: " run the tests\n",
  });
});

test.for<[string, Payload, RegExp]>([
  ["no to", { body: "x" }, /`to` is undefined/],
  ["a to that is null", { to: null, body: "x" }, /`to` is/],
  ["a to that is a number", { to: 7, body: "x" }, /`to` is number/],
  ["a to that is an object", { to: { toString: () => STRANGER }, body: "x" }, /`to` is object/],
  ["an empty to", { to: "", body: "x" }, /`to` is ""/],
  ["a to that is a name", { to: "bob smith", body: "x" }, /"bob smith".*full id/],
  ["a to that leaves the root", { to: "../evil", body: "x" }, /"..\/evil"/],
  ["a to of 300 characters", { to: "a".repeat(300), body: "x" }, /not an address/],
  ["a to that is the folder of the records", { to: "running", body: "x" }, /not an address/],
  ["a to with a control character", { to: "bob\u001b[2J", body: "x" }, /\\u001b/],
  ["no body", { to: STRANGER }, /`body` is undefined/],
  ["a body that is a number", { to: STRANGER, body: 7 }, /`body` is number/],
  ["a body that is a list", { to: STRANGER, body: ["x"] }, /`body` is object/],
  ["an empty body", { to: STRANGER, body: "" }, /`body` is ""/],
  ["a body of blanks", { to: STRANGER, body: " \n" }, /`body` is/],
])("M-18: message:send with %s sets an error, and nothing is written", async ([, payload, reason]) => {
  await using home = new MailHome();
  const host = await home.open();
  emitSend(host, payload);
  expect(payload["envelope"]).toBeUndefined();
  expect(payload["error"]).toMatch(reason);
  expect(home.names(host.address, "sent")).toEqual([]);
  expect(home.names(STRANGER, "new")).toEqual([]);
});

test("M-18: message:send to the session itself sets an error", async () => {
  await using home = new MailHome();
  const host = await home.open();
  expect(emitSend(host, { to: host.address, body: "x" })["error"]).toMatch(/this session/);
});

test.for([null, undefined, 7, "text", true])(
  "M-18: the payload %j does no harm to message:send and message:scan",
  async (payload) => {
    await using home = new MailHome();
    const host = await home.open();
    host.events.emit("message:send", payload);
    host.events.emit("message:scan", payload);
    expect(host.errors).toEqual([]);
  },
);

test("M-18: message:send says that no session is active before the start", async () => {
  await using home = new MailHome();
  const host = await home.open({ isStarted: false });
  expect(emitSend(host, { to: STRANGER, body: "x" })["error"]).toMatch(/No session is active/);
});

test("M-18, M-23: after the shutdown no hook is answered, so that a consumer knows there is no provider", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.shutdown();
  const payload = emitSend(host, { to: STRANGER, body: "x" });
  expect(payload["envelope"]).toBeUndefined();
  const scan: Payload = {};
  host.events.emit("message:scan", scan);
  expect(scan).toEqual({});
  expect(home.names(STRANGER, "new")).toEqual([]);
});

test("M-18: what another provider has answered is left alone", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const sent = emitSend(host, { to: STRANGER, body: "x", envelope: { id: "theirs" } });
  const failed = emitSend(host, { to: STRANGER, body: "x", error: "theirs" });
  expect([sent["envelope"], failed["error"]]).toEqual([{ id: "theirs" }, "theirs"]);
  expect(home.names(STRANGER, "new")).toEqual([]);
});

test("M-18: a request that can not be written sets an error with the reason, and leaves nothing", async () => {
  await using home = new MailHome();
  const host = await home.open();
  home.blockMailbox(NEIGHBOUR);
  const payload = emitSend(host, { to: NEIGHBOUR, body: "x" });
  expect(payload["error"]).toMatch(/is not a folder/);
  expect(home.names(host.address, "sent")).toEqual([]);
});

test("M-18: a frozen payload is the emitter's own trouble", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.events.emit("message:send", Object.freeze({ to: STRANGER, body: "x" }));
  expect(host.errors.splice(0)).toHaveLength(1);
  host.arrive({ from: STRANGER });
  expect(host.sent).toHaveLength(1);
});

test("M-18: the reply to a request of message:send names it and reaches the listener that waits for it", async () => {
  await using home = new MailHome();
  const seen: Payload[] = [];
  const host = await home.open({
    after: (pi) => pi.events.on("message:inbound", (payload) => seen.push(payload as Payload)),
  });
  const { envelope } = emitSend(host, { to: STRANGER, body: "do it" }) as { envelope: { id: string } };
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: [envelope.id], body: "done" });
  expect(seen[0]?.["requests"]).toEqual([{ envelope, path: expect.stringContaining(`${host.address}/sent/`) }]);
  await immediates();
});
