import { readdirSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { immediates, MailHome, NEIGHBOUR, resultText, STRANGER } from "../support/mail-host.ts";
import { writeOriginalRecord } from "../support/original-form.ts";

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

test("R-9: a clock that is set back during a run repeats, loses and answers nothing twice", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const now = Date.now();
  host.clockMs = now;
  const first = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  host.clockMs = now - YEAR_MS;
  host.scan();
  const second = host.arrive({ from: STRANGER });
  await host.read();
  await host.assistant("answer");
  await host.settle();
  host.scan();
  await immediates();
  expect(host.shownIds()).toEqual([first.id, second.id]);
  expect(home.inbox(STRANGER)).toMatchObject([{ in_reply_to: [first.id, second.id] }]);

  const again = await home.open({ id: host.address, entries: host.crash() });
  again.clockMs = now - 2 * YEAR_MS;
  again.scan();
  expect(again.sent).toEqual([]);
});

test("R-9: a debt that an answer with an earlier time pays is not paid again, though the clock was set back between", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  const entries = host.crash();
  home.put({
    from: host.address,
    to: STRANGER,
    kind: "reply",
    inReplyTo: [id],
    tsMs: Date.now() - 12 * 60 * 60 * 1000,
  });
  const again = await home.open({ id: host.address, entries });
  expect(again.sent).toEqual([]);
});

test.for([
  ["1970", 0],
  ["ten years ahead", Date.now() + 10 * YEAR_MS],
])("R-9: mail dated %s is delivered and answered like any other", async ([, tsMs]) => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER, tsMs: tsMs as number });
  expect(host.shownIds()).toEqual([id]);
  await host.run("answer");
  expect(home.inbox(STRANGER)).toMatchObject([{ in_reply_to: [id], status: "done" }]);
});

test.for(["", "yesterday", "0000-00-00", "\u0000"])("R-9: mail with the time %j is delivered", async (ts) => {
  await using home = new MailHome();
  const host = await home.open();
  home.drop(host.address, {
    id: "x",
    from: STRANGER,
    to: "",
    kind: "request",
    hops: 0,
    in_reply_to: [],
    ts,
    body: "b",
  });
  host.scan();
  await host.run("answer");
  expect(host.shownIds()).toEqual(["x"]);
  expect(home.inbox(STRANGER)).toHaveLength(1);
});

test("R-9: an ask waits its ten minutes whatever the clock says meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  await using home = new MailHome();
  const host = await home.open();
  const bob = await home.open({ name: "bob" });
  const now = Date.now();
  host.clockMs = now;
  const result = host.callTool("session_mail_ask", { to: "bob", message: "?" });
  const id = host.box("sent")[0]?.id ?? "";
  for (const jump of [YEAR_MS, -YEAR_MS, 0]) {
    host.clockMs = now + jump;
    await vi.advanceTimersByTimeAsync(60_000);
  }
  expect(host.record()).toMatchObject({ waitingOn: bob.address });
  host.arrive({ from: bob.address, kind: "reply", inReplyTo: [id], body: "5 miles" });
  expect(resultText(await result)).toContain("5 miles");
});

test("R-9: a session that runs is not taken for gone when its record's time lies in the future or long ago", async () => {
  await using home = new MailHome();
  const host = await home.open({ name: "anna" });
  for (const [address, updatedMs] of [
    [STRANGER, 0],
    [NEIGHBOUR, Date.now() + 10 * YEAR_MS],
  ] as const) {
    writeOriginalRecord(home.mailRoot, { address, cwd: "/", pid: process.pid, updatedMs });
  }
  expect((await host.tool("list")).split("\n")).toHaveLength(3);
});

test("R-9: with a clock ten years back, no mailbox is pruned for its age; none that is in use is with one ahead", async () => {
  await using home = new MailHome();
  home.put({ from: STRANGER, to: NEIGHBOUR });
  const back = await home.open({ around: { now: () => Date.now() - 10 * YEAR_MS } });
  await immediates();
  expect(readdirSync(home.mailRoot)).toEqual(expect.arrayContaining([STRANGER, NEIGHBOUR, back.address]));
  const ahead = await home.open({ around: { now: () => Date.now() + 10 * YEAR_MS } });
  await immediates();
  expect(readdirSync(home.mailRoot)).toEqual(expect.arrayContaining([NEIGHBOUR, back.address, ahead.address]));
});
