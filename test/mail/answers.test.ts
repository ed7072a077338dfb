import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Answer,
  type Debt,
  type RunEnd,
  settle,
  settleClosing,
  TOOK_OVER_NOTE,
  undeliveredAnswer,
} from "../../src/mail/answers.ts";
import { STATUSES } from "../../src/mail/envelope.ts";

const ALICE = "0a11ce00-0000-4000-8000-000000000001";
const BOB = "0b0b0000-0000-4000-8000-000000000002";

function request(id: string, more: Partial<Debt> = {}): Debt {
  return { id, from: ALICE, kind: "request", read: true, held: false, ...more };
}

function ask(id: string, more: Partial<Debt> = {}): Debt {
  return { id, from: ALICE, kind: "ask", read: true, held: false, ...more };
}

const DONE: RunEnd = { outcome: "done", answer: "All green.", partial: "All green.", error: "" };
const STOPPED: RunEnd = { outcome: "stopped", answer: "", partial: "Half of it", error: "" };
const FAILED: RunEnd = { outcome: "failed", answer: "", partial: "Half of it", error: "overloaded" };

/** Who gets which ids with which status, in the order of writing. */
function outline(answers: readonly Answer[]): string[] {
  return answers.map(
    ({ to, inReplyTo, status }) => `${to === ALICE ? "alice" : "bob"} ${inReplyTo.join("+")} ${status}`,
  );
}

test("M-10: the took-over note is the contract's, character for character", () => {
  expect(TOOK_OVER_NOTE).toBe(
    "(The user stopped an earlier run partway and took over; the answer that follows is from the run that completed after that.)",
  );
});

test("M-10: a run that completes answers a sender's requests with one reply that holds its last text alone", () => {
  expect(settle([request("r1"), request("r2")], { ...DONE, partial: "something earlier" })).toEqual({
    answers: [{ to: ALICE, inReplyTo: ["r1", "r2"], status: "done", body: "All green." }],
    held: [],
  });
});

test("M-10: each sender gets its own reply, and each ask one of its own", () => {
  const debts = [
    request("r1"),
    ask("a1"),
    request("r2", { from: BOB }),
    ask("a2"),
    request("r3"),
    ask("a3", { from: BOB }),
  ];
  const { answers, held } = settle(debts, DONE);
  expect(outline(answers)).toEqual([
    "alice r1+r3 done",
    "alice a1 done",
    "alice a2 done",
    "bob r2 done",
    "bob a3 done",
  ]);
  expect(new Set(answers.map((answer) => answer.body))).toEqual(new Set(["All green."]));
  expect(held).toEqual([]);
});

test("M-10: a stopped run holds the requests it read, answers none of them stopped, and answers its asks stopped", () => {
  const { answers, held } = settle([request("r1"), request("r2", { held: true }), ask("a1"), ask("a2")], STOPPED);
  expect(outline(answers)).toEqual(["alice a1 stopped", "alice a2 stopped"]);
  expect([...held].sort()).toEqual(["r1", "r2"]);
  for (const { body } of answers) expect(body).toMatch(/^\([^\n]*stopped[^\n]*\)\n\n[\s\S]*Half of it$/);
});

test("M-9, M-10: what a stopped run had not read yet is answered failed, since nothing was done on it", () => {
  const { answers, held } = settle(
    [request("r1", { read: false }), request("r2", { read: false }), ask("a1", { read: false }), request("r3")],
    STOPPED,
  );
  expect(outline(answers)).toEqual(["alice r1+r2 failed", "alice a1 failed"]);
  for (const { body } of answers) {
    expect(body).toMatch(/before it read this.*Nothing was done/);
    expect(body).not.toContain("Half of it");
  }
  expect(held).toEqual(["r3"]);
});

test("M-10: a run that ends on an error answers failed with the error and then the partial text", () => {
  const { answers, held } = settle([request("r1"), ask("a1")], FAILED);
  expect(outline(answers)).toEqual(["alice r1 failed", "alice a1 failed"]);
  for (const { body } of answers) expect(body).toMatch(/^\([^\n]*overloaded\)\n\n[\s\S]*Half of it$/);
  expect(held).toEqual([]);
});

