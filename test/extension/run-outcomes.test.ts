import { expect, test } from "vitest";
import { MailHome, type MailHost, STRANGER } from "../support/mail-host.ts";

type Play = (host: MailHost, toldByEvent: boolean) => Promise<void>;

const NEW_PI = true;
const OLD_PI = false;

/** A run that ends in some way, as the host shows it. */
const ENDS: Record<string, Play> = {
  "with an answer": async (host, toldByEvent) => {
    await host.assistant("first I look", "toolUse");
    await host.assistant("the answer");
    await host.settle({ toldByEvent });
  },
  "with an answer, after an error that was retried": async (host, toldByEvent) => {
    await host.assistant("half of it", "error", "overloaded");
    await host.emit("agent_end", { messages: [] });
    await host.agentStart();
    await host.assistant("the answer");
    await host.settle({ toldByEvent });
  },
  "without a text in the last message": async (host, toldByEvent) => {
    await host.assistant("only thinking aloud", "toolUse");
    await host.assistant("");
    await host.settle({ toldByEvent });
  },
  "on an error": async (host, toldByEvent) => {
    await host.assistant("half of it", "toolUse");
    await host.assistant("", "error", "rate limit reached");
    await host.settle({ toldByEvent });
  },
  "on an error before any text": async (host, toldByEvent) => {
    await host.assistant("", "error", "rate limit reached");
    await host.settle({ toldByEvent });
  },
  "on an error without a reason": async (host, toldByEvent) => {
    await host.assistant("", "error");
    await host.settle({ toldByEvent });
  },
  "stopped while the model wrote": async (host, toldByEvent) => {
    await host.assistant("half of it", "toolUse");
    host.abort();
    await host.assistant("and a bit", "aborted", "Request was aborted");
    await host.settle({ toldByEvent });
  },
  "stopped in a tool, shown as an aborted message": async (host, toldByEvent) => {
    await host.assistant("half of it", "toolUse");
    host.abort();
    await host.assistant("", "aborted");
    await host.settle({ toldByEvent });
  },
  "stopped in a tool, shown as an error": async (host, toldByEvent) => {
    await host.assistant("half of it", "toolUse");
    host.abort();
    await host.assistant("", "error", "This operation was aborted");
    await host.settle({ toldByEvent });
  },
  "stopped before it wrote anything": async (host, toldByEvent) => {
    host.abort();
    await host.assistant("", "aborted");
    await host.settle({ toldByEvent });
  },
};

/** Plays the end of a run that has read one request and one ask; what their senders then have. */
async function answers(play: Play, toldByEvent: boolean, home: MailHome) {
  const host = await home.open({ hostVersion: toldByEvent ? "1.6.0" : "0.80.6" });
  host.arrive({ from: STRANGER, id: "request" });
  host.arrive({ from: STRANGER, id: "ask", kind: "ask" });
  await host.agentStart();
  await host.read();
  await play(host, toldByEvent);
  const replies = home.inbox(STRANGER);
  const of = (id: string) => replies.find(({ in_reply_to }) => in_reply_to.includes(id));
  expect(replies.every(({ in_reply_to }) => in_reply_to.length === 1)).toBe(true);
  return { request: of("request"), ask: of("ask") };
}

test.for([
  ["with an answer", "done", /^the answer$/],
  ["with an answer, after an error that was retried", "done", /^the answer$/],
  ["without a text in the last message", "done", /^\((?!.*thinking aloud).*\)$/s],
  ["on an error", "failed", /rate limit reached.*half of it$/s],
  ["on an error before any text", "failed", /rate limit reached\)$/],
  ["on an error without a reason", "failed", /no reason was given/],
] as const)(
  "M-10: a run that ends %s answers request and ask with the status %s, on new and old Pi",
  async ([end, status, body]) => {
    for (const told of [NEW_PI, OLD_PI]) {
      await using home = new MailHome();
      const { request, ask } = await answers(ENDS[end] as Play, told, home);
      expect(request).toMatchObject({ status, body: expect.stringMatching(body) });
      expect(ask).toMatchObject({ status, body: expect.stringMatching(body) });
    }
  },
);

test.for([
  ["stopped while the model wrote", /^\(The user stopped[^)]*\).*and a bit$/s],
  ["stopped in a tool, shown as an aborted message", /^\(The user stopped[^)]*\).*half of it$/s],
  ["stopped in a tool, shown as an error", /^\(The user stopped[^)]*\).*half of it$/s],
  ["stopped before it wrote anything", /^\(The user stopped[^)]*\)$/],
] as const)(
  "M-10: a run that is %s answers the ask stopped and the request not yet, on new and old Pi",
  async ([end, body]) => {
    for (const told of [NEW_PI, OLD_PI]) {
      await using home = new MailHome();
      const { request, ask } = await answers(ENDS[end] as Play, told, home);
      expect(request).toBeUndefined();
      expect(ask).toMatchObject({ status: "stopped", body: expect.stringMatching(body) });
    }
  },
);

test("M-10: an abort during the wait for a retry is known from the event alone, and is a failure on a Pi that does not say", async () => {
  const play: Play = async (host, toldByEvent) => {
    await host.assistant("half of it", "error", "overloaded");
    await host.emit("agent_end", { messages: [] });
    await host.emit("agent_settled", toldByEvent ? { aborted: true } : {});
  };
  for (const [told, status] of [
    [NEW_PI, "stopped"],
    [OLD_PI, "failed"],
  ] as const) {
    await using home = new MailHome();
    expect((await answers(play, told, home)).ask).toMatchObject({ status });
  }
});

test("M-10: what an earlier run wrote is no part of the answer of a later one", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.run("private talk with the person");
  host.arrive({ from: STRANGER });
  await host.run("", "error", "overloaded");
  expect(home.inbox(STRANGER)[0]?.body).not.toContain("private talk");
});

test("M-10, M-24: replies are on disk before the settle handlers return, with the hops of the run", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, hops: 2 });
  await host.agentStart();
  await host.read();
  await host.assistant("the answer");
  await host.emit("agent_end", { messages: [] });
  // Not awaited: whatever is there now was written before the handler returned.
  const settled = host.emit("agent_settled", { aborted: false });
  expect(home.inbox(STRANGER)).toMatchObject([{ kind: "reply", hops: 3, status: "done" }]);
  expect(home.names(STRANGER, "sent")).toHaveLength(1);
  expect(host.box("sent")).toEqual([]);
  await settled;
});
