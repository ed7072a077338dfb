import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { immediates, MailHome, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

test("M-17: /mailbox alone shows the session's address, its name and who else runs", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const ben = await home.open({ name: "ben" });
  const shown = await anna.command("");
  expect(shown).toContain(anna.address);
  expect(shown).toMatch(/^Name: anna$/m);
  expect(shown).toContain(`ben (${ben.address})`);
  expect(home.names(ben.address, "new")).toEqual([]);
});

test("M-6, M-17: a session without a name is told the short id that others see, grown until it is its own", async () => {
  await using home = new MailHome();
  const first = await home.open({ id: "0b5e55ed-1111-4000-8000-000000000001" });
  expect(await first.command("")).toMatch(/others see 0b5e55ed;/);
  await home.open({ id: "0b5e55ed-1122-4000-8000-000000000001" });
  expect(await first.command("")).toMatch(/others see 0b5e55ed-111;/);
});

test("M-17: /mailbox works before the session has started and after it has shut down", async () => {
  await using home = new MailHome();
  const ben = await home.open({ name: "ben" });
  const anna = await home.open({ name: "anna", isStarted: false, minimal: true });
  expect(await anna.command("")).toContain(anna.address);
  expect(await anna.command("ben too early?")).toMatch(/^Sent \S+ to /);
  await anna.sessionStart();
  await anna.shutdown();
  expect(await anna.command("")).toContain(anna.address);
  expect(await anna.command("ben too late?")).toMatch(/^Sent \S+ to /);
  ben.scan();
  expect(ben.box("cur").map(({ from, body }) => [from, body])).toEqual([
    [anna.address, "too early?"],
    [anna.address, "too late?"],
  ]);
});

test("M-17: /mailbox <to> <text> writes a request with hops 0 and says where it went", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const ben = await home.open({ name: "ben" });
  anna.arrive({ from: STRANGER, hops: 4, kind: "message" });
  const said = await anna.command("ben  please   look\nat this ");
  ben.scan();
  const [request] = ben.box("cur");
  expect(said).toBe(`Sent ${request?.id} to ${ben.address}.`);
  expect(request).toMatchObject({ kind: "request", hops: 0, body: "please   look\nat this", status: "" });
  expect(anna.box("sent")).toEqual([request]);
});

test("M-17: /mailbox prune <text> is a message to a session that is called prune", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const prune = await home.open({ name: "prune" });
  home.put({ from: STRANGER, to: NEIGHBOUR });
  expect(await anna.command("prune the roses")).toMatch(/^Sent \S+ to /);
  prune.scan();
  expect(prune.box("cur").map(({ body }) => body)).toEqual(["the roses"]);
  expect(existsSync(join(home.mailRoot, STRANGER))).toBe(true);
});

test.for([
  ["an empty text", "ben", /no text for "ben"/],
  ["a receiver nobody knows", "carl hello", /No running session is called "carl".*full id/s],
  ["a receiver that is this session", "anna hello", /"anna" is this session/],
])("M-6, M-17: %s is refused with a reason, and nothing is written", async ([, words, reason]) => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const ben = await home.open({ name: "ben" });
  expect(await anna.command(words as string)).toMatch(reason as RegExp);
  expect(anna.notifications.at(-1)?.type).toMatch(/warning|error/);
  expect(home.names(ben.address, "new")).toEqual([]);
  expect(home.names(anna.address, "sent")).toEqual([]);
});

/** A mailbox that nobody runs, read empty, last changed this many days ago. */
function oldMailbox(home: MailHome, address: string, days: number): void {
  const then = Date.now() / 1000 - days * 24 * 60 * 60;
  const folders = ["tmp", "new", "cur", "sent"].map((box) => join(home.mailRoot, address, box));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  writeFileSync(join(home.mailRoot, address, "cur", "read.json"), "{}");
  for (const folder of [...folders, join(home.mailRoot, address)]) utimesSync(folder, then, then);
}

test("M-20: /mailbox prune removes closed mailboxes whatever their age, and keeps unread, running and own ones", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const ben = await home.open({ name: "ben" });
  oldMailbox(home, "closed-a", 0);
  oldMailbox(home, "closed-b", 400);
  home.put({ from: anna.address, to: "unread" });
  expect(await anna.command(" prune ")).toBe("Removed 2 mailbox folders of closed sessions.");
  const left = [anna.address, ben.address, "unread", "closed-a", "closed-b"];
  expect(left.map((address) => existsSync(join(home.mailRoot, address)))).toEqual([true, true, true, false, false]);
  expect(await anna.command("prune")).toBe("Removed 0 mailbox folders of closed sessions.");
});

test("M-20: at start, mailboxes without change for longer than pruneAfterDays go, once session_start has returned", async () => {
  await using home = new MailHome();
  home.settings({ pruneAfterDays: 7 });
  oldMailbox(home, "eight-days", 8);
  oldMailbox(home, "six-days", 6);
  oldMailbox(home, "unread", 100);
  writeFileSync(join(home.mailRoot, "unread", "new", "000000000000001-a.json"), "{}");
  const then = Date.now() / 1000 - 100 * 24 * 60 * 60;
  for (const folder of [join(home.mailRoot, "unread", "new"), join(home.mailRoot, "unread")])
    utimesSync(folder, then, then);
  const exists = () => ["eight-days", "six-days", "unread"].map((name) => existsSync(join(home.mailRoot, name)));
  const anna = await home.open({ isStarted: false });
  await anna.sessionStart();
  expect(exists()).toEqual([true, true, true]);
  await immediates();
  expect(exists()).toEqual([false, true, true]);
  expect(anna.notices()).toEqual([]);
});
