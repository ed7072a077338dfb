import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { TOOL_NAMES } from "../../src/extension/tools.ts";
import { EXIT_CODE } from "../../src/mail/errors.ts";
import { RECEIPT_STEPS } from "../../src/mail/receipts.ts";
import { DEFAULT_SETTINGS } from "../../src/mail/settings.ts";

const read = (file: string): string => readFileSync(file, "utf8");
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", ...globSync("docs/*.md")];
const manifest = JSON.parse(read("package.json")) as {
  version: string;
  scripts: Record<string, string>;
  files: string[];
  pi: { extensions: string[]; skills: string[] };
};

describe("D-1: the documents are true to the code", () => {
  test("D-2: the map of the source names every file, once and in its folder, and no other", () => {
    const map = read("docs/architecture.md");
    const named = [...map.matchAll(/^## (src\/\w+)$([\s\S]*?)(?=^## |(?![\s\S]))/gm)].flatMap(([, folder, table]) =>
      [...(table ?? "").matchAll(/^\| `([\w-]+\.tsx?)` \|/gm)].map(([, file]) => `${folder}/${file}`),
    );
    const files = globSync("src/**/*.{ts,tsx}");
    expect(files.length).toBeGreaterThan(50);
    expect(named.toSorted()).toEqual(files.toSorted());
  });

  test("every error code stands in docs/errors.md with its exit code, and no other", () => {
    const rows = [...read("docs/errors.md").matchAll(/^\| `([\w/-]+)` \| (\d+) \|/gm)];
    expect(Object.fromEntries(rows.map(([, code, exit]) => [code, Number(exit)]))).toEqual(EXIT_CODE);
  });

  test("M-12: every receipt step stands in the wire format", () => {
    const page = read("docs/wire-format.md");
    for (const step of RECEIPT_STEPS) expect(page).toContain(`\`${step}\``);
  });

  test("M-14, M-21: the README names the tools and the settings with their defaults", () => {
    const page = read("README.md");
    for (const tool of TOOL_NAMES) expect(page).toContain(`| \`${tool}\` |`);
    const shown = /```json\n(.*)\n```/.exec(page)?.[1] ?? "";
    expect(JSON.parse(shown)).toEqual(DEFAULT_SETTINGS);
  });

  test.for(pages)("%s links only to files that are there", (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) =>
      join(dirname(page), link ?? ""),
    );
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });

  test.for(pages)("%s runs only npm scripts that exist", (page) => {
    const scripts = [...read(page).matchAll(/npm (?:run ([\w:-]+)|(test)\b)/g)].map(([, run, own]) => run ?? own ?? "");
    expect(scripts.filter((script) => manifest.scripts[script] === undefined)).toEqual([]);
  });

  test("D-2: the newest entry of the changelog is the version of the package", () => {
    expect(/^## \[([\d.]+)\]/m.exec(read("CHANGELOG.md"))?.[1]).toBe(manifest.version);
  });

  test("D-3: everything that the manifest ships or points to is there", () => {
    const wanted = [...manifest.files, ...manifest.pi.extensions, ...manifest.pi.skills];
    expect(wanted.filter((file) => !existsSync(file))).toEqual([]);
    expect(manifest.files.map((file) => basename(file))).toContain("CHANGELOG.md");
  });
});