test("M-10: held requests stay owed through a run that ends on an error", () => {
  const { answers, held } = settle([request("r1", { held: true }), request("r2"), ask("a1")], FAILED);
  expect(outline(answers)).toEqual(["alice r2 failed", "alice a1 failed"]);
  expect(held).toEqual(["r1"]);
});

test("M-10: the run that completes after a stop answers what was held apart from the rest, opening with the note", () => {
  const { answers, held } = settle([request("r1", { held: true }), request("r2"), request("r3", { held: true })], DONE);
  expect(held).toEqual([]);
  expect(answers).toEqual([
    { to: ALICE, inReplyTo: ["r2"], status: "done", body: "All green." },
    { to: ALICE, inReplyTo: ["r1", "r3"], status: "done", body: `${TOOK_OVER_NOTE}\n\nAll green.` },
  ]);
});

test.for(["done", "failed"] as const)(
  "M-9: mail that a run which ended %s never read is neither answered nor held: it goes in again",
  (outcome) => {
    const debts = [request("r1", { read: false }), ask("a1", { read: false })];
    expect(settle(debts, { ...DONE, outcome })).toEqual({ answers: [], held: [] });
  },
);

test.for([
  [DONE, { answer: "  \n", partial: "earlier text" }],
  [FAILED, { error: " ", partial: "" }],
  [STOPPED, { partial: "\n" }],
] as const)("M-10: a reply says so when there is no text to send: %o", ([end, without]) => {
  const { answers } = settle([ask("a1")], { ...end, ...without });
  expect(answers).toHaveLength(1);
  expect(answers[0]?.body).toMatch(/^\([^\n]+\)$/);
  expect(answers[0]?.body).not.toContain("earlier text");
});

test("M-10: a run that owes nothing answers nothing", () => {
  for (const end of [DONE, STOPPED, FAILED]) expect(settle([], end)).toEqual({ answers: [], held: [] });
  expect(settleClosing([])).toEqual([]);
});

const MANY = Array.from({ length: 120 }, (_, at) => request(`r${at}`));

test("M-4: 120 owed requests of one sender are answered by three replies", () => {
  const { answers } = settle(MANY, DONE);
  expect(answers.map((answer) => answer.inReplyTo.length)).toEqual([50, 50, 20]);
  expect(answers.flatMap((answer) => answer.inReplyTo)).toEqual(MANY.map((debt) => debt.id));
  for (const answer of answers) expect(answer).toMatchObject({ to: ALICE, status: "done", body: "All green." });
});

test.for([
  [1, [1]],
  [50, [50]],
  [51, [50, 1]],
  [100, [50, 50]],
] as const)("M-4: %i owed requests make replies of %o ids", ([count, sizes]) => {
  expect(settle(MANY.slice(0, count), DONE).answers.map((answer) => answer.inReplyTo.length)).toEqual(sizes);
});

test("M-4: 120 held, 120 unread and 120 failed requests are split alike", () => {
  const sizes = (answers: readonly Answer[]) => answers.map((answer) => answer.inReplyTo.length);
  const held = MANY.map((debt) => ({ ...debt, held: true }));
  const unread = MANY.map((debt) => ({ ...debt, read: false }));
  expect(sizes(settle(held, DONE).answers)).toEqual([50, 50, 20]);
  expect(settle(held, DONE).answers.every((answer) => answer.body.startsWith(TOOK_OVER_NOTE))).toBe(true);
  expect(sizes(settle(unread, STOPPED).answers)).toEqual([50, 50, 20]);
  expect(sizes(settle(MANY, FAILED).answers)).toEqual([50, 50, 20]);
  expect(sizes(settleClosing(MANY))).toEqual([50, 50, 20]);
});

test("M-12: a session that closes tells each sender failed for everything it owes, read or not, asks apart", () => {
  const answers = settleClosing([
    request("r1"),
    request("r2", { read: false }),
    ask("a1"),
    request("r3", { held: true }),
    ask("a2", { from: BOB, read: false }),
  ]);
  expect(outline(answers)).toEqual(["alice r1+r2+r3 failed", "alice a1 failed", "bob a2 failed"]);
  for (const { body } of answers) expect(body).toContain("closed");
});

