import fc from "fast-check";
import { expect, test } from "vitest";
import { KINDS } from "../../src/mail/envelope.ts";
import { type ChainLink, type ChainMail, hopChain } from "../../src/mail/hop-chain.ts";

function mail(id: string, sentMs: number, more: Partial<ChainMail> = {}): ChainMail {
  return { id, from: "a", to: "b", kind: "message", hops: 0, inReplyTo: [], sentMs, ...more };
}

/** One line a letter: its depth as dots, its id, and how it hangs on the one above. */
function drawn(links: readonly ChainLink[]): string[] {
  return links.map(({ mail: { id }, depth, edge }) => `${".".repeat(depth)}${id} ${edge}`);
}

const ROUND: readonly ChainMail[] = [
  mail("r1", 1, { kind: "request" }),
  mail("m2", 2, { from: "b", to: "c", hops: 1 }),
  mail("a3", 3, { from: "c", to: "d", kind: "ask", hops: 2 }),
  mail("y4", 4, { from: "d", to: "c", kind: "reply", hops: 3, inReplyTo: ["a3"] }),
  mail("y5", 5, { from: "b", to: "a", kind: "reply", hops: 1, inReplyTo: ["r1"] }),
  mail("other", 6, { from: "x", to: "y" }),
];

test("M-22: a chain is shown from its first letter on, each below the one it answers or that woke its sender", () => {
  const expected = ["r1 start", ".m2 woken", "..a3 woken", "...y4 answers", ".y5 answers"];
  for (const id of ["r1", "m2", "a3", "y4", "y5"]) expect(drawn(hopChain(ROUND, id))).toEqual(expected);
  expect(drawn(hopChain([...ROUND].reverse(), "y4"))).toEqual(expected);
  expect(drawn(hopChain(ROUND, "other"))).toEqual(["other start"]);
});

test("M-22: a letter that nobody knows has no chain", () => {
  expect(hopChain(ROUND, "unknown")).toEqual([]);
  expect(hopChain([], "r1")).toEqual([]);
});

test.for([
  ["mail to somebody else", mail("w", 1, { to: "x" })],
  ["mail with other hops", mail("w", 1, { to: "b", hops: 1 })],
  ["mail that was sent later", mail("w", 9, { to: "b" })],
  ["a reply, which wakes nobody", mail("w", 1, { to: "b", kind: "reply" })],
] as const)("M-22: %s has not woken a turn", ([, earlier]) => {
  expect(drawn(hopChain([earlier, mail("m", 5, { from: "b", to: "c", hops: 1 })], "m"))).toEqual(["m start"]);
});

test("M-22: mail of a turn that a person began starts its own chain, also when mail reached its sender before", () => {
  const all = [mail("m1", 1, { to: "b" }), mail("m2", 2, { from: "b", to: "c", hops: 0 })];
  expect(drawn(hopChain(all, "m2"))).toEqual(["m2 start"]);
});

test("M-22: of several letters that can have woken a turn the last one before it counts", () => {
  const all = [
    mail("m1", 1, { to: "b" }),
    mail("m2", 3, { to: "b" }),
    mail("m3", 7, { to: "b" }),
    mail("x", 5, { from: "b", to: "c", hops: 1 }),
  ];
  expect(drawn(hopChain(all, "x"))).toEqual(["m2 start", ".x woken"]);
});

test("R-9: a reply is never shown above what it answers, whatever the clocks say", () => {
  const all = [
    mail("r", 9_000, { kind: "request" }),
    mail("y", 0, { from: "b", to: "a", kind: "reply", inReplyTo: ["r"] }),
  ];
  expect(drawn(hopChain(all, "y"))).toEqual(["r start", ".y answers"]);
});

test("M-22: siblings stand in the order of sending, and of their ids when sent at once", () => {
  const replies = [5, 3, 4].map((at) => mail(`y${at}`, at, { kind: "reply", inReplyTo: ["r"] }));
  const twins = ["z", "b"].map((id) => mail(id, 4, { kind: "reply", inReplyTo: ["r"] }));
  expect(drawn(hopChain([...replies, ...twins, mail("r", 1)], "r"))).toEqual([
    "r start",
    ".y3 answers",
    ".b answers",
    ".y4 answers",
    ".z answers",
    ".y5 answers",
  ]);
});

test("M-22: a reply hangs on the first of its ids that is known", () => {
  const all = [mail("r", 1), mail("y", 2, { kind: "reply", inReplyTo: ["gone", "y", "r"] })];
  expect(drawn(hopChain(all, "y"))).toEqual(["r start", ".y answers"]);
});

test("M-22, R-3: letters that answer each other in a ring, or themselves, are shown once each", () => {
  const ring = ["a", "b", "c"].map((id, at) => mail(id, at, { kind: "reply", inReplyTo: ["bca"[at] ?? ""] }));
  for (const id of ["a", "b", "c"]) {
    expect(
      hopChain(ring, id)
        .map((link) => link.mail.id)
        .sort(),
    ).toEqual(["a", "b", "c"]);
  }
  expect(drawn(hopChain([mail("s", 1, { kind: "reply", inReplyTo: ["s"] })], "s"))).toEqual(["s start"]);
});

test("M-22: a letter that lies in two boxes is shown once", () => {
  expect(drawn(hopChain([...ROUND, ...ROUND], "r1"))).toEqual(drawn(hopChain(ROUND, "r1")));
});

