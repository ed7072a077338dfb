import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

afterEach(() => {
  vi.useRealTimers();
});

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
}

const unsentWarnings = (host: MailHost) => host.warnings().filter((text) => /could not be written/.test(text));

test("M-11: a reply that can not be written is kept, told once, and sent by itself once it can be", async () => {
  fakeTimers();
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER, hops: 1 });
  const other = host.arrive({ from: NEIGHBOUR });
  const mend = home.blockMailbox(STRANGER);
  await host.run("the answer");
  expect(home.inbox(NEIGHBOUR)).toMatchObject([{ in_reply_to: [other.id] }]);
  expect(unsentWarnings(host)).toHaveLength(1);
  expect(unsentWarnings(host)[0]).toContain(STRANGER);

  await host.run("another run says something else");
  host.arrive({ from: NEIGHBOUR });
  await host.run("and a third");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(unsentWarnings(host)).toHaveLength(1);
  expect(host.steps(id)).toEqual(["claimed", "read"]);

  mend();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "done", body: "the answer", in_reply_to: [id], hops: 2 }]);
  expect(host.steps(id)).toEqual(["claimed", "read", "answered"]);
  expect(host.notices().at(-1)).toMatch(/is sent now/);
  await host.shutdown();
  expect(home.inbox(STRANGER)).toHaveLength(1);
});

test("M-11: several replies that could not be written are all sent, each once and in their order", async () => {
  fakeTimers();
  await using home = new MailHome();
  const host = await home.open();
  const bodies = ["one", "two", "three"];
  host.arrive({ from: STRANGER });
  const mend = home.blockMailbox(STRANGER);
  await host.run("one");
  mend();
  for (const body of bodies.slice(1)) {
    host.arrive({ from: STRANGER });
    const again = home.blockMailbox(STRANGER);
    await host.run(body);
    again();
  }
  await vi.advanceTimersByTimeAsync(2_000);
  expect(home.inbox(STRANGER).map(({ body }) => body)).toEqual(bodies);
});

test("M-11: a reply that could not be written is sent when the session closes before its next try", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  const mend = home.blockMailbox(STRANGER);
  await host.run("the answer");
  mend();
  await host.shutdown();
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "done", body: "the answer", in_reply_to: [id] }]);
  const resumed = await home.open({ id: host.address, entries: host.entries });
  expect(resumed.sent).toEqual([]);
  await resumed.run("nothing owed");
  expect(home.inbox(STRANGER)).toHaveLength(1);
});

test("M-11, M-12: a reply that could not be written until the session ended is still owed when it is resumed", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  const mend = home.blockMailbox(STRANGER);
  await host.run("the answer");
  await host.shutdown();
  mend();
  const resumed = await home.open({ id: host.address, entries: host.entries });
  await resumed.run("answered after all");
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "done", body: "answered after all", in_reply_to: [id] }]);
});

test("M-11: session_mail_reply that can not write says so, and the ask stays open", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER, kind: "ask" });
  await host.agentStart();
  await host.read();
  const mend = home.blockMailbox(STRANGER);
  const reason = await host.refusal("reply", { ask: id, message: "the answer" });
  expect(reason).toMatch(/is not a folder.*Move it away/);
  mend();
  await host.tool("reply", { ask: id, message: "the answer" });
  await host.assistant("done");
  await host.settle();
  expect(home.inbox(STRANGER)).toMatchObject([{ body: "the answer" }]);
});

test("M-2, M-14: a send that can not write says why and what to do, and leaves nothing behind", async () => {
  await using home = new MailHome();
  const host = await home.open();
  home.put({ from: host.address, to: STRANGER, kind: "message" });
  const before = home.names(host.address, "sent");
  const mend = home.blockMailbox(STRANGER);
  const reason = await host.refusal("send", { to: STRANGER, message: "hello" });
  expect(reason).toContain(join(home.mailRoot, STRANGER));
  expect(reason).toMatch(/Move it away/);
  mend();
  expect(home.names(host.address, "sent")).toEqual(before);
  expect(home.names(host.address, "tmp")).toEqual([]);
  expect(home.names(STRANGER, "tmp")).toEqual([]);
});
