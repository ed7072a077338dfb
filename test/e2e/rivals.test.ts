import { cpSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ABSENT, leaveMail, timesShown } from "../support/absent-sender.ts";
import { repliesTo, replyTo, toolOutcome } from "../support/letters.ts";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

const RIVAL = fileURLToPath(new URL("../support/rival-extension.ts", import.meta.url));

/** What ours says when it steps back. */
function steppingBack(alice: PiProcess) {
  return alice.notifications().filter(({ message }) => /another mailbox extension/.test(message));
}

test.each([
  ["before", [RIVAL, PROJECT_EXTENSION]],
  ["after", [PROJECT_EXTENSION, RIVAL]],
])(
  "M-25: with another mailbox extension loaded %s ours, Pi starts, the other serves, ours touches no mail and says so once",
  async (_, extensions) => {
    await using world = await makeWorld();
    const alice = await world.startReadyPi({ name: "alice", extensions: [...extensions, PROBE_EXTENSION] });
    await waitFor(() => steppingBack(alice).length > 0, { what: "the word that ours steps back" });
    expect(steppingBack(alice)).toEqual([{ type: "warning", message: expect.stringMatching(/Remove one of the two/) }]);

    world.model.push("alice", { tool: { name: "session_mail_list" } });
    const from = alice.records.length;
    await alice.prompt("who is there?");
    expect((await toolOutcome(alice, "session_mail_list", from)).text).toBe("the rival's session_mail_list");
    await alice.settled(from);
    await alice.prompt("/mailbox");
    expect(alice.notifications().at(-1)?.message).toBe("the rival's /mailbox");
    await alice.prompt('/probe-emit message:send {"to": "x", "body": "y"}');
    expect(alice.notifications().at(-1)?.message).toContain("the rival sends nothing");

    leaveMail(world, alice.id, { kind: "request", body: "how many?" });
    await alice.prompt("/probe-emit message:scan");
    await alice.prompt("/probe-reload");
    await alice.newSession();
    await alice.run("anything new?");
    expect(world.mailbox(alice.id).names("new")).toHaveLength(1);
    expect(world.running()).toEqual([]);
    expect(existsSync(join(world.mailbox(alice.id).path, "receipts.jsonl"))).toBe(false);
    expect(alice.stderr).not.toMatch(/stale|Error/);
  },
);

test("M-25: ours installed twice serves once: one copy steps back, each letter is shown once and answered once", async () => {
  await using world = await makeWorld();
  const copy = join(world.root, "copy");
  for (const folder of ["mail", "maildir", "extension"]) {
    cpSync(join(dirname(PROJECT_EXTENSION), "..", folder), join(copy, folder), { recursive: true });
  }
  const extensions = [PROJECT_EXTENSION, join(copy, "extension", "index.ts"), PROBE_EXTENSION];
  const alice = await world.startReadyPi({ name: "alice", extensions });
  for (const before of ["the first start", "a reload", "a new session"]) {
    if (before === "a reload") await alice.prompt("/probe-reload");
    if (before === "a new session") await alice.newSession();
    const { sessionId } = await alice.ready();
    const request = leaveMail(world, sessionId, { kind: "request", body: `how many after ${before}?` });
    expect(await replyTo(world, ABSENT, request), before).toMatchObject({ status: "done" });
    await waitFor(async () => !(await alice.ready()).isStreaming, { what: "the session to be idle" });
    await alice.run("and now?");
    expect(timesShown(world.model.requestsOf("alice").at(-1), `how many after ${before}?`), before).toBe(1);
    expect(repliesTo(world, ABSENT, request), before).toHaveLength(1);
  }
  expect(world.running()).toHaveLength(1);
  expect(steppingBack(alice)).toHaveLength(3);
  await alice.prompt("/mailbox");
  expect(alice.notifications().at(-1)?.message).toContain("Address: ");
});
