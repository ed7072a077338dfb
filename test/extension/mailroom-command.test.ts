import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { connect } from "../../src/extension/index.ts";
import { type FakeHost, makeFakeHost } from "../support/fake-host.ts";
import { readEnvelopes } from "../support/mail-files.ts";
import { startTimeOf, writeOriginalEnvelope, writeOriginalRecord } from "../support/original-form.ts";
import { surroundingsIn } from "../support/surroundings-in.ts";
import { waitFor } from "../support/wait-for.ts";

const SELF = "11111111-1111-4111-8111-111111111111";
const PEER = "22222222-2222-4222-8222-222222222222";
const THIRD = "33333333-3333-4333-8333-333333333333";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("M-22: /mailroom shows what waits, is owed and is awaited, with ids that its chain takes", async () => {
  const { host, root } = await openSession();
  const { id: owed } = writeOriginalEnvelope(root, { from: PEER, to: SELF, body: "Count the stars" });
  host.events.emit("message:scan", {});
  await host.agentStart();
  await host.read();
  await host.runCommand("mailbox", `${PEER} Where are you?`);
  const text = await told(host, "mailroom", "");
  expect(text).toContain(`Read, answer owed (1):\n  request from peer, now, ${owed}: Count the stars`);
  expect(text).toMatch(/Awaiting an answer \(1\):\n {2}request to peer, now, [\w-]+: Where are you\?/);
  expect(text).toContain("This turn: 1 of 5 hops, running");

  expect(await told(host, "mailroom", `chain ${owed.slice(0, 8)}`)).toContain(`${owed}: Count the stars ← here`);
});

test("M-22: /mailroom of an empty mailbox says that nothing is there", async () => {
  const { host } = await openSession();
  expect(await told(host, "mailroom", "")).toContain("Nothing waits, nothing is owed, nothing is awaited.");
});

test("M-22: /mailroom asks draws a circle of waiting sessions as a deadlock, with the time left", async () => {
  const { host, root } = await openSession();
  record(root, PEER, "peer", THIRD);
  record(root, THIRD, "third", PEER);
  writeOriginalEnvelope(root, { from: PEER, to: THIRD, kind: "ask", body: "You first?" });
  const text = await told(host, "mailroom", "asks");
  expect(text).toMatch(/peer ─(9:5\d|10:00)→ third ─\?→ peer {3}DEADLOCK/);
  expect(text).toContain("Open requests and asks (1), oldest first:");
  expect(text).toContain("waiting: ask peer → third, now");
});

test("M-22: /mailroom chain draws what answers (certain) and what woke (inferred), and where the limit is", async () => {
  const { host, root } = await openSession();
  const { id: first } = writeOriginalEnvelope(root, { from: THIRD, to: PEER, body: "begin" });
  const { id: woken } = writeOriginalEnvelope(root, { from: PEER, to: THIRD, kind: "message", hops: 1, body: "go on" });
  writeOriginalEnvelope(root, { from: PEER, to: THIRD, kind: "reply", inReplyTo: [first], body: "ended" });
  writeOriginalEnvelope(root, { from: THIRD, to: PEER, kind: "message", hops: 4, body: "far" });
  const lines = (await told(host, "mailroom", `chain ${woken}`)).split("\n");
  expect(lines[0]).toMatch(/^request 0\/5 33333333 → peer, now, .*begin$/);
  expect(lines[1]).toMatch(/^└╌ message 1\/5 peer → 33333333, now, .*go on ← here$/);
  expect(lines[2]).toMatch(/^└─ reply 0\/5 peer → 33333333, now, .*ended$/);
  expect(lines).toHaveLength(4);
});

test.for([
  ["chain nothere99", /No mail has the id "nothere99"/],
  ["chain", /Type: \/mailroom chain <id>/],
  ["frobnicate", /\/mailroom has no "frobnicate"\. It has: asks, chain, doctor, send/],
] as const)("M-22: /mailroom %s is refused, saying what to type", async ([words, wanted]) => {
  const { host } = await openSession();
  expect(await told(host, "mailroom", words)).toMatch(wanted);
});

