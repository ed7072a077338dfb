import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSkillsFromDir } from "@mariozechner/pi-coding-agent";
import { expect, test } from "vitest";

const TOOLS = ["session_mail_list", "session_mail_ask", "session_mail_reply", "session_mail_send"];
const SKILLS = fileURLToPath(new URL("../../skills", import.meta.url));
const FILE = `${SKILLS}/session-mail/SKILL.md`;
const text = readFileSync(FILE, "utf8");

test("M-28: Pi loads the skill without a complaint", () => {
  const { skills, diagnostics } = loadSkillsFromDir({ dir: SKILLS, source: "path" });
  expect(diagnostics).toEqual([]);
  expect(skills.map((skill) => [skill.name, skill.filePath, skill.disableModelInvocation])).toEqual([
    ["session-mail", FILE, false],
  ]);
});

test("M-28: name and description keep to the rules of the skill format", () => {
  const [, frontmatter = ""] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
  const fields = Object.fromEntries(frontmatter.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
  expect(Object.keys(fields)).toEqual(["name", "description"]);
  expect(fields["name"]).toBe(basename(dirname(FILE)));
  expect(fields["name"]).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(fields["description"]?.length).toBeGreaterThan(50);
  expect(fields["description"]?.length).toBeLessThanOrEqual(1024);
});

test("M-28: the skill names the four tools and no other", () => {
  const named = new Set(text.match(/\bsession_mail_[a-z_]+/g));
  expect([...named].sort()).toEqual([...TOOLS].sort());
});

test("M-28: the skill is short", () => {
  expect(text.split("\n").length).toBeLessThan(70);
});
