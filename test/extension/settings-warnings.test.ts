import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { immediates, MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

/** Everything that reads the settings, several times. */
async function useSettings(host: MailHost): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    host.arrive({ from: STRANGER });
    await host.agentStart();
    await host.read();
    await host.tool("send", { to: NEIGHBOUR, message: "hi" });
    await host.assistant("answer");
    await host.settle();
    await immediates();
  }
}

test.for<[string, object | string, string[]]>([
  ["no JSON", "{", ["not a JSON object"]],
  ["nothing", "", ["not a JSON object"]],
  ["a list", "[]", ["not a JSON object"]],
  ["null", "null", ["not a JSON object"]],
  ["a hop limit of 0", { hopLimit: 0 }, ['"hopLimit"']],
  ["days that are a text", { pruneAfterDays: "30" }, ['"pruneAfterDays"']],
  ["two wrong values", { hopLimit: -1, pruneAfterDays: 1.5 }, ['"hopLimit"', '"pruneAfterDays"']],
  ["durable that is no yes or no", { durable: "yes" }, ['"durable"']],
  ["null for a value", { hopLimit: null }, ['"hopLimit"']],
])(
  "M-21: a settings file that holds %s is warned about once a problem and session, and mail goes on",
  async ([, settings, problems]) => {
    await using home = new MailHome();
    home.settings(settings);
    const host = await home.open();
    await useSettings(host);
    expect(host.warnings()).toHaveLength(problems.length);
    for (const [at, problem] of problems.entries()) {
      expect(host.warnings()[at]).toContain(problem);
      expect(host.warnings()[at]).toContain(join(home.agentDir, "session-mail.json"));
    }
    expect(home.inbox(STRANGER)).toHaveLength(3);
    await host.shutdown();
    const next = await home.open();
    expect(next.warnings()).toHaveLength(problems.length);
  },
);

test.for<[string, object]>([
  ["nothing", {}],
  ["all keys", { hopLimit: 2, pruneAfterDays: 1, durable: true }],
  ["keys of others", { team: { name: "x" }, index: false, unknown: [1] }],
])("M-21: a settings file with %s needs no warning", async ([, settings]) => {
  await using home = new MailHome();
  home.settings(settings);
  const host = await home.open();
  await useSettings(host);
  expect(host.warnings()).toEqual([]);
});

test("M-21: a settings file that can not be read means the defaults, with one warning", async () => {
  await using home = new MailHome();
  mkdirSync(join(home.agentDir, "session-mail.json"));
  const host = await home.open();
  await useSettings(host);
  expect(host.warnings()).toHaveLength(1);
  expect(host.warnings()[0]).toMatch(/can not be read/);
});

test("M-21: each agent folder has its own settings", async () => {
  await using home = new MailHome();
  await using other = new MailHome();
  home.settings({ hopLimit: 1 });
  const strict = await home.open();
  const lax = await home.open();
  lax.env["PI_CODING_AGENT_DIR"] = other.agentDir;
  for (const host of [strict, lax]) {
    host.arrive({ from: STRANGER });
    await host.agentStart();
  }
  expect(await strict.refusal("send", { to: NEIGHBOUR, message: "?" })).toMatch(/hop limit is 1/);
  await lax.tool("send", { to: NEIGHBOUR, message: "goes" });
});

test("M-21: with durable set, mail is sent, claimed and answered as ever", async () => {
  await using home = new MailHome();
  home.settings({ durable: true });
  const anna = await home.open({ name: "anna" });
  const bob = await home.open({ name: "bob" });
  await anna.command("bob how far?");
  bob.scan();
  await bob.run("5 miles");
  anna.scan();
  expect(anna.texts()[0]).toContain("\n\n5 miles\n\n");
  expect(bob.receipts().map(({ step }) => step)).toEqual(["claimed", "read", "answered"]);
});

test("M-1: a session whose own folder is open to others warns once with the chmod to run, and does not change it", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.shutdown();
  const folder = join(home.mailRoot, host.address);
  chmodSync(folder, 0o755);
  const again = await home.open({ id: host.address });
  await useSettings(again);
  expect(again.warnings()).toEqual([expect.stringContaining(`chmod 700 ${folder}`)]);
  expect(statSync(folder).mode & 0o777).toBe(0o755);
});

test("M-1: the mail root is closed to others when a session starts, though it was open", async () => {
  await using home = new MailHome();
  mkdirSync(home.mailRoot, { recursive: true });
  chmodSync(home.mailRoot, 0o777);
  await home.open();
  expect(statSync(home.mailRoot).mode & 0o777).toBe(0o700);
});
