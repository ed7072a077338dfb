import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Allowed {
  /** Folders that any import may name. */
  readonly folders: readonly string[];
  /** Folders that are loaded on demand only: a dynamic import, or types alone. */
  readonly onDemand?: readonly string[];
  /** Exact specifiers; one that ends in ":" or "/" stands for everything that begins with it. */
  readonly packages: readonly string[];
}

/** The law of imports: the table in docs/architecture.md. A folder may always import its own files. */
const LAW: Readonly<Record<string, Allowed>> = {
  mail: { folders: [], packages: [] },
  maildir: { folders: ["mail"], packages: ["node:"] },
  letterbox: { folders: ["mail", "maildir"], packages: ["node:"] },
  team: { folders: ["mail", "maildir"], packages: ["node:"] },
  index: { folders: ["mail", "maildir", "letterbox", "team"], packages: ["node:", "better-sqlite3"] },
  tui: { folders: ["mail", "maildir", "index"], packages: ["ink", "react", "react/", "string-width"] },
  cli: {
    folders: ["mail", "maildir", "letterbox", "team", "index"],
    onDemand: ["tui"],
    packages: ["node:", "better-sqlite3", "commander", "string-width"],
  },
  extension: {
    folders: ["mail", "maildir", "letterbox", "team"],
    onDemand: ["index"],
    packages: ["node:", "@mariozechner/pi-coding-agent", "@sinclair/typebox"],
  },
};
const EXTENSION_PACKAGES = ["@mariozechner/pi-coding-agent", "@sinclair/typebox"];
const VAGUE_NAMES = ["utils", "util", "helpers", "helper", "common", "types"];

interface Import {
  readonly specifier: string;
  readonly how: "static" | "types" | "dynamic";
}

const STATIC =
  /(?:^|;)[^\S\n]*(import|export)\b\s*(type\b(?!\s*from\b|\s*,))?\s*([\w\s{},*$]*?)\s*\bfrom\s*["']([^"'\n]+)["']/gm;
