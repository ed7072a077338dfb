import { expect, test } from "vitest";
import { immediates, MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

/** A session in a run that has read a held request, a request and two asks, and was handed one more request. */
async function indebted(home: MailHome): Promise<{ host: MailHost; held: string; ids: string[]; unread: string }> {
  const host = await home.open();
  const held = host.arrive({ from: STRANGER, kind: "request" }).id;
  await host.agentStart();
  await host.read();
  await host.settle({ aborted: true });
  const kinds = ["request", "ask", "ask"] as const;
  const ids = kinds.map((kind) => host.arrive({ from: STRANGER, kind, hops: 1 }).id);
  await host.agentStart();
  await host.read();
  const unread = host.arrive({ from: NEIGHBOUR }).id;
  return { host, held, ids, unread };
}

const LEAVING = ["quit", "new", "resume", "fork"] as const;

test.for(LEAVING)(
  "M-12: a session that is left by %s while it owes answers tells each sender failed, saying that it closed",
  async (reason) => {
    await using home = new MailHome();
    const { host, held, ids } = await indebted(home);
    await host.shutdown(reason);
    const replies = home.inbox(STRANGER);
    expect(replies.map(({ status, in_reply_to }) => [status, in_reply_to])).toEqual([
      ["failed", [held, ids[0]]],
      ["failed", [ids[1]]],
      ["failed", [ids[2]]],
    ]);
    for (const { body, from } of replies) {
      expect(from).toBe(host.address);
      expect(body).toMatch(/session closed before it answered/);
    }
    expect(home.running()).toEqual([]);
  },
);

test("M-12: what a session had not read when it closed is delivered when it is resumed, and what it was told of is not", async () => {
  await using home = new MailHome();
  const { host, unread } = await indebted(home);
  await host.shutdown();
  expect(home.inbox(NEIGHBOUR)).toEqual([]);
  const resumed = await home.open({ id: host.address, entries: host.entries });
  expect(resumed.shownIds()).toEqual([unread]);
  await resumed.run("the answer");
  expect(home.inbox(NEIGHBOUR)).toMatchObject([{ status: "done", in_reply_to: [unread] }]);
  expect(home.inbox(STRANGER)).toHaveLength(3);
});

test("M-12: a reload tells nobody anything", async () => {
  await using home = new MailHome();
  const { host } = await indebted(home);
  await host.shutdown("reload");
  expect(home.inbox(STRANGER)).toEqual([]);
  expect(home.inbox(NEIGHBOUR)).toEqual([]);
});

test("M-12: a session that owes nothing says nothing when it closes", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER });
  host.arrive({ from: STRANGER, kind: "ask" });
  await host.run("answer");
  host.arrive({ from: STRANGER, kind: "message" });
  await host.shutdown();
  expect(home.inbox(STRANGER)).toHaveLength(2);
});

test("M-12, M-23: closing twice tells each sender once", async () => {
  await using home = new MailHome();
  const { host } = await indebted(home);
  await host.shutdown();
  await host.shutdown();
  expect(home.inbox(STRANGER)).toHaveLength(3);
});

test("M-12: a request that was stopped and then left by /new is told failed, also when the abort comes first", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  await host.settle({ aborted: true });
  await host.replace("new");
  await immediates();
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "failed", in_reply_to: [id] }]);
});
