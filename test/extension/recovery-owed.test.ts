import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  immediates,
  MailHome,
  type MailHost,
  type MailHostOptions,
  NEIGHBOUR,
  STRANGER,
} from "../support/mail-host.ts";

/** The session once more, after its process was killed. */
function afterCrash(host: MailHost, options: MailHostOptions = {}): Promise<MailHost> {
  const entries = host.crash();
  return host.home.open({ id: host.address, entries, ...options });
}

/** A session that was killed in a run which had read one request and one ask. */
async function killedInRun(home: MailHome, options: MailHostOptions = {}): Promise<{ host: MailHost; ids: string[] }> {
  const host = await home.open({ name: "worker", ...options });
  const ids = (["request", "ask"] as const).map((kind) => host.arrive({ from: STRANGER, kind, hops: 1 }).id);
  await host.agentStart();
  await host.read();
  await host.assistant("half of it", "toolUse");
  return { host, ids };
}

test("M-12: what was read and not answered before a crash is owed, and a run is started that answers it", async () => {
  await using home = new MailHome();
  const { host, ids } = await killedInRun(home);
  const again = await afterCrash(host);
  expect(again.sent).toHaveLength(1);
  expect(again.sent[0]?.options).toEqual({ triggerTurn: true, deliverAs: "steer" });
  const [nudge = ""] = again.texts();
  for (const id of ids) expect(nudge).toContain(id);
  expect(home.inbox(STRANGER)).toEqual([]);
  await again.run("answered after the crash");
  expect(home.inbox(STRANGER).map(({ status, hops, in_reply_to, body }) => [status, hops, in_reply_to, body])).toEqual(
    ids.map((id) => ["done", 2, [id], "answered after the crash"]),
  );
  const third = await afterCrash(again);
  expect(third.sent).toEqual([]);
});

test("M-12: an ask that is open after a crash can be answered with session_mail_reply", async () => {
  await using home = new MailHome();
  const { host, ids } = await killedInRun(home);
  const again = await afterCrash(host);
  await again.agentStart();
  await again.tool("reply", { ask: ids[1], message: "here it is" });
  await again.assistant("done");
  await again.settle();
  expect(home.inbox(STRANGER).map(({ in_reply_to, body }) => [in_reply_to, body])).toEqual([
    [[ids[1]], "here it is"],
    [[ids[0]], "done"],
  ]);
});

test("M-12: after a reload what was read is owed as before, without a run of its own", async () => {
  await using home = new MailHome();
  const { host, ids } = await killedInRun(home);
  await host.settle({ aborted: true });
  const fresh = host.arrive({ from: NEIGHBOUR });
  await host.agentStart();
  await host.read();
  const before = host.sent.length;
  await host.replace("reload");
  await immediates();
  expect(host.sent).toHaveLength(before);
  expect(home.inbox(NEIGHBOUR)).toEqual([]);
  await host.run("the answer");
  expect(home.inbox(NEIGHBOUR)).toMatchObject([{ status: "done", body: "the answer", in_reply_to: [fresh.id] }]);
  expect(home.inbox(STRANGER)).toMatchObject([
    { status: "stopped", in_reply_to: [ids[1]] },
    { status: "done", in_reply_to: [ids[0]], body: expect.stringMatching(/^\(The user stopped.*the answer$/s) },
  ]);
});

test("M-12: a request that was read in a conversation that is lost is delivered again and said to be shown again", async () => {
  await using home = new MailHome();
  const { host, ids } = await killedInRun(home);
  const again = await afterCrash(host, { entries: [] });
  expect(again.shownIds()).toEqual(ids);
  for (const text of again.texts()) expect(text).toMatch(/shown again/);
  await again.run("answered");
  expect(home.inbox(STRANGER).flatMap(({ in_reply_to }) => in_reply_to)).toEqual(ids);
});

test("M-12: a message that was read is not delivered again, though the conversation is lost", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, kind: "message" });
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: ["x"] });
  await host.agentStart();
  await host.read();
  const again = await afterCrash(host, { entries: [] });
  expect(again.sent).toEqual([]);
});

