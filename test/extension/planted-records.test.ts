import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MailHome, STRANGER } from "../support/mail-host.ts";
import { waitFor } from "../support/wait-for.ts";

test("R-3: odd things among the running records are passed over and left", async () => {
  await using home = new MailHome();
  const running = join(home.mailRoot, "running");
  mkdirSync(running, { recursive: true });
  execFileSync("mkfifo", [join(running, "pipe.json")]);
  mkdirSync(join(running, "folder.json"));
  symlinkSync("/nowhere", join(running, "dangling.json"));
  writeFileSync(join(running, "null.json"), "null");
  writeFileSync(join(running, "other.json"), JSON.stringify({ address: "someone-else", cwd: "/", pid: process.pid }));
  writeFileSync(join(running, "..json"), JSON.stringify({ address: ".", cwd: "/", pid: process.pid }));
  writeFileSync(
    join(running, "large.json"),
    " ".repeat(100_000) + JSON.stringify({ address: "large", cwd: "/", pid: 1 }),
  );
  writeFileSync(join(running, "nobody.txt"), "x");
  const before = readdirSync(running).sort();
  const host = await home.open({ name: "anna" });
  expect(await host.tool("list")).toMatch(/^anna [^\n]*$/);
  await host.command("");
  await host.shutdown();
  expect(readdirSync(running).sort()).toEqual(before);
});

test("R-3: a file in the place of the records or of the mailbox is named, and mail goes on once it is moved away", async () => {
  await using home = new MailHome();
  mkdirSync(home.mailRoot, { recursive: true });
  writeFileSync(join(home.mailRoot, "running"), "x");
  writeFileSync(join(home.mailRoot, "anna-session"), "x");
  const host = await home.open({ id: "anna-session" });
  const warnings = host.warnings();
  expect(warnings.some((text) => /running record can not be written/.test(text))).toBe(true);
  expect(warnings.some((text) => /anna-session is not a folder/.test(text))).toBe(true);
  await host.run("a run");
  expect(host.warnings()).toEqual(warnings);
  rmSync(join(home.mailRoot, "running"));
  rmSync(join(home.mailRoot, "anna-session"));
  const { id } = home.put({ from: STRANGER, to: host.address });
  await waitFor(() => host.sent.length === 1 && host.record() !== undefined, { what: "mail and record" });
  expect(host.shownIds()).toEqual([id]);
});
