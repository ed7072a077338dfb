import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MailHome, type MailHost, NEIGHBOUR, resultText } from "../support/mail-host.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Asking {
  readonly anna: MailHost;
  readonly bob: MailHost;
  /** Id of the ask. */
  readonly id: string;
  readonly result: ReturnType<MailHost["callTool"]>;
  readonly stop: AbortController;
}

/** Anna asks bob, and waits. */
async function asking(home: MailHome): Promise<Asking> {
  const anna = await home.open({ name: "anna" });
  const bob = await home.open({ name: "bob" });
  await anna.agentStart();
  const stop = new AbortController();
  const result = anna.callTool("session_mail_ask", { to: "bob", message: "how far?" }, stop.signal);
  const id = anna.box("sent")[0]?.id ?? "";
  return { anna, bob, id, result, stop };
}

/** After the wait: nothing is left of it. */
function expectOver(anna: MailHost): void {
  expect(anna.record()).toMatchObject({ waitingOn: "" });
  expect(anna.home.names(anna.address, "new")).toEqual([]);
}

test("M-14, M-24: the ask and whom it waits on are on disk before the tool's first await", async () => {
  await using home = new MailHome();
  const { anna, bob, id, result, stop } = await asking(home);
  expect(home.box(bob.address, "new")).toMatchObject([{ id, kind: "ask", from: anna.address, body: "how far?" }]);
  expect(anna.record()).toMatchObject({ waitingOn: bob.address, state: "busy" });
  stop.abort();
  await result;
});

test.for(["done", "stopped", "failed"] as const)(
  "M-14: the answer with the status %s is the result of the ask, and neither shown nor emitted",
  async (status) => {
    await using home = new MailHome();
    const { anna, bob, id, result } = await asking(home);
    const emitted: unknown[] = [];
    anna.events.on("message:inbound", (payload) => emitted.push(payload));
    const reply = anna.arrive({ from: bob.address, kind: "reply", inReplyTo: [id], status, body: "5 miles" });
    const ended = await result;
    const text = resultText(ended);
    expect(text).toMatch(/^\[mailbox\] From bob /);
    expect(text).toContain("\n\n5 miles\n\n");
    expect(/not an answer/.test(text)).toBe(status !== "done");
    if (status !== "done") expect(text).toContain(status);
    expect(ended.details).toMatchObject({ id, to: bob.address, outcome: status, reply: reply.id });
    expect([anna.sent, emitted]).toEqual([[], []]);
    expectOver(anna);
  },
);

test("M-14: without an answer in 10 minutes the result says so, and a later answer starts a turn", async () => {
  await using home = new MailHome();
  const { anna, bob, id, result } = await asking(home);
  let isOver = false;
  void result.then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(10 * 60 * 1000 - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(resultText(await result)).toMatch(/no answer yet/i);
  expect((await result).details).toMatchObject({ id, outcome: "no answer yet" });
  expectOver(anna);
  anna.arrive({ from: bob.address, kind: "reply", inReplyTo: [id], body: "5 miles" });
  expect(anna.sent).toMatchObject([{ options: { triggerTurn: true } }]);
  expect(anna.texts()[0]).toMatch(/stopped waiting/);
});

test("M-14, R-11: an asker learns within seconds that the asked session stopped running", async () => {
  await using home = new MailHome();
  const { anna, bob, result } = await asking(home);
  rmSync(join(home.mailRoot, "running", `${bob.address}.json`));
  bob.crash();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(resultText(await result)).toMatch(/stopped running/);
  expect((await result).details).toMatchObject({ outcome: "stopped running" });
  expectOver(anna);
});

test("M-14: a session that is away for a moment, as when it reloads, ends no wait", async () => {
  await using home = new MailHome();
  const { anna, bob, id, result } = await asking(home);
  await vi.advanceTimersByTimeAsync(900);
  await bob.shutdown("reload");
  await vi.advanceTimersByTimeAsync(1_000);
  await bob.sessionStart("reload");
  await vi.advanceTimersByTimeAsync(10_000);
  anna.arrive({ from: bob.address, kind: "reply", inReplyTo: [id], body: "5 miles" });
  expect((await result).details).toMatchObject({ outcome: "done" });
});

test.for([
  ["the asked session is found gone", "done", 3_000],
  ["the ten minutes are over", "done", 10 * 60 * 1000],
] as const)(
  "M-14: an answer that is written just before %s, and that nothing has told of, is the result",
  async ([, outcome, afterMs]) => {
    await using home = new MailHome();
    const anna = await home.open({ name: "anna" });
    const bob = await home.open({ name: "bob" });
    // The ask's looks then come half a second after the inbox was last polled.
    await vi.advanceTimersByTimeAsync(500);
    const result = anna.callTool("session_mail_ask", { to: "bob", message: "how far?" });
    const id = anna.box("sent")[0]?.id ?? "";
    if (afterMs === 3_000) await bob.shutdown();
    await vi.advanceTimersByTimeAsync(afterMs - 100);
    home.put({ from: bob.address, to: anna.address, kind: "reply", inReplyTo: [id], body: "just in time" });
    // Not awaited: no event of the watcher can come between.
    vi.advanceTimersByTime(100);
    expect((await result).details).toMatchObject({ outcome });
    expect(resultText(await result)).toContain("just in time");
    expectOver(anna);
  },
);

test("M-14: an answer that was written just before the asked session went is the result", async () => {
  await using home = new MailHome();
  const { anna, bob, id, result } = await asking(home);
  // Nobody tells the asker of it: the watcher's event may be late.
  await bob.shutdown();
  home.put({ from: bob.address, to: anna.address, kind: "reply", inReplyTo: [id], body: "just in time" });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(resultText(await result)).toContain("just in time");
  expectOver(anna);
});

test("M-14: the person can stop the wait, and a later answer starts a turn", async () => {
  await using home = new MailHome();
  const { anna, bob, id, result, stop } = await asking(home);
  stop.abort();
  expect(resultText(await result)).toMatch(/user stopped/i);
  expect((await result).details).toMatchObject({ outcome: "stopped by user" });
  expectOver(anna);
  anna.arrive({ from: bob.address, kind: "reply", inReplyTo: [id] });
  expect(anna.sent).toMatchObject([{ options: { triggerTurn: true } }]);
});

test("M-14: a wait that is stopped before it begins ends at once", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  await home.open({ name: "bob" });
  const result = await anna.callTool("session_mail_ask", { to: "bob", message: "?" }, AbortSignal.abort());
  expect(result.details).toMatchObject({ outcome: "stopped by user" });
  expectOver(anna);
});

