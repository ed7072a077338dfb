import fc from "fast-check";
import { expect, test } from "vitest";
import { envelopeName, isEnvelopeName, readEnvelopeName } from "../../src/mail/envelope-name.ts";

const ID = "5e17e000-0000-4000-8000-000000000001";

test.for([
  [0, `000000000000000-${ID}.json`],
  [1_767_323_045_678, `001767323045678-${ID}.json`],
  [999_999_999_999_999, `999999999999999-${ID}.json`],
  [1.9, `000000000000001-${ID}.json`],
  [-5, `000000000000000-${ID}.json`],
] as const)("M-2: mail of millisecond %d is called %s", ([ms, name]) => {
  expect(envelopeName(ms, ID)).toBe(name);
});

const times = fc.integer({ min: 0, max: 999_999_999_999_999 });

test("M-2: names sort in the order of sending, whatever the ids", () => {
  fc.assert(
    fc.property(times, times, fc.uuid(), fc.uuid(), (a, b, idOfA, idOfB) => {
      fc.pre(a < b);
      expect([envelopeName(b, idOfB), envelopeName(a, idOfA)].sort()).toEqual([
        envelopeName(a, idOfA),
        envelopeName(b, idOfB),
      ]);
    }),
  );
});

test("M-2: a name is served, and gives back its time and id", () => {
  fc.assert(
    fc.property(times, fc.uuid(), (ms, id) => {
      const name = envelopeName(ms, id);
      expect(isEnvelopeName(name)).toBe(true);
      expect(readEnvelopeName(name)).toEqual({ ms, id });
    }),
  );
});

test.for([
  [`001767323045678-${ID}.json`, true],
  ["letter.json", true],
  ["a b.json", true],
  [`001767323045678-${ID}.json.tmp`, false],
  [`001767323045678-${ID}`, false],
  ["letter.JSON", false],
  ["letter.jsonl", false],
  [".letter.json", true],
  ["", false],
] as const)("M-3, R-3: a file called `%s` is served as mail: %s", ([name, served]) => {
  expect(isEnvelopeName(name)).toBe(served);
});

test.for([
  "letter.json",
  `1767323045678-${ID}.json`,
  `0001767323045678-${ID}.json`,
  `00176732304567x-${ID}.json`,
  `001767323045678${ID}.json`,
  "001767323045678-.json",
  `001767323045678-${ID}`,
  `x001767323045678-${ID}.json`,
  "",
])("M-3: `%s` tells no time and no id", (name) => {
  expect(readEnvelopeName(name)).toBeUndefined();
});
