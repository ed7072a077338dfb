import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ABSENT, leaveMail } from "../support/absent-sender.ts";
import { replyTo } from "../support/letters.ts";
import { transcript } from "../support/mock-model.ts";
import { piCommand, piEnv } from "../support/pi-command.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { makeWorld, type World } from "../support/world.ts";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));

/** Runs `pi install <path>` with the world's agent dir. */
async function install(world: World, path: string): Promise<void> {
  const setup = world.setup({ name: "installer" });
  const { file, args } = piCommand(setup);
  await promisify(execFile)(file, [args[0] ?? "", "install", path], { cwd: setup.cwd, env: piEnv(setup) });
}

async function expectWhole(world: World, alice: PiProcess): Promise<void> {
  const { commands } = (await alice.send({ type: "get_commands" })) as { commands: { name: string; source: string }[] };
  const names = commands.map(({ name, source }) => `${source} ${name}`);
  expect(names).toEqual(
    expect.arrayContaining(["extension mailbox", "extension mailroom", "skill skill:session-mail"]),
  );
  const request = leaveMail(world, alice.id, { kind: "request", body: "how many?" });
  expect(await replyTo(world, ABSENT, request)).toMatchObject({ status: "done" });
  const seen = world.model.requestsOf("alice").at(-1);
  expect(seen?.tools).toEqual(
    expect.arrayContaining(["session_mail_list", "session_mail_ask", "session_mail_reply", "session_mail_send"]),
  );
  expect(seen && transcript(seen)).toContain(join(PACKAGE, "skills/session-mail/SKILL.md"));
  expect(alice.stderr).not.toMatch(/pi-mailroom|dependenc|Error/i);
}

test("M-28: installed by path, Pi lists the skill to the person and to the model, and the extension serves", async () => {
  await using world = await makeWorld();
  await install(world, PACKAGE);
  const { packages } = JSON.parse(readFileSync(join(world.agentDir, "settings.json"), "utf8")) as {
    packages: string[];
  };
  expect(packages).toHaveLength(1);
  await expectWhole(world, await world.startReadyPi({ name: "alice", extensions: [], discovers: true }));
});

test("M-28: named with -e, the whole package is there for this one run", async () => {
  await using world = await makeWorld();
  await expectWhole(world, await world.startReadyPi({ name: "alice", extensions: [PACKAGE], discovers: true }));
});