test("M-14: whatever ends the wait, no timer of it is left", async () => {
  await using home = new MailHome();
  const before = async () => {
    const anna = await home.open();
    const count = vi.getTimerCount();
    return { anna, count };
  };
  const bob = await home.open({ name: "bob" });
  const { anna, count } = await before();
  const stop = new AbortController();
  const first = anna.callTool("session_mail_ask", { to: "bob", message: "?" }, stop.signal);
  expect(vi.getTimerCount()).toBeGreaterThan(count);
  stop.abort();
  await first;
  const second = anna.callTool("session_mail_ask", { to: "bob", message: "?" });
  anna.arrive({ from: bob.address, kind: "reply", inReplyTo: [anna.box("sent").at(-1)?.id ?? ""] });
  await second;
  const third = anna.callTool("session_mail_ask", { to: "bob", message: "?" });
  await vi.advanceTimersByTimeAsync(10 * 60 * 1000);
  await third;
  expect(vi.getTimerCount()).toBe(count);
});

test("M-23: a session that shuts down while it waits ends the wait and its timers", async () => {
  await using home = new MailHome();
  const { anna, bob, result } = await asking(home);
  await anna.shutdown();
  await result;
  await bob.shutdown();
  expect(vi.getTimerCount()).toBe(0);
  expect(home.running()).toEqual([]);
});

test("M-13: a reply to the waiting ask from another session is no answer, and says that it does not come from who was asked", async () => {
  await using home = new MailHome();
  const { anna, bob, id, result } = await asking(home);
  const forged = anna.arrive({ from: NEIGHBOUR, kind: "reply", inReplyTo: [id], body: "forged" });
  expect(anna.shownIds()).toEqual([forged.id]);
  expect(anna.texts()[0]).toMatch(new RegExp(`does not come from ${bob.address}`));
  expect(anna.texts()[0]).not.toMatch(/stopped waiting/);
  expect(anna.sent[0]?.costsTurn).toBe(false);
  expect(anna.record()).toMatchObject({ waitingOn: bob.address });
  anna.arrive({ from: bob.address, kind: "reply", inReplyTo: [id], body: "5 miles" });
  expect(resultText(await result)).toContain("5 miles");
});

test("M-13: other mail of the asked session does not end the wait", async () => {
  await using home = new MailHome();
  const { anna, bob, id, result } = await asking(home);
  anna.arrive({ from: bob.address, kind: "reply", inReplyTo: ["another"], body: "of something else" });
  anna.arrive({ from: bob.address, kind: "message", body: "by the way" });
  expect(anna.sent).toHaveLength(2);
  anna.arrive({ from: bob.address, kind: "reply", inReplyTo: ["another", id], body: "5 miles" });
  expect(resultText(await result)).toContain("5 miles");
});

test("M-13, M-14: of two answers to an ask the first is its result and the second is shown", async () => {
  await using home = new MailHome();
  const { anna, bob, id, result } = await asking(home);
  home.put({ from: bob.address, to: anna.address, kind: "reply", inReplyTo: [id], body: "the first" });
  const second = home.put({ from: bob.address, to: anna.address, kind: "reply", inReplyTo: [id], body: "the second" });
  anna.scan();
  expect(resultText(await result)).toContain("the first");
  expect(anna.shownIds()).toEqual([second.id]);
  expectOver(anna);
});
