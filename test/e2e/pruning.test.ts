import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { originalEnvelope, writeOriginalRecord } from "../support/original-form.ts";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld, type World } from "../support/world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes the mailbox of a session that last changed so many days ago. @returns its path */
function oldMailbox(world: World, name: string, { days, unread = false }: { days: number; unread?: boolean }): string {
  const path = join(world.mailRoot, name);
  const boxes = ["tmp", "new", "cur", "sent"].map((box) => join(path, box));
  for (const box of boxes) mkdirSync(box, { recursive: true, mode: 0o700 });
  const letter = originalEnvelope({ from: randomUUID(), to: name });
  writeFileSync(join(path, unread ? "new" : "cur", letter.fileName), letter.text);
  const then = new Date(Date.now() - days * DAY_MS);
  for (const folder of [...boxes, path]) utimesSync(folder, then, then);
  return path;
}

/** Mailboxes that no pruning may touch, whatever their age. */
function keptMailboxes(world: World, own: string): string[] {
  const runs = oldMailbox(world, "runs-elsewhere", { days: 400 });
  writeOriginalRecord(world.mailRoot, { address: "runs-elsewhere", name: "prune", cwd: "/", pid: process.pid });
  const elsewhere = join(world.root, "elsewhere");
  mkdirSync(elsewhere);
  const link = join(world.mailRoot, "a-link");
  symlinkSync(elsewhere, link);
  return [
    oldMailbox(world, own, { days: 400 }),
    oldMailbox(world, "has-unread", { days: 400, unread: true }),
    oldMailbox(world, "no.address", { days: 400 }),
    runs,
    link,
  ];
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

test("M-20: once session_start has returned, mailboxes closed for over 30 days go; own, unread and running ones stay", async () => {
  await using world = await makeWorld();
  const id = randomUUID();
  const old = oldMailbox(world, "zz-closed-long-ago", { days: 31 });
  const recent = oldMailbox(world, "closed-lately", { days: 29 });
  const kept = keptMailboxes(world, id);
  const extensions = [PROJECT_EXTENSION, PROBE_EXTENSION];
  const alice = await world.startReadyPi({ name: "alice", id, extensions, env: { PROBE_LOOK_AT: old } });
  await waitFor(() => !existsSync(old), { what: "the old mailbox to go" });
  expect(alice.probeLog()[0]).toMatchObject({ event: "session_start", isThere: true });
  expect([recent, ...kept].filter((path) => !isThere(path))).toEqual([]);
});

test("M-20, M-21: pruneAfterDays of session-mail.json decides what is old", async () => {
  await using world = await makeWorld();
  world.writeSettings({ pruneAfterDays: 3 });
  const old = oldMailbox(world, "zz-closed", { days: 4 });
  const recent = oldMailbox(world, "closed-lately", { days: 2 });
  await world.startReadyPi({ name: "alice" });
  await waitFor(() => !existsSync(old), { what: "the old mailbox to go" });
  expect(isThere(recent)).toBe(true);
});

test("M-17, M-20: /mailbox prune removes closed mailboxes of any age and counts them; with a text it writes to a session called prune", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi({ name: "alice" });
  const gone = [oldMailbox(world, "closed-1", { days: 0 }), oldMailbox(world, "closed-2", { days: 2 })];
  const kept = keptMailboxes(world, alice.id);
  await alice.prompt("/mailbox prune the roses");
  expect(world.envelopes("runs-elsewhere", "new")).toMatchObject([{ body: "the roses", kind: "request" }]);
  expect(gone.every(isThere)).toBe(true);

  await alice.prompt("/mailbox prune");
  expect(alice.notifications().at(-1)?.message).toBe("Removed 2 mailbox folders of closed sessions.");
  expect(gone.some(isThere)).toBe(false);
  expect(kept.filter((path) => !isThere(path))).toEqual([]);
});
