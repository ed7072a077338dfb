import fc from "fast-check";
import { expect, test } from "vitest";
import { envelopeName, readEnvelopeName } from "../../src/mail/envelope-name.ts";
import { nextNameTime } from "../../src/maildir/name-clock.ts";

test("M-2, R-9: names of one process sort in the order of sending, whatever its clock does", () => {
  const clock = fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.double({ min: 1.7e12, max: 1.8e12, noNaN: true }));
  fc.assert(
    fc.property(fc.array(clock, { minLength: 2 }), fc.array(fc.uuid(), { minLength: 1 }), (clocks, uuids) => {
      const names = clocks.map((nowMs, at) => envelopeName(nextNameTime(nowMs), uuids[at % uuids.length] ?? ""));
      expect([...names].sort()).toEqual(names);
      expect(new Set(names).size).toBe(names.length);
    }),
  );
});

test("M-2: while the clock goes on, a name has the time of its sending", () => {
  const soon = nextNameTime(0) + 1_000;
  expect(nextNameTime(soon)).toBe(soon);
  expect(nextNameTime(soon)).toBe(soon + 1);
  expect(readEnvelopeName(envelopeName(nextNameTime(soon + 5.9), "id"))).toEqual({ ms: soon + 5, id: "id" });
});
