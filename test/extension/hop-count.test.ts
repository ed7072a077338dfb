import { expect, test } from "vitest";
import { immediates, MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

/** The hops that mail of the model carries now. */
async function hopsNow(host: MailHost): Promise<number | undefined> {
  await host.tool("send", { to: NEIGHBOUR, message: "how many hops?" });
  return host.home.inbox(NEIGHBOUR).at(-1)?.hops;
}

const NO_LIMIT = { hopLimit: 1000 };

test.for<["request" | "ask" | "message", number, number]>([
  ["request", 0, 1],
  ["ask", 3, 4],
  ["message", 7, 8],
])("M-16: a %s with %i hops that wakes a session makes its mail carry %i", async ([kind, hops, carried]) => {
  await using home = new MailHome();
  home.settings(NO_LIMIT);
  const host = await home.open();
  host.arrive({ from: STRANGER, kind, hops });
  await host.agentStart();
  await host.read();
  expect(await hopsNow(host)).toBe(carried);
});

test("M-16: a person's turn starts at 0, and mail that steers it raises the count to the highest", async () => {
  await using home = new MailHome();
  home.settings(NO_LIMIT);
  const host = await home.open();
  await host.input("do it");
  await host.agentStart();
  expect(await hopsNow(host)).toBe(0);
  for (const [hops, carried] of [
    [2, 3],
    [0, 3],
    [5, 6],
    [1, 6],
  ] as const) {
    host.arrive({ from: STRANGER, kind: "message", hops });
    expect(await hopsNow(host)).toBe(carried);
  }
});

test.for(["interactive", "rpc", "extension"] as const)(
  "M-16: input from %s during a turn sets the count back to 0",
  async (source) => {
    await using home = new MailHome();
    home.settings(NO_LIMIT);
    const host = await home.open();
    host.arrive({ from: STRANGER, hops: 4 });
    await host.agentStart();
    await host.read();
    await host.input("listen", source);
    expect(await hopsNow(host)).toBe(0);
  },
);

test("M-16: a reply shown quietly does not count, a late answer to an ask does", async () => {
  await using home = new MailHome();
  home.settings(NO_LIMIT);
  const host = await home.open();
  await host.input("go");
  await host.agentStart();
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: ["x"], hops: 9 });
  expect(await hopsNow(host)).toBe(0);
  const ask = home.put({ from: host.address, to: STRANGER, kind: "ask" });
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: [ask.id], hops: 4 });
  expect(await hopsNow(host)).toBe(5);
});

test("M-16: the answer to a waiting ask does not count", async () => {
  await using home = new MailHome();
  home.settings(NO_LIMIT);
  const host = await home.open();
  const bob = await home.open({ name: "bob" });
  await host.input("go");
  await host.agentStart();
  const result = host.tool("ask", { to: "bob", message: "?" });
  const id = host.box("sent")[0]?.id ?? "";
  host.arrive({ from: bob.address, kind: "reply", inReplyTo: [id], hops: 9 });
  await result;
  expect(await hopsNow(host)).toBe(0);
});

test.for(["reply", "request", "message"] as const)("M-16: a %s that a listener took over counts", async (kind) => {
  await using home = new MailHome();
  home.settings(NO_LIMIT);
  const host = await home.open({
    before: (pi) => pi.events.on("message:inbound", (payload) => Object.assign(payload as object, { handled: true })),
  });
  await host.agentStart();
  host.arrive({ from: STRANGER, kind, hops: 3, ...(kind === "reply" ? { inReplyTo: ["x"] } : {}) });
  expect(await hopsNow(host)).toBe(4);
});

test("M-16: the count starts again at 0 once the run has settled", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, hops: 4 });
  await host.run("answer");
  await host.agentStart();
  expect(await hopsNow(host)).toBe(0);
});

test("M-16: letters that the host hands over one run after the other keep the hops of each for its run", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const first = host.arrive({ from: STRANGER, kind: "message", hops: 1 });
  const second = host.arrive({ from: STRANGER, kind: "message", hops: 4 });
  for (const { id } of [first, second]) {
    await host.agentStart();
    await host.messageEnd({ role: "custom", customType: "mailbox", details: { id } });
    if (id === second.id) expect(await host.refusal("send", { to: NEIGHBOUR, message: "on and on" })).toMatch(/hop/);
    await host.assistant("going on");
    await host.settle();
  }
});

test("M-16: mail that the host dropped still counts when it is handed over again", async () => {
  await using home = new MailHome();
  home.settings(NO_LIMIT);
  const host = await home.open();
  await host.agentStart();
  host.arrive({ from: STRANGER, hops: 4 });
  await host.settle();
  await immediates();
  await host.agentStart();
  await host.read();
  expect(await hopsNow(host)).toBe(5);
});

test("M-16: what an abort left unread does not count for the person's next turn", async () => {
  await using home = new MailHome();
  home.settings(NO_LIMIT);
  const host = await home.open();
  await host.agentStart();
  host.arrive({ from: STRANGER, hops: 4, kind: "message" });
  await host.settle({ aborted: true });
  await host.input("my own idea");
  await host.agentStart();
  expect(await hopsNow(host)).toBe(0);
});

test("M-16: hops beyond what a number can count exactly stay a whole number, and are at the limit", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, hops: Number.MAX_SAFE_INTEGER });
  await host.agentStart();
  await host.read();
  expect(await host.refusal("send", { to: NEIGHBOUR, message: "?" })).toContain(`${Number.MAX_SAFE_INTEGER}`);
  await host.assistant("answer");
  await host.settle();
  expect(home.inbox(STRANGER)).toMatchObject([{ hops: Number.MAX_SAFE_INTEGER, status: "done" }]);
});
