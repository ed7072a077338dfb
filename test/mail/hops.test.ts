import fc from "fast-check";
import { expect, test } from "vitest";
import { KINDS } from "../../src/mail/envelope.ts";
import { DEFAULT_HOP_LIMIT, hopsAfterMail, isAtHopLimit, wakesSession } from "../../src/mail/hops.ts";

test.for([
  [0, 0, true, 1],
  [0, 3, true, 4],
  [4, 3, true, 4],
  [5, 3, true, 5],
  [2, 9, true, 10],
  [0, 9, false, 0],
  [2, 9, false, 2],
  [0, Number.MAX_SAFE_INTEGER, true, Number.MAX_SAFE_INTEGER],
] as const)("M-16: a turn at %i that mail with %i hops reaches (waking: %s) is at %i", ([turn, mail, wakes, after]) => {
  expect(hopsAfterMail(turn, mail, wakes)).toBe(after);
});

test("M-16: a turn counts the highest hops plus one among what woke or steered it, in any order", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ hops: fc.nat(), wakes: fc.boolean() })), (mails) => {
      const after = mails.reduce((turn, { hops, wakes }) => hopsAfterMail(turn, hops, wakes), 0);
      const counted = mails.filter((mail) => mail.wakes).map((mail) => mail.hops + 1);
      expect(after).toBe(Math.max(0, ...counted));
    }),
  );
});

test("M-16: a chain that wakes from session to session is refused after as many hops as the limit says, and not before", () => {
  for (const limit of [1, 2, DEFAULT_HOP_LIMIT]) {
    let turn = 0;
    let sent = 0;
    while (!isAtHopLimit(turn, limit)) {
      sent += 1;
      turn = hopsAfterMail(0, turn, true);
    }
    expect(sent).toBe(limit);
  }
  expect(DEFAULT_HOP_LIMIT).toBe(5);
});

test.for([
  [4, 5, false],
  [5, 5, true],
  [6, 5, true],
  [0, 1, false],
  [Number.MAX_SAFE_INTEGER, 5, true],
] as const)("M-16: at %i hops with the limit %i a model's mail is refused: %s", ([hops, limit, refused]) => {
  expect(isAtHopLimit(hops, limit)).toBe(refused);
});

test("M-7: every kind wakes a session but a reply, and a reply does when its ask stopped waiting", () => {
  expect(KINDS.map((kind) => [kind, wakesSession(kind, false)])).toEqual([
    ["request", true],
    ["reply", false],
    ["message", true],
    ["ask", true],
  ]);
  expect(wakesSession("reply", true)).toBe(true);
});