test("M-22: /mailroom doctor names each planted fault and its cure, and changes nothing", async () => {
  const { host, root } = await openSession();
  expect(await told(host, "mailroom", "doctor")).toContain("is as it should be");
  await host.runCommand("mailbox", `${PEER} its boxes are made by this`);
  writeOriginalEnvelope(root, { from: PEER, to: THIRD, body: "x" });
  rmSync(join(root, THIRD), { recursive: true });
  chmodSync(join(root, PEER), 0o755);
  writeFileSync(join(root, PEER, "cur", "bad.json"), "not json");
  symlinkSync("/etc/hostname", join(root, PEER, "new", "link.json"));
  const before = snapshot(root);
  const text = await told(host, "mailroom", "doctor");
  expect(text).toContain(`Other users can read the mail of ${PEER}. chmod 700 ${join(root, PEER)}`);
  expect(text).toContain(`${join(root, PEER, "cur", "bad.json")} can not be read as mail.`);
  expect(text).toContain(`${join(root, PEER, "new", "link.json")} is no regular file`);
  expect(text).toMatch(new RegExp(`The request [\\w-]+ of ${PEER} is for ${THIRD}, whom nobody has seen`));
  expect(snapshot(root)).toEqual(before);
});

test("C-8, M-22: the overview, asks and chain leave the mail root as it is", async () => {
  const { host, root } = await openSession();
  const { id } = writeOriginalEnvelope(root, { from: PEER, to: THIRD, body: "x" });
  const before = snapshot(root);
  for (const words of ["", "asks", `chain ${id}`, "doctor"]) await told(host, "mailroom", words);
  expect(snapshot(root)).toEqual(before);
});

test("M-27: /mailroom send picks a running session and sends what was written in the editor", async () => {
  const { host, root } = await openSession();
  const choice = `peer (${PEER}), idle, in /work/peer`;
  host.answers.push(choice, "  Please look at this.\nThanks  ");
  expect(await told(host, "mailroom", "send")).toMatch(/^Sent [\w-]+ to 2222/);
  expect(host.dialogs.map(({ kind, title }) => [kind, title])).toEqual([
    ["select", "Send a request to"],
    ["editor", "Request to peer"],
  ]);
  expect(readEnvelopes(root, PEER, "new")).toMatchObject([
    { kind: "request", hops: 0, body: "Please look at this.\nThanks" },
  ]);
});

test("M-27: /mailroom send that is left without a text sends nothing", async () => {
  const { host, root } = await openSession();
  host.answers.push(`peer (${PEER}), idle, in /work/peer`, " \n ");
  expect(await told(host, "mailroom", "send")).toBe("Nothing was sent.");
  expect(readEnvelopes(root, PEER, "new")).toEqual([]);
});

test("M-24: /mailroom send on a host without dialogs names the command that works there", async () => {
  const { host } = await openSession({ minimal: true });
  expect(await told(host, "mailroom", "send")).toContain("Type: /mailbox <to> <text>");
});

async function openSession(options: { minimal?: boolean } = {}): Promise<{ host: FakeHost; root: string }> {
  const state = mkdtempSync(join(tmpdir(), "mailroom-command-"));
  folders.push(state);
  const root = join(state, "pi-session-mail");
  const host = makeFakeHost({ sessionId: SELF, cwd: "/work", ...options });
  await host.load((pi) => connect(pi, surroundingsIn(state)));
  await host.sessionStart();
  await new Promise((resolve) => setImmediate(resolve));
  record(root, PEER, "peer", "");
  return { host, root };
}

function record(root: string, address: string, name: string, waitingOn: string): void {
  const started = startTimeOf(process.pid);
  writeOriginalRecord(root, {
    address,
    name,
    cwd: `/work/${name}`,
    pid: process.pid,
    waitingOn,
    ...(started ? { started } : {}),
  });
}

async function told(host: FakeHost, command: string, words: string): Promise<string> {
  const from = host.notifications.length;
  await host.runCommand(command, words);
  return waitFor(() => host.notifications[from]?.message, { what: `what /${command} ${words} says` });
}

function snapshot(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return `${path} ${stats?.mode} ${stats?.isFile() ? readFileSync(path, "utf8") : ""}`;
    });
}