test("M-9: mail that could not be shown at all is answered failed, to its sender alone", () => {
  const answer = undeliveredAnswer(ask("a1", { from: BOB, read: false }));
  expect(answer).toMatchObject({ to: BOB, inReplyTo: ["a1"], status: "failed" });
  expect(answer.body).toContain("Nothing was done");
});

const debtLists: fc.Arbitrary<Debt[]> = fc
  .array(
    fc.record({
      from: fc.constantFrom(ALICE, BOB, "__proto__", "constructor"),
      kind: fc.constantFrom("request", "ask"),
      standing: fc.constantFrom("unread", "read", "held"),
    }),
    { maxLength: 200, size: "max" },
  )
  .map((all) =>
    all.map(({ from, kind, standing }, at) => ({
      id: `m${at}`,
      from,
      kind,
      read: standing !== "unread",
      held: standing === "held" && kind === "request",
    })),
  );

const runEnds: fc.Arbitrary<RunEnd> = fc.record({
  outcome: fc.constantFrom(...STATUSES),
  answer: fc.string(),
  partial: fc.string(),
  error: fc.string(),
});

function expectWellFormed(answers: readonly Answer[], debts: readonly Debt[]): void {
  const byId = new Map(debts.map((debt) => [debt.id, debt]));
  for (const { to, inReplyTo, body } of answers) {
    expect(inReplyTo.length).toBeGreaterThan(0);
    expect(inReplyTo.length).toBeLessThanOrEqual(50);
    expect(body.trim()).not.toBe("");
    const named = inReplyTo.map((id) => byId.get(id));
    for (const debt of named) expect(debt?.from).toBe(to);
    if (named.some((debt) => debt?.kind === "ask")) expect(named).toHaveLength(1);
  }
}

test("M-4, M-9, M-10: whatever is owed is answered once, held, or left for the next run, as how the run ended says", () => {
  fc.assert(
    fc.property(debtLists, runEnds, (debts, end) => {
      const { answers, held } = settle(debts, end);
      expectWellFormed(answers, debts);
      const statuses = new Map<string, string[]>();
      for (const { inReplyTo, status } of answers) {
        for (const id of inReplyTo) statuses.set(id, [...(statuses.get(id) ?? []), status]);
      }
      expect(new Set(held).size).toBe(held.length);
      for (const { id, kind, read, held: wasHeld } of debts) {
        const fate = [...(statuses.get(id) ?? []), ...(held.includes(id) ? ["held"] : [])];
        if (!read) expect(fate).toEqual(end.outcome === "stopped" ? ["failed"] : []);
        else if (kind === "ask") expect(fate).toEqual([end.outcome]);
        else if (end.outcome === "stopped") expect(fate).toEqual(["held"]);
        else if (end.outcome === "failed") expect(fate).toEqual([wasHeld ? "held" : "failed"]);
        else expect(fate).toEqual(["done"]);
      }
    }),
  );
});

test("M-10: a sender gets no more replies than it must: one a group and 50 ids, one an ask", () => {
  fc.assert(
    fc.property(debtLists, runEnds, (debts, end) => {
      const { answers } = settle(debts, end);
      for (const from of new Set(debts.map((debt) => debt.from))) {
        const toSender = answers.filter((answer) => answer.to === from);
        const askIds = new Set(debts.filter((debt) => debt.kind === "ask").map((debt) => debt.id));
        const forRequests = toSender.filter((answer) => !answer.inReplyTo.some((id) => askIds.has(id)));
        const groups = new Map<string, number>();
        for (const { status, body, inReplyTo } of forRequests) {
          const key = `${status} ${body}`;
          groups.set(key, (groups.get(key) ?? 0) + inReplyTo.length);
        }
        const needed = [...groups.values()].reduce((sum, count) => sum + Math.ceil(count / 50), 0);
        expect(forRequests).toHaveLength(needed);
      }
    }),
  );
});

test("M-12: a session that closes answers every debt exactly once, and failed", () => {
  fc.assert(
    fc.property(debtLists, (debts) => {
      const answers = settleClosing(debts);
      expectWellFormed(answers, debts);
      expect(answers.flatMap((answer) => answer.inReplyTo).sort()).toEqual(debts.map((debt) => debt.id).sort());
      expect(answers.every((answer) => answer.status === "failed")).toBe(true);
    }),
  );
});