test("M-12: a held request is owed again after a crash without a run of its own, and its answer says who took over", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  await host.settle({ aborted: true });
  const again = await afterCrash(host);
  expect(again.sent).toEqual([]);
  await again.agentStart();
  await again.settle({ aborted: true });
  expect(home.inbox(STRANGER)).toEqual([]);
  await again.run("after all");
  expect(home.inbox(STRANGER)).toMatchObject([
    {
      status: "done",
      in_reply_to: [id],
      body: expect.stringMatching(/^\(The user stopped an earlier run.*after all$/s),
    },
  ]);
  expect(again.steps(id).filter((step) => step === "held")).toHaveLength(1);
});

test("M-12: a held request whose conversation is lost is delivered again, and its answer still says who took over", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  await host.settle({ aborted: true });
  const again = await afterCrash(host, { entries: [] });
  expect(again.shownIds()).toEqual([id]);
  await again.run("after all");
  expect(home.inbox(STRANGER)).toMatchObject([
    {
      status: "done",
      in_reply_to: [id],
      body: expect.stringMatching(/^\(The user stopped an earlier run.*after all$/s),
    },
  ]);
});

test("M-12: a request that a listener took over is owed again after a crash, and not shown by us", async () => {
  await using home = new MailHome();
  const host = await home.open({
    before: (pi) => pi.events.on("message:inbound", (payload) => Object.assign(payload as object, { handled: true })),
  });
  const { id } = host.arrive({ from: STRANGER });
  const again = await afterCrash(host, { entries: [] });
  expect(again.sent).toEqual([]);
  await again.run("the takeover's run");
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "done", in_reply_to: [id] }]);
});

test.for(["new", "cur"] as const)(
  "M-12: a debt whose answer lies in the asker's %s/ already is not paid twice",
  async (box) => {
    await using home = new MailHome();
    const { host, ids } = await killedInRun(home);
    host.crash();
    const reply = home.put({ from: host.address, to: STRANGER, kind: "reply", inReplyTo: ids });
    const folder = join(home.mailRoot, STRANGER);
    if (box === "cur") renameSync(join(folder, "new", reply.fileName), join(folder, "cur", reply.fileName));
    const again = await home.open({ id: host.address, entries: host.entries });
    expect(again.sent).toEqual([]);
    await again.run("no answer to anybody");
    expect(home.box(STRANGER, box)).toHaveLength(1);
    expect(ids.map((id) => again.steps(id).at(-1))).toEqual(["answered", "answered"]);
  },
);

test("M-12: a reply of somebody else to what is owed, or of ours to something else, pays nothing", async () => {
  await using home = new MailHome();
  const { host, ids } = await killedInRun(home);
  host.crash();
  home.put({ from: NEIGHBOUR, to: STRANGER, kind: "reply", inReplyTo: ids });
  home.put({ from: host.address, to: STRANGER, kind: "reply", inReplyTo: ["something else"] });
  const again = await home.open({ id: host.address, entries: host.entries });
  await again.run("the answer");
  expect(home.inbox(STRANGER).filter(({ body }) => body === "the answer")).toHaveLength(2);
});

test("M-12: an id that an earlier life of the session got is not delivered when it comes again", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, id: "once" });
  await host.run("answer");
  const again = await afterCrash(host);
  again.arrive({ from: STRANGER, id: "once", body: "again" });
  expect(again.sent).toEqual([]);
});

test("M-12, M-24: on a host that does not show its conversation, what the receipts say was read counts as shown", async () => {
  await using home = new MailHome();
  const { host, ids } = await killedInRun(home, { minimal: true });
  const unread = host.arrive({ from: NEIGHBOUR });
  const again = await afterCrash(host, { minimal: true });
  expect(again.shownIds()).toHaveLength(2);
  expect(again.shownIds()).toContain(unread.id);
  await again.run("the answer");
  expect(home.inbox(STRANGER).flatMap(({ in_reply_to }) => in_reply_to)).toEqual(ids);
  expect(home.inbox(NEIGHBOUR).flatMap(({ in_reply_to }) => in_reply_to)).toEqual([unread.id]);
});
