import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { immediates, MailHome, type MailHost, STRANGER } from "../support/mail-host.ts";
import { waitFor } from "../support/wait-for.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Counts and plays timers by hand; immediates and the watcher stay real. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
}

function provides(host: MailHost): boolean {
  const payload: { scanned?: boolean } = {};
  host.events.emit("message:scan", payload);
  return payload.scanned === true;
}

test("M-23: mail is claimed by the watcher while the session runs, and by nobody once it has shut down", async () => {
  await using home = new MailHome();
  const open = await home.open();
  const closed = await home.open();
  await closed.shutdown();
  for (const { address } of [closed, open]) home.put({ from: STRANGER, to: address });
  await waitFor(() => open.sent.length === 1, { what: "the mail of the session that runs" });
  expect(closed.sent).toEqual([]);
  expect(home.names(closed.address, "new")).toHaveLength(1);
});

test("M-23, R-7: mail is claimed within a poll though no event told of it", async () => {
  fakeTimers();
  await using home = new MailHome();
  const host = await home.open();
  // The folder that the watcher looks at is another one from now on.
  const boxes = join(home.mailRoot, host.address);
  renameSync(boxes, `${boxes}.moved`);
  home.put({ from: STRANGER, to: host.address });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(host.sent).toHaveLength(1);
});

test("M-23: a shutdown leaves no timer, whatever was under way", async () => {
  fakeTimers();
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER });
  await host.agentStart();
  home.put({ from: STRANGER, to: host.address });
  await host.shutdown();
  expect(vi.getTimerCount()).toBe(0);
});

test.for(["new", "resume", "fork", "reload"] as const)(
  "M-23: after /%s the old pi and context are not used any more, and the new session is served",
  async (reason) => {
    await using home = new MailHome();
    const host = await home.open({ name: "anna" });
    const before = host.address;
    const read = host.arrive({ from: STRANGER, kind: "message" });
    await host.agentStart();
    await host.read();
    await host.settle();
    home.put({ from: STRANGER, to: before, id: "waits" });
    await host.replace(reason, { name: "next" });
    // What the old instance had put off would throw here, and fail the test.
    await immediates();
    const isReload = reason === "reload";
    expect(host.address === before).toBe(isReload);
    expect(home.running().map(({ address }) => address)).toEqual([host.address]);
    expect(host.shownIds()).toEqual(isReload ? [read.id, "waits"] : [read.id]);
    expect(home.names(before, "new")).toHaveLength(isReload ? 0 : 1);

    const next = host.arrive({ from: STRANGER });
    expect(host.shownIds().at(-1)).toBe(next.id);
    expect(host.shownIds().filter((id) => id === next.id)).toHaveLength(1);
    await host.run("answer");
    expect(home.inbox(STRANGER).flatMap(({ in_reply_to }) => in_reply_to)).toContain(next.id);
    expect(host.errors).toEqual([]);
  },
);

test("M-23: session after session in one process, each replacement leaves one watcher and one record", async () => {
  fakeTimers();
  await using home = new MailHome();
  const host = await home.open();
  for (const reason of ["new", "reload", "fork", "resume", "new"] as const) {
    await host.replace(reason);
    await immediates();
    expect(vi.getTimerCount()).toBe(1);
    expect(home.running()).toHaveLength(1);
    expect(provides(host)).toBe(true);
  }
});

test("M-23: session_start that fires twice opens the mailbox once", async () => {
  fakeTimers();
  await using home = new MailHome();
  const host = await home.open({ name: "anna", isStarted: false });
  home.put({ from: STRANGER, to: host.address });
  await host.sessionStart("new");
  await host.sessionStart("new");
  await immediates();
  await host.sessionStart("new");
  await immediates();
  expect(host.sent).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(1);
  expect(host.warnings()).toEqual([]);
  expect([...host.tools.keys()].filter((name) => name.startsWith("session_mail_"))).toHaveLength(4);
  await host.run("answer");
  expect(home.inbox(STRANGER)).toHaveLength(1);
  await host.shutdown();
  expect(vi.getTimerCount()).toBe(0);
  expect(home.running()).toEqual([]);
});

test("M-23: session_start for another session, with no shutdown in between, ends the one before", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const before = host.address;
  const { id } = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  host.sessionId = "another-session";
  await host.sessionStart("new");
  await immediates();
  expect(home.running().map(({ address }) => address)).toEqual(["another-session"]);
  expect(home.inbox(STRANGER)).toMatchObject([{ from: before, status: "failed", in_reply_to: [id] }]);
  const next = host.arrive({ from: STRANGER });
  expect(host.shownIds().at(-1)).toBe(next.id);
});

test("M-23: what the host tells after the shutdown changes nothing", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  await host.shutdown();
  const written = home.inbox(STRANGER);
  await host.input("late");
  await host.assistant("late answer");
  await host.settle();
  await host.agentStart();
  await host.rename("late");
  await immediates();
  expect(home.inbox(STRANGER)).toEqual(written);
  expect(home.running()).toEqual([]);
});

test("M-23: a session that is started again after its shutdown, on the same instance, is served again", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.shutdown("new");
  expect(provides(host)).toBe(false);
  await host.sessionStart("new");
  await immediates();
  expect(provides(host)).toBe(true);
  host.arrive({ from: STRANGER });
  expect(host.sent).toHaveLength(1);
});

test("M-23: a context that goes stale without a shutdown ends no timer in an error, and loses no mail", async () => {
  fakeTimers();
  await using home = new MailHome();
  const host = await home.open();
  home.drop(host.address, "not mail: a warning is due");
  home.put({ from: STRANGER, to: host.address, id: "still-there" });
  const stale = () => {
    throw new Error("This extension ctx is stale after session replacement or reload.");
  };
  Object.defineProperty(host.ctx, "hasUI", { get: stale });
  Object.defineProperty(host.ctx, "ui", { get: stale });
  // Errors of timers and watchers would end the process.
  await vi.advanceTimersByTimeAsync(3_000);
  expect(host.shownIds()).toEqual(["still-there"]);
  await host.shutdown();
  expect(vi.getTimerCount()).toBe(0);
  expect(home.running()).toEqual([]);
});

test.for(["../evil", "a/b", ".", "has space", "running", "a".repeat(300), ""])(
  "M-1, R-3: a session with the id %j has no mail, says so once, and writes nothing",
  async (id) => {
    await using home = new MailHome();
    const host = await home.open({ id });
    expect(host.warnings()).toHaveLength(1);
    expect(host.warnings()[0]).toMatch(/can not be an address/);
    expect(existsSync(home.mailRoot)).toBe(false);
    expect(await host.refusal("send", { to: STRANGER, message: "hi" })).toMatch(/no mailbox/);
    await host.run("a run");
    await host.shutdown();
    expect(existsSync(home.mailRoot)).toBe(false);
  },
);
