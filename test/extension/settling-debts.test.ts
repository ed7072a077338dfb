import { expect, test } from "vitest";
import { MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

const TOOK_OVER =
  "(The user stopped an earlier run partway and took over; the answer that follows is from the run that completed after that.)";

async function stop(host: MailHost, text = ""): Promise<void> {
  await host.agentStart();
  await host.read();
  host.abort();
  await host.assistant(text, "aborted");
  await host.settle();
}

/** What a sender got since it was last asked, in short. */
function repliesTo(home: MailHome, address: string): [string, string[], string][] {
  return home.inbox(address).map(({ status, in_reply_to, body }) => [status, in_reply_to, body]);
}

test("M-10: each sender gets one reply for its requests and one for each of its asks", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const ids = (from: string, kind: "request" | "ask") => [1, 2].map(() => host.arrive({ from, kind }).id);
  const [requests, asks, others] = [ids(STRANGER, "request"), ids(STRANGER, "ask"), ids(NEIGHBOUR, "request")];
  host.arrive({ from: NEIGHBOUR, kind: "message" });
  await host.run("answer");
  expect(repliesTo(home, STRANGER)).toEqual([
    ["done", requests, "answer"],
    ["done", [asks[0]], "answer"],
    ["done", [asks[1]], "answer"],
  ]);
  expect(repliesTo(home, NEIGHBOUR)).toEqual([["done", others, "answer"]]);
});

test("M-10: a request that a stopped run read stays owed through stops and errors, until a run completes", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  await stop(host, "secret partial text");
  await stop(host, "more partial text");
  await host.run("", "error", "overloaded");
  expect(home.inbox(STRANGER)).toEqual([]);
  expect(host.steps(id)).toEqual(["claimed", "read", "held"]);
  await host.run("what came of it");
  expect(repliesTo(home, STRANGER)).toEqual([["done", [id], `${TOOK_OVER}\n\nwhat came of it`]]);
  await host.run("and on");
  expect(home.inbox(STRANGER)).toHaveLength(1);
});

test("M-10: asks are never held: a stopped run answers them at once, and a later run not again", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const ask = host.arrive({ from: STRANGER, kind: "ask" });
  const request = host.arrive({ from: STRANGER });
  await stop(host, "partial");
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "stopped", in_reply_to: [ask.id] }]);
  await host.run("done");
  expect(home.inbox(STRANGER).map(({ in_reply_to }) => in_reply_to)).toEqual([[ask.id], [request.id]]);
});

test("M-10: held and new requests of one sender get a reply each, and only the first says that the user took over", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const held = host.arrive({ from: STRANGER });
  await stop(host);
  const fresh = host.arrive({ from: STRANGER });
  await host.run("the answer");
  const replies = repliesTo(home, STRANGER);
  expect(replies).toHaveLength(2);
  expect(replies).toContainEqual(["done", [held.id], `${TOOK_OVER}\n\nthe answer`]);
  expect(replies).toContainEqual(["done", [fresh.id], "the answer"]);
});

test("M-10: a run that fails answers new requests failed and keeps the held ones", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const held = host.arrive({ from: STRANGER });
  await stop(host);
  const fresh = host.arrive({ from: STRANGER });
  await host.run("", "error", "overloaded");
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "failed", in_reply_to: [fresh.id] }]);
  await host.run("at last");
  expect(home.inbox(STRANGER)).toMatchObject([{ in_reply_to: [fresh.id] }, { status: "done", in_reply_to: [held.id] }]);
});

test("M-10: a request that a stop kept from being read is answered failed and is not held", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.agentStart();
  const { id } = host.arrive({ from: STRANGER });
  await host.settle({ aborted: true });
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "failed", in_reply_to: [id] }]);
  await host.run("later");
  expect(home.inbox(STRANGER)).toHaveLength(1);
});

test("M-10: mail that steers a run is answered by that run, with its last text", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const first = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  await host.assistant("first answer", "toolUse");
  const second = host.arrive({ from: NEIGHBOUR });
  await host.read();
  await host.assistant("last answer");
  await host.settle();
  expect(repliesTo(home, STRANGER)).toEqual([["done", [first.id], "last answer"]]);
  expect(repliesTo(home, NEIGHBOUR)).toEqual([["done", [second.id], "last answer"]]);
});

test("M-10: where a stopped run goes on by itself with the mail in its queue, each part settles what it read", async () => {
  await using home = new MailHome();
  const host = await home.open({ hostVersion: "0.80.6" });
  const request = host.arrive({ from: STRANGER });
  const ask = host.arrive({ from: STRANGER, kind: "ask" });
  await host.agentStart();
  await host.read();
  const queued = host.arrive({ from: NEIGHBOUR });
  host.abort();
  await host.assistant("half of it", "aborted");
  // No settle in between: the host has dropped the aborted signal and runs on.
  host.endAborted();
  await host.agentStart();
  expect(repliesTo(home, STRANGER)).toMatchObject([["stopped", [ask.id], expect.stringMatching(/half of it$/)]]);
  expect(home.inbox(NEIGHBOUR)).toEqual([]);
  await host.read();
  await host.assistant("the answer to the neighbour");
  await host.settle({ toldByEvent: false });
  expect(repliesTo(home, NEIGHBOUR)).toEqual([["done", [queued.id], "the answer to the neighbour"]]);
  expect(repliesTo(home, STRANGER)[1]).toEqual(["done", [request.id], `${TOOK_OVER}\n\nthe answer to the neighbour`]);
});

test("M-10: an answered ask is left out at settle, while the sender's other mail is answered", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const early = host.arrive({ from: STRANGER, kind: "ask" });
  const late = host.arrive({ from: STRANGER, kind: "ask" });
  const request = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.read();
  await host.tool("reply", { ask: early.id, message: "at once" });
  await host.assistant("the answer");
  await host.settle();
  expect(repliesTo(home, STRANGER)).toEqual([
    ["done", [early.id], "at once"],
    ["done", [request.id], "the answer"],
    ["done", [late.id], "the answer"],
  ]);
});
