import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../src/mail/settings.ts";
import { agentFolder, loadSettings } from "../../src/maildir/settings-file.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
let path: string;
beforeEach(() => {
  path = join(temp.folder, "session-mail.json");
});
const load = () => loadSettings({ PI_CODING_AGENT_DIR: temp.folder }, "/home/u");

test.for([
  [undefined, "/home/u/.pi/agent"],
  ["", "/home/u/.pi/agent"],
  ["/agents/one", "/agents/one"],
  ["~", "/home/u"],
  ["~/agents", "/home/u/agents"],
  ["~other", "~other"],
] as const)("M-21: with PI_CODING_AGENT_DIR %j the settings are in %s", ([variable, folder]) => {
  expect(agentFolder({ PI_CODING_AGENT_DIR: variable }, "/home/u")).toBe(folder);
});

test("M-21: no settings file, or none of its folders, means the defaults and no warning", () => {
  expect(load()).toEqual({ settings: DEFAULT_SETTINGS, problems: [] });
  expect(loadSettings({ PI_CODING_AGENT_DIR: join(temp.folder, "missing") }, "/")).toEqual({
    settings: DEFAULT_SETTINGS,
    problems: [],
  });
});

test("M-21: the settings file and the variable that places it are read at each call", () => {
  writeFileSync(path, '{ "hopLimit": 2, "pruneAfterDays": 7, "durable": true }');
  expect(load()).toEqual({ settings: { hopLimit: 2, pruneAfterDays: 7, durable: true }, problems: [] });
  writeFileSync(path, '{ "hopLimit": 3 }');
  expect(load().settings).toEqual({ ...DEFAULT_SETTINGS, hopLimit: 3 });
  const other = join(temp.folder, "other");
  mkdirSync(other);
  writeFileSync(join(other, "session-mail.json"), '{ "hopLimit": 9 }');
  const env = { PI_CODING_AGENT_DIR: temp.folder };
  expect(loadSettings(env, "/").settings.hopLimit).toBe(3);
  env.PI_CODING_AGENT_DIR = other;
  expect(loadSettings(env, "/").settings.hopLimit).toBe(9);
});

test("M-21: what of the file is wrong is named, and its default used; the rest counts", () => {
  writeFileSync(path, '{ "hopLimit": 0, "pruneAfterDays": 12, "durable": "yes", "team": {}, "index": false }');
  const { settings, problems } = load();
  expect(settings).toEqual({ ...DEFAULT_SETTINGS, pruneAfterDays: 12 });
  expect(problems).toHaveLength(2);
  for (const [at, key] of [
    [0, "hopLimit"],
    [1, "durable"],
  ] as const) {
    expect(problems[at]).toContain(path);
    expect(problems[at]).toContain(`"${key}"`);
  }
});

const unusable: Record<string, (place: string) => void> = {
  "a folder in its place": (place) => mkdirSync(place),
  "a link to itself in its place": (place) => symlinkSync(place, place),
  "no JSON in it": (place) => writeFileSync(place, "hopLimit = 3"),
  "half of it": (place) => writeFileSync(place, '{ "hopLimit": 3'),
  "a list in it": (place) => writeFileSync(place, "[3]"),
  "null in it": (place) => writeFileSync(place, "null"),
  "nothing in it": (place) => writeFileSync(place, ""),
  "NUL bytes in it": (place) => writeFileSync(place, "\0\0"),
};
test.for(Object.keys(unusable))(
  "M-21: a settings file with %s means the defaults, and one warning that names it",
  (what) => {
    unusable[what]?.(path);
    const { settings, problems } = load();
    expect(settings).toEqual(DEFAULT_SETTINGS);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(path);
    expect(problems[0]).toContain("defaults");
  },
);
