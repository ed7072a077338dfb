import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_SETTINGS, readSettings, SETTINGS_FILE } from "../../src/mail/settings.ts";
import { harmfulCharacters, hostileText } from "./hostile-text.ts";

const PATH = "/home/a/.pi/agent/session-mail.json";

test("M-21: without a file the limit is 5 hops and mailboxes are kept 30 days", () => {
  const byDefault = { hopLimit: 5, pruneAfterDays: 30, durable: false };
  expect(DEFAULT_SETTINGS).toEqual(byDefault);
  expect(readSettings(undefined, PATH)).toEqual({ settings: byDefault, problems: [] });
  expect(SETTINGS_FILE).toBe("session-mail.json");
});

test.for([
  ['{ "hopLimit": 5, "pruneAfterDays": 30 }', {}],
  ["{}", {}],
  ['{ "hopLimit": 1 }', { hopLimit: 1 }],
  ['{ "pruneAfterDays": 365 }', { pruneAfterDays: 365 }],
  ['{ "durable": true }', { durable: true }],
  ['{ "durable": false, "hopLimit": 9 }', { hopLimit: 9 }],
  ['{ "hopLimit": 7.0 }', { hopLimit: 7 }],
  ['{ "team": { "hopLimit": 1 }, "index": false, "unknown": null }', {}],
  ['{ "__proto__": { "hopLimit": 1, "durable": true } }', {}],
  ['{ "hopLimit": 2, "hopLimit": 3 }', { hopLimit: 3 }],
] as const)("M-21: %s is taken as it stands, without a word", ([text, changed]) => {
  expect(readSettings(text, PATH)).toEqual({ settings: { ...DEFAULT_SETTINGS, ...changed }, problems: [] });
});

const WRONG_VALUES: readonly (readonly [
  key: "hopLimit" | "pruneAfterDays" | "durable",
  value: string,
  named: string,
])[] = [
  ["hopLimit", "0", "0"],
  ["hopLimit", "-1", "-1"],
  ["hopLimit", "1.5", "1.5"],
  ["hopLimit", '"5"', '"5"'],
  ["hopLimit", "null", "null"],
  ["hopLimit", "true", "true"],
  ["hopLimit", "1e999", "Infinity"],
  ["hopLimit", "9007199254740993", "9007199254740992"],
  ["hopLimit", "[5]", "a list"],
  ["hopLimit", '{"a": 1}', "an object"],
  ["hopLimit", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "a list"],
  ["pruneAfterDays", "0", "0"],
  ["pruneAfterDays", '"30 days"', '"30 days"'],
  ["durable", '"true"', '"true"'],
  ["durable", "1", "1"],
  ["durable", "null", "null"],
];

test.for(WRONG_VALUES)(
  "M-21, R-3: %s of %.40s means the default, with one sentence that names it",
  ([key, value, named]) => {
    const { settings, problems } = readSettings(`{ "durable": true, "${key}": ${value} }`, PATH);
    expect(settings).toEqual({ ...DEFAULT_SETTINGS, durable: key !== "durable", [key]: DEFAULT_SETTINGS[key] });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${PATH}: "${key}" is ${named}, not `);
    expect(problems[0]).toContain(`${DEFAULT_SETTINGS[key]} is used`);
  },
);

test("M-21, R-3: what somebody hangs on Object.prototype is no setting", () => {
  Object.defineProperty(Object.prototype, "hopLimit", { value: 1000, configurable: true });
  try {
    expect(readSettings("{}", PATH).settings.hopLimit).toBe(5);
  } finally {
    Reflect.deleteProperty(Object.prototype, "hopLimit");
  }
});

test("M-21: each wrong key has its own sentence, and the right ones still count", () => {
  const { settings, problems } = readSettings('{ "hopLimit": "x", "pruneAfterDays": 7, "durable": 2 }', PATH);
  expect(settings).toEqual({ hopLimit: 5, pruneAfterDays: 7, durable: false });
  expect(problems).toHaveLength(2);
  expect(problems[0]).toContain("hopLimit");
  expect(problems[1]).toContain("durable");
});

test.for(["", " ", "{", "hopLimit: 5", "null", "5", '"text"', "[]", '[{ "hopLimit": 1 }]', "\0", "\ufeff{}", "{} {}"])(
  "M-21, R-3: a file that holds %j means the defaults, with one sentence that names the file",
  (text) => {
    const { settings, problems } = readSettings(text, PATH);
    expect(settings).toEqual(DEFAULT_SETTINGS);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(PATH);
  },
);

test("M-21, R-3: any text gives settings that can be used", () => {
  const anyValue = fc.oneof(fc.jsonValue(), fc.integer(), hostileText());
  const nearly = fc
    .record({ hopLimit: anyValue, pruneAfterDays: anyValue, durable: anyValue }, { requiredKeys: [] })
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.oneof(hostileText(), fc.json(), nearly), (text) => {
      const { settings } = readSettings(text, PATH);
      expect(Number.isSafeInteger(settings.hopLimit) && settings.hopLimit > 0).toBe(true);
      expect(Number.isSafeInteger(settings.pruneAfterDays) && settings.pruneAfterDays > 0).toBe(true);
      expect(typeof settings.durable).toBe("boolean");
    }),
    { numRuns: 500 },
  );
});

test("R-4: a wrong value can not act on a terminal through the sentence that names it", () => {
  fc.assert(
    fc.property(hostileText(200), (value) => {
      const { problems } = readSettings(JSON.stringify({ hopLimit: value }), PATH);
      expect(problems.flatMap(harmfulCharacters)).toEqual([]);
      expect(problems[0]?.length).toBeLessThan(1000);
    }),
  );
});
