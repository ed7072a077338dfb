import fc from "fast-check";
import { expect, test } from "vitest";
import { type MailboxFacts, pruneDecision } from "../../src/mail/prune.ts";

const DAY_MS = 86_400_000;
const NOW = 1_767_323_045_678;
const OLD: MailboxFacts = { isOwn: false, isRunning: false, waiting: 0, changedMs: NOW - 31 * DAY_MS };

test.for([
  ["an old mailbox of a closed session", {}, 30, { prune: true }],
  ["the session's own", { isOwn: true }, 30, { prune: false, because: "own" }],
  ["the session's own, by command", { isOwn: true }, undefined, { prune: false, because: "own" }],
  ["one of a running session", { isRunning: true }, 30, { prune: false, because: "running" }],
  ["one of a running session, by command", { isRunning: true }, undefined, { prune: false, because: "running" }],
  ["one with unread mail", { waiting: 1 }, 30, { prune: false, because: "unread" }],
  ["one with unread mail, by command", { waiting: 1 }, undefined, { prune: false, because: "unread" }],
  ["one changed exactly 30 days ago", { changedMs: NOW - 30 * DAY_MS }, 30, { prune: false, because: "recent" }],
  ["one changed a moment more than 30 days ago", { changedMs: NOW - 30 * DAY_MS - 1 }, 30, { prune: true }],
  ["one changed a minute ago", { changedMs: NOW - 60_000 }, 30, { prune: false, because: "recent" }],
  ["one changed a minute ago, by command", { changedMs: NOW - 60_000 }, undefined, { prune: true }],
  ["one of two days ago with a day to keep", { changedMs: NOW - 2 * DAY_MS }, 1, { prune: true }],
  ["one dated ten years ahead", { changedMs: NOW + 3650 * DAY_MS }, 30, { prune: false, because: "recent" }],
  ["one dated 1970", { changedMs: 0 }, 30, { prune: true }],
] as const)("M-20, R-9: %s", ([, facts, olderThanDays, decision]) => {
  expect(pruneDecision({ ...OLD, ...facts }, { nowMs: NOW, olderThanDays })).toEqual(decision);
});

test("M-20: unread mail, a running session and the own mailbox are kept whatever the age and the settings", () => {
  const facts = fc.record({
    isOwn: fc.boolean(),
    isRunning: fc.boolean(),
    waiting: fc.nat(3),
    changedMs: fc.integer(),
  });
  const now = fc.record({ nowMs: fc.integer(), olderThanDays: fc.option(fc.integer({ min: 1 }), { nil: undefined }) });
  fc.assert(
    fc.property(facts, now, (known, moment) => {
      const { prune } = pruneDecision(known, moment);
      if (known.isOwn || known.isRunning || known.waiting > 0) expect(prune).toBe(false);
      else if (moment.olderThanDays === undefined) expect(prune).toBe(true);
      else expect(prune).toBe((moment.nowMs - known.changedMs) / DAY_MS > moment.olderThanDays);
    }),
  );
});