const SIDE_EFFECT = /(?:^|;)[^\S\n]*import\s*["']([^"'\n]+)["']/gm;
const CALLED = /\b(?:import|require)\s*\(\s*(?:["'`]([^"'`$\n]+)["'`]\s*[,)])?/g;

/** Every import of a source text. A dynamic import of anything but a plain text reads as the specifier "?". */
function importsOf(source: string): Import[] {
  const code = withoutComments(source);
  const imports: Import[] = [];
  for (const [, , type, names = "", specifier = ""] of code.matchAll(STATIC)) {
    const members = names.startsWith("{") ? names.replace(/[{}]/g, "").split(",") : [];
    const named = members.map((member) => member.trim()).filter((member) => member !== "");
    const typesOnly = type !== undefined || (named.length > 0 && named.every((member) => /^type\s/.test(member)));
    imports.push({ specifier, how: typesOnly ? "types" : "static" });
  }
  for (const [, specifier = ""] of code.matchAll(SIDE_EFFECT)) imports.push({ specifier, how: "static" });
  for (const [, specifier = "?"] of code.matchAll(CALLED)) imports.push({ specifier, how: "dynamic" });
  return imports;
}

/** Comments go where Biome's formatting leaves them: whole lines, and what follows a statement on its line. */
function withoutComments(source: string): string {
  return source
    .replace(/^[^\S\n]*\/\*[\s\S]*?\*\/[^\S\n]*$/gm, "")
    .replace(/^[^\S\n]*\/\/.*$/gm, "")
    .replace(/([;{},])[^\S\n]+\/\/.*$/gm, "$1");
}

/** What a file under src/ does against the law, each as `file: what it imports`. @param file from `src/` on. */
function brokenImports(file: string, source: string): string[] {
  const folder = folderOf(file);
  const law = LAW[folder];
  if (law === undefined) return [`${file}: lies in no folder of the law`];
  return importsOf(source)
    .filter((one) => !mayImport(file, folder, law, one))
    .map(({ specifier, how }) => `${file}: ${how} ${specifier}`);
}

function mayImport(file: string, folder: string, law: Allowed, { specifier, how }: Import): boolean {
  if (!specifier.startsWith(".")) {
    return law.packages.some((known) => (/[:/]$/.test(known) ? specifier.startsWith(known) : specifier === known));
  }
  const target = posix.join(posix.dirname(file), specifier);
  if (!/\.tsx?$/.test(target) || !target.startsWith("src/")) return false;
  const wanted = folderOf(target);
  if (wanted === folder || law.folders.includes(wanted)) return true;
  return how !== "static" && law.onDemand?.includes(wanted) === true;
}

function folderOf(file: string): string {
  return file.split("/").length > 2 ? (file.split("/")[1] ?? "") : "";
}

const CLOCKS: readonly (readonly [what: string, pattern: RegExp])[] = [
  // `new Date(value)`, `Date.parse(text)` and `Date.UTC(…)` read no clock.
  ["Date", /\bDate\b(?!\.(?:parse|UTC)\b)(?<!\bnew Date(?=\s*\(\s*[^)\s]))/],
  ["performance", /\bperformance\b/],
  ["Math.random", /\bMath\s*(?:\.\s*random|\[)/],
  ["process", /\bprocess\b/],
  ["crypto", /\bcrypto\b/],
  ["timers", /\bset(?:Timeout|Interval|Immediate)\b/],
  ["globalThis", /\bglobalThis\b/],
];

/** What in a source text is not a pure function of its arguments. */
function impurities(source: string): string[] {
  const code = withoutComments(source);
  return CLOCKS.filter(([, pattern]) => pattern.test(code)).map(([what]) => what);
}

function isVague(file: string): boolean {
  return file
    .split("/")
    .slice(1)
    .some((part) => VAGUE_NAMES.includes(part.replace(/\..*$/, "").toLowerCase()));
}

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), "../..");
const files = globSync("src/**/*.{ts,tsx}", { cwd: packageFolder }).map((file) => file.replaceAll("\\", "/"));
const sources = files.map((file) => ({ file, source: readFileSync(join(packageFolder, file), "utf8") }));
const inFolder = (folder: string) => sources.filter(({ file }) => folderOf(file) === folder);

test("the law is asked of every source file and of every import in them", () => {
  expect(files.length).toBeGreaterThan(8);
  expect(inFolder("mail").length).toBeGreaterThan(8);
  expect(inFolder("maildir").length).toBeGreaterThan(4);
  expect(inFolder("extension").length).toBeGreaterThan(0);
  const seen = sources.flatMap(({ source }) => importsOf(source)).filter(({ how }) => how !== "dynamic");
  // Biome ends every import on a line of one of these three forms.
  const lines = sources.flatMap(
    ({ source }) => source.match(/^(?:(?:import|export) .* from|\} from|import) ".*$/gm) ?? [],
  );
  expect(lines.length).toBeGreaterThan(20);
  expect(seen.length).toBe(lines.length);
});

test("each folder imports only what the law lets it import", () => {
  expect(sources.flatMap(({ file, source }) => brokenImports(file, source))).toEqual([]);
});

test("D-3: the extension imports no package at run time but Pi and its schema library", () => {
  const packages = inFolder("extension")
    .flatMap(({ source }) => importsOf(source))
    .filter(({ specifier, how }) => how !== "types" && !specifier.startsWith(".") && !specifier.startsWith("node:"))
    .map(({ specifier }) => specifier);
  expect(packages.filter((name) => !EXTENSION_PACKAGES.includes(name))).toEqual([]);
});

test("the mail rules read no clock, no chance and no process", () => {
  expect(inFolder("mail").flatMap(({ file, source }) => impurities(source).map((what) => `${file}: ${what}`))).toEqual(
    [],
  );
});

test("no source file has a name that says nothing", () => {
  expect(files.filter(isVague)).toEqual([]);
});

const PLANTED_WRONGS: readonly (readonly [what: string, file: string, source: string, broken: string])[] = [
  ["a node module in the mail rules", "src/mail/a.ts", 'import { join } from "node:path";', "static node:path"],
  ["a node module without its prefix", "src/maildir/a.ts", 'import { join } from "path";', "static path"],
  ["a package in the mail rules", "src/mail/a.ts", 'import x from "ink";', "static ink"],
  ["types from a package", "src/mail/a.ts", 'import type { X } from "better-sqlite3";', "types better-sqlite3"],
  ["types named one by one", "src/mail/a.ts", 'import { type X, type Y } from "ink";', "types ink"],
  ["types from a folder above", "src/mail/a.ts", 'import type { X } from "../maildir/b.ts";', "types ../maildir/b.ts"],
  ["a side effect", "src/mail/a.ts", 'import "../maildir/b.ts";', "static ../maildir/b.ts"],
  [
    "an import over several lines",
    "src/mail/a.ts",
    'import {\n  x,\n  type Y,\n} from "../maildir/b.ts";',
    "static ../maildir/b.ts",
  ],
  ["everything under one name", "src/mail/a.ts", 'import * as fs from "node:fs";', "static node:fs"],
  ["a default and names", "src/mail/a.ts", 'import fs, { x } from "node:fs";', "static node:fs"],
  ["a default called type", "src/mail/a.ts", 'import type from "node:fs";', "static node:fs"],
  ["single quotes and no space", "src/mail/a.ts", "import{x}from'node:fs';", "static node:fs"],
  ["the second import of a line", "src/mail/a.ts", 'import { x } from "./b.ts"; import "node:fs";', "static node:fs"],
  ["an export from elsewhere", "src/mail/a.ts", 'export { x } from "../maildir/b.ts";', "static ../maildir/b.ts"],
  ["an export of everything", "src/mail/a.ts", 'export * from "../maildir/b.ts";', "static ../maildir/b.ts"],
  ["an export of a namespace", "src/mail/a.ts", 'export * as all from "node:fs";', "static node:fs"],
  ["an export of types", "src/mail/a.ts", 'export type { X } from "../maildir/b.ts";', "types ../maildir/b.ts"],
  ["a dynamic import", "src/mail/a.ts", 'const fs = await import("node:fs");', "dynamic node:fs"],
  [
    "a dynamic import over several lines",
    "src/mail/a.ts",
    'const fs = await import(\n  "node:fs"\n);',
    "dynamic node:fs",
  ],
  ["a dynamic import of a folder above", "src/mail/a.ts", 'f(() => import("../index/b.ts"));', "dynamic ../index/b.ts"],
  ["a dynamic import of a computed name", "src/extension/a.ts", "await import(name);", "dynamic ?"],
  [
    "a dynamic import of a name put together",
    "src/extension/a.ts",
    `await import(${"`../$"}{name}.ts${"`"});`,
    "dynamic ?",
  ],
  ["a type taken from an import", "src/mail/a.ts", 'type X = import("node:fs").Stats;', "dynamic node:fs"],
  ["require", "src/mail/a.ts", 'const fs = require("node:fs");', "dynamic node:fs"],
  [
    "the disk importing the extension",
    "src/maildir/a.ts",
    'import { x } from "../extension/b.ts";',
    "static ../extension/b.ts",
  ],
  ["boxes importing teams", "src/letterbox/a.ts", 'import { x } from "../team/b.ts";', "static ../team/b.ts"],
  ["the index importing the viewer", "src/index/a.ts", 'import { x } from "../tui/b.ts";', "static ../tui/b.ts"],
  ["SQLite outside the index", "src/team/a.ts", 'import Database from "better-sqlite3";', "static better-sqlite3"],
  [
    "the viewer loaded with the command line",
    "src/cli/a.ts",
    'import { x } from "../tui/b.tsx";',
    "static ../tui/b.tsx",
  ],
  ["Ink in the command line", "src/cli/a.ts", 'await import("ink");', "dynamic ink"],
  [
    "the index loaded with the extension",
    "src/extension/a.ts",
    'import { x } from "../index/b.ts";',
    "static ../index/b.ts",
  ],
  ["the command line in the extension", "src/extension/a.ts", 'await import("../cli/b.ts");', "dynamic ../cli/b.ts"],
  [
    "Pi's other name",
    "src/extension/a.ts",
    'import { x } from "@earendil-works/pi-coding-agent";',
    "static @earendil-works/pi-coding-agent",
  ],
  [
    "a part of Pi",
    "src/extension/a.ts",
    'import { x } from "@mariozechner/pi-coding-agent/dist/x.js";',
    "static @mariozechner/pi-coding-agent/dist/x.js",
  ],
  [
    "a way out of the sources",
    "src/maildir/a.ts",
    'import { x } from "../../test/support/b.ts";',
    "static ../../test/support/b.ts",
  ],
  [
    "a way round through another folder",
    "src/mail/a.ts",
    'import { x } from "./../mail/../maildir/b.ts";',
    "static ./../mail/../maildir/b.ts",
  ],
  ["an ending that Pi can not load", "src/mail/a.ts", 'import { x } from "./b.js";', "static ./b.js"],
  ["a path from the root", "src/mail/a.ts", 'import { x } from "/tmp/b.ts";', "static /tmp/b.ts"],
  [
    "an import after a comment that names another",
    "src/mail/a.ts",
    '/** import "./b.ts"; */\nimport "node:fs"; // why',
    "static node:fs",
  ],
];

test.for(PLANTED_WRONGS)("the law catches %s", ([, file, source, broken]) => {
  expect(brokenImports(file, source)).toEqual([`${file}: ${broken}`]);
});

test.for([
  ["a file of the same folder", "src/mail/a.ts", 'import { x } from "./b.ts";'],
  [
    "a folder below",
    "src/extension/a.ts",
    'import { x } from "../mail/b.ts";\nimport type { Y } from "../maildir/c.ts";',
  ],
  ["a node module on disk", "src/maildir/a.ts", 'import { join } from "node:path";'],
  [
    "Pi",
    "src/extension/a.ts",
    'import { x } from "@mariozechner/pi-coding-agent";\nimport { Type } from "@sinclair/typebox";',
  ],
  ["the index on demand", "src/extension/a.ts", 'const { x } = await import("../index/b.ts");'],
  ["the types of what is loaded on demand", "src/extension/a.ts", 'import type { X } from "../index/b.ts";'],
  ["the viewer on demand", "src/cli/a.ts", 'const { x } = await import("../tui/b.tsx");'],
  [
    "a comment that names an import",
    "src/mail/a.ts",
    '// import x from "ink";\n/**\n * import y from "ink";\n */\nconst a = 1; // import("ink")',
  ],
  ["its own address", "src/extension/a.ts", "const here = import.meta.url;"],
  [
    "names that only look like an import",
    "src/mail/a.ts",
    'export interface A {\n  from: "ink";\n}\nexport const important = ["from", "ink"];',
  ],
] as const)("the law lets %s pass", ([, file, source]) => {
  expect(brokenImports(file, source)).toEqual([]);
});

test.for(["src/main.ts", "src/utilities/a.ts"])("the law has no place for %s", (file) => {
  expect(brokenImports(file, "")).toEqual([`${file}: lies in no folder of the law`]);
});

test.for([
  ["Date", "return Date.now();"],
  ["Date", "return new Date();"],
  ["Date", "return new Date;"],
  ["Date", "return new Date( ).getTime();"],
  ["Date", "const { now } = Date;"],
  ["Date", "return Date();"],
  ["performance", "return performance.now();"],
  ["Math.random", "return Math.random();"],
  ["process", "return process.env;"],
  ["crypto", "return crypto.randomUUID();"],
  ["timers", "setTimeout(f, 1);"],
  ["globalThis", 'globalThis["process"];'],
] as const)("a rule with %s in `%s` is caught", ([what, source]) => {
  expect(impurities(source)).toContain(what);
});

test.for([
  "return new Date(nowMs).toISOString();",
  "return Date.parse(ts);",
  "// the process, by Date.now()",
  "return Math.max(a, b);",
])("a rule may say `%s`", (source) => {
  expect(impurities(source)).toEqual([]);
});

test.for([
  ["src/mail/utils.ts", true],
  ["src/maildir/helpers/a.ts", true],
  ["src/tui/common.tsx", true],
  ["src/cli/types.d.ts", true],
  ["src/mail/Types.ts", true],
  ["src/extension/utils.test.ts", true],
  ["src/mail/envelope.ts", false],
  ["src/mail/plain-text.ts", false],
] as const)("the name %s says nothing: %s", ([file, vague]) => {
  expect(isVague(file)).toBe(vague);
});