const ids = ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"];
const anyMail: fc.Arbitrary<ChainMail> = fc.record({
  id: fc.constantFrom(...ids, "__proto__"),
  from: fc.constantFrom("a", "b", "c"),
  to: fc.constantFrom("a", "b", "c"),
  kind: fc.constantFrom(...KINDS),
  hops: fc.nat(3),
  inReplyTo: fc.oneof(fc.constant([]), fc.array(fc.constantFrom(...ids, "gone"), { maxLength: 3 })),
  sentMs: fc.nat(12),
});

function isBefore(a: ChainMail, b: ChainMail): boolean {
  return a.sentMs < b.sentMs || (a.sentMs === b.sentMs && a.id < b.id);
}

/** What is directly above a letter, looked for in all others one by one. */
function parentOf(one: ChainMail, all: readonly ChainMail[]): ChainMail | undefined {
  for (const id of one.inReplyTo) {
    const answered = all.find((other) => other.id === id && other.id !== one.id);
    if (answered !== undefined) return answered;
  }
  if (one.kind === "reply" || one.hops === 0) return undefined;
  let best: ChainMail | undefined;
  for (const other of all) {
    const woke = other.to === one.from && other.hops + 1 === one.hops && other.kind !== "reply";
    if (!woke || other.id === one.id || other.sentMs > one.sentMs) continue;
    if (best === undefined || isBefore(best, other)) best = other;
  }
  return best;
}

/** Every letter that is reached by going up from one, in order; a ring is walked once. */
function above(one: ChainMail, all: readonly ChainMail[]): ChainMail[] {
  const path = [one];
  for (let next = parentOf(one, all); next !== undefined && !path.includes(next); next = parentOf(next, all))
    path.push(next);
  return path;
}

test("M-22: on any letters, with any rings, a chain holds what hangs together, each letter once and below its own", () => {
  const letters = fc.uniqueArray(anyMail, { selector: (one) => one.id, minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(letters, fc.nat(), (all, pick) => {
      const one = all[pick % all.length] as ChainMail;
      const links = hopChain(all, one.id);
      const related = all.filter((other) => above(other, all).some((up) => above(one, all).includes(up)));
      expect(links.map((link) => link.mail.id).sort()).toEqual(related.map((other) => other.id).sort());

      expect(links[0]).toMatchObject({ depth: 0, edge: "start" });
      for (const [at, { mail: letter, depth, edge }] of links.entries()) {
        if (at === 0) continue;
        const parent = links.slice(0, at).findLast((link) => link.depth === depth - 1)?.mail;
        expect(parent).toBe(parentOf(letter, all));
        expect(edge).toBe(letter.inReplyTo.includes(parent?.id ?? "") ? "answers" : "woken");
        const sibling = links.slice(0, at).findLast((link) => link.depth <= depth);
        if (sibling?.depth === depth) expect(isBefore(sibling.mail, letter)).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

test("M-22, R-3: letters that share an id end no walk early and appear once", () => {
  fc.assert(
    fc.property(fc.array(anyMail, { maxLength: 30 }), fc.constantFrom(...ids), (all, id) => {
      const shown = hopChain(all, id).map((link) => link.mail.id);
      expect(new Set(shown).size).toBe(shown.length);
      expect(shown.includes(id)).toBe(all.some((one) => one.id === id));
    }),
    { numRuns: 1000 },
  );
});

test("M-22: the chain of a letter is the chain of every letter in it, when none answer in a ring", () => {
  const letters = fc.array(anyMail, { minLength: 1, maxLength: 10 }).map((all) =>
    all.map((one, at) => ({
      ...one,
      id: `m${at}`,
      sentMs: at,
      inReplyTo: one.inReplyTo.filter((id) => id < `m${at}`),
    })),
  );
  fc.assert(
    fc.property(letters, (all) => {
      for (const one of all) {
        const links = hopChain(all, one.id);
        for (const { mail: other } of links) expect(hopChain(all, other.id)).toEqual(links);
      }
    }),
  );
});

/** Counts how often the times of letters are looked at: the work of sorting and searching. */
function counted(all: readonly ChainMail[]): { readonly all: ChainMail[]; readonly looks: () => number } {
  let looks = 0;
  const counting = all.map(({ sentMs, ...rest }) => ({
    ...rest,
    get sentMs() {
      looks += 1;
      return sentMs;
    },
  }));
  return { all: counting, looks: () => looks };
}

const COUNT = 5000;
const many = (make: (at: number) => Partial<ChainMail>): ChainMail[] =>
  Array.from({ length: COUNT }, (_, at) => mail(`m${at}`, at, make(at)));

test.for([
  ["in a line, each answering the one before", many((at) => ({ inReplyTo: at === 0 ? [] : [`m${at - 1}`] })), COUNT],
  ["that all answer the first", many((at) => ({ kind: "reply", inReplyTo: at === 0 ? [] : ["m0"] })), COUNT],
  ["in one ring", many((at) => ({ kind: "reply", inReplyTo: [`m${(at + 1) % COUNT}`] })), COUNT],
  [
    "that wake two sessions in turn",
    many((at) => ({ from: "ab"[at % 2] ?? "", to: "ba"[at % 2] ?? "", hops: at })),
    COUNT,
  ],
  ["that one letter woke", many((at) => (at === 0 ? { to: "z" } : { from: "z", hops: 1 })), COUNT],
] as const)("M-22, P-1: 5,000 letters %s take work that grows with their number", ([, all, expected]) => {
  const { all: counting, looks } = counted(all);
  const links = hopChain(counting, "m2500");
  expect(links).toHaveLength(expected);
  expect(new Set(links.map((link) => link.mail.id)).size).toBe(expected);
  expect(looks()).toBeLessThan(COUNT * 50);
});
