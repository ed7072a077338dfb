import { mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { immediates, MailHome, STRANGER } from "../support/mail-host.ts";
import { waitFor } from "../support/wait-for.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Waits until the footer shows exactly this; undefined: nothing. */
async function footerIs(host: { footer(): string | undefined }, text: string | undefined): Promise<void> {
  await waitFor(() => host.footer() === text, { what: `the footer ${text}` }).catch((error: Error) => {
    throw new Error(`${error.message}; it shows ${host.footer()}`);
  });
}

test("M-19: the footer is hidden while all counts are zero, and only ever set under the key mailbox", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await immediates();
  expect(host.statusHistory.filter(({ text }) => text !== undefined)).toEqual([]);
  host.arrive({ from: STRANGER });
  await footerIs(host, "✉ 1 pending · 1 read");
  expect(new Set(host.statusHistory.map(({ key }) => key))).toEqual(new Set(["mailbox"]));
});

test("M-19: pending counts what waits and what came since the last settle, read what was claimed", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER });
  host.arrive({ from: STRANGER, kind: "message" });
  await footerIs(host, "✉ 2 pending · 2 read");
  await host.agentStart();
  await host.read();
  await footerIs(host, "✉ 2 pending · 2 read");
  await host.assistant("answer");
  await host.settle();
  expect(host.footer()).toBe("✉ 2 read");
});

test("M-19: awaiting counts requests and asks until a reply names them, and messages never", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const bob = await home.open({ name: "bob" });
  await host.tool("send", { to: STRANGER, message: "a message" });
  await immediates();
  expect(host.footer()).toBeUndefined();
  await host.command(`${STRANGER} a request`);
  expect(host.footer()).toBe("✉ 1 awaiting");
  await host.agentStart();
  const asked = host.tool("ask", { to: "bob", message: "an ask" });
  expect(host.footer()).toBe("✉ 2 awaiting");
  const sent = host.box("sent");
  const idOf = (kind: string) => sent.find((letter) => letter.kind === kind)?.id ?? "";
  host.arrive({ from: bob.address, kind: "reply", inReplyTo: [idOf("ask")] });
  await asked;
  await footerIs(host, "✉ 1 read · 1 awaiting");
  await host.settle();
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: [idOf("message"), "unknown"] });
  await footerIs(host, "✉ 1 pending · 2 read · 1 awaiting");
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: [idOf("request")], status: "failed" });
  await footerIs(host, "✉ 2 pending · 3 read");
  await host.run("seen");
  await footerIs(host, "✉ 3 read");
});

test("M-19: a letter that was set aside counts as read, and not as pending", async () => {
  await using home = new MailHome();
  const host = await home.open();
  home.drop(host.address, "not an envelope");
  host.scan();
  await footerIs(host, "✉ 1 read");
});

test("M-19: mail that a listener took over is read, and not pending", async () => {
  await using home = new MailHome();
  const host = await home.open({
    before: (pi) => pi.events.on("message:inbound", (payload) => Object.assign(payload as object, { handled: true })),
  });
  host.arrive({ from: STRANGER });
  await footerIs(host, "✉ 1 read");
});

test("M-19: what earlier lives left is counted at the start", async () => {
  await using home = new MailHome();
  const first = await home.open();
  first.arrive({ from: STRANGER });
  await first.run("answer");
  await first.command(`${STRANGER} a request`);
  await first.shutdown();
  expect(first.footer()).toBeUndefined();
  const second = await home.open({ id: first.address, entries: first.entries });
  await footerIs(second, "✉ 1 read · 1 awaiting");
});

test("M-19: more files than are read in one go are all counted at the start, before any poll", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  await using home = new MailHome();
  const address = "many-files-0001";
  const ids = Array.from({ length: 250 }, () => home.put({ from: address, to: STRANGER }).id);
  const cur = (id: string) => home.put({ from: STRANGER, to: address, kind: "reply", inReplyTo: [id] });
  const replies = ids.slice(0, 230).map(cur);
  const box = (name: string) => join(home.mailRoot, address, name);
  mkdirSync(box("cur"), { recursive: true });
  for (const { fileName } of replies) renameSync(join(box("new"), fileName), join(box("cur"), fileName));
  const host = await home.open({ id: address });
  await immediates(20);
  expect(host.footer()).toBe("✉ 230 read · 20 awaiting");
});

test("M-19: what others change in the mailbox is taken in", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const request = home.put({ from: host.address, to: STRANGER });
  await footerIs(host, "✉ 1 awaiting");
  const reply = home.put({ from: STRANGER, to: host.address, kind: "reply", inReplyTo: [request.id] });
  await footerIs(host, "✉ 1 pending · 1 read");
  await host.run("seen");
  await footerIs(host, "✉ 1 read");
  unlinkSync(join(home.mailRoot, host.address, "cur", reply.fileName));
  await footerIs(host, "✉ 1 awaiting");
  writeFileSync(join(home.mailRoot, host.address, "cur", "by-hand.json"), "{}");
  await footerIs(host, "✉ 1 read · 1 awaiting");
  rmSync(join(home.mailRoot, host.address), { recursive: true });
  await footerIs(host, undefined);
});

test("M-19: without a UI the footer is never set, and mail works", async () => {
  await using home = new MailHome();
  const host = await home.open({ hasUI: false });
  host.arrive({ from: STRANGER });
  await host.run("answer");
  await host.shutdown();
  expect(host.statusHistory).toEqual([]);
  expect(host.notifications).toEqual([]);
  expect(home.inbox(STRANGER)).toHaveLength(1);
});

test("M-19: a count that did not change is not set again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(host.footer()).toBe("✉ 1 pending · 1 read");
  const before = host.statusHistory.length;
  await host.agentStart();
  await host.read();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(host.statusHistory).toHaveLength(before);
});
