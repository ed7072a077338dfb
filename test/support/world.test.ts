import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOriginalEnvelope, writeOriginalRecord } from "./original-form.ts";
import { PROJECT_EXTENSION, piCommand, piEnv } from "./pi-command.ts";
import { makeWorld } from "./world.ts";

test("a world is empty, shows the mail in it, and is gone when disposed", async () => {
  const world = await makeWorld();
  expect(world.envelopes("b", "new")).toEqual([]);
  expect(world.receipts("b")).toEqual([]);
  expect(world.running()).toEqual([]);
  const { id, fileName } = writeOriginalEnvelope(world.mailRoot, { from: "a", to: "b", body: "hi" });
  writeOriginalRecord(world.mailRoot, { address: "a", cwd: world.root, pid: process.pid });
  expect(world.mailbox("b").names("new")).toEqual([fileName]);
  expect(world.envelopes("b", "new")).toMatchObject([{ id, from: "a", body: "hi" }]);
  expect(world.running()).toMatchObject([{ address: "a", state: "idle" }]);
  writeFileSync(join(world.mailbox("b").path, "receipts.jsonl"), '{"id":"m-1","step":"read"}\n{"id":"m-2"');
  expect(world.receipts("b")).toEqual([{ id: "m-1", step: "read" }]);
  await world.dispose();
  expect(existsSync(world.root)).toBe(false);
});

test("a file that is no JSON is named", async () => {
  await using world = await makeWorld();
  mkdirSync(join(world.mailbox("b").path, "cur"), { recursive: true });
  writeFileSync(join(world.mailbox("b").path, "cur", "torn.json"), "{");
  expect(() => world.envelopes("b", "cur")).toThrow(/torn\.json is not JSON/);
});

test("sessions share one agent dir, unless one has settings of its own", async () => {
  await using world = await makeWorld({ settings: { steeringMode: "all" } });
  world.writeSettings({ hopLimit: 2 });
  const alice = world.setup({ name: "Alice B." });
  const bob = world.setup({ name: "bob", settings: { retry: { enabled: true } } });
  const read = (folder: string, name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  expect(alice).toMatchObject({ model: "alice-b-", agentDir: world.agentDir, extensions: [PROJECT_EXTENSION] });
  expect(read(world.agentDir, "settings.json")).toMatchObject({ steeringMode: "all", retry: { enabled: false } });
  expect(read(bob.agentDir, "settings.json")).toMatchObject({ steeringMode: "all", retry: { enabled: true } });
  expect(read(bob.agentDir, "session-mail.json")).toEqual({ hopLimit: 2 });
  const declared = read(bob.agentDir, "models.json").providers.mock.models.map((model: { id: string }) => model.id);
  expect(declared).toEqual(["alice-b-", "bob"]);
});

test("Pi gets no variable of this process but PATH, and no flag its version lacks", async () => {
  await using world = await makeWorld();
  const setup = world.setup({ name: "alice", env: { EXTRA: "1" } });
  const names = Object.keys(piEnv(setup)).filter((name) => !/^(PI|PROBE|XDG)_/.test(name));
  expect(names.sort().join(" ")).toBe("EXTRA HOME LANG PATH TERM");
  expect(piCommand(setup, ["--mode", "rpc"]).args).toEqual(expect.arrayContaining(["--session-id", setup.id, "-e"]));
  const old = piCommand({ ...setup, cli: "/old/cli.js", node: "/old/node", version: "0.73.1" });
  expect(old).toMatchObject({ file: "/old/node" });
  expect(old.args[0]).toBe("/old/cli.js");
  expect(old.args).not.toContain("--session-id");
});
