import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BoxName } from "../support/mail-files.ts";
import { MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";
import {
  type OriginalLetter,
  originalEnvelope,
  originalRecord,
  writeOriginalRecord,
} from "../support/original-form.ts";

/** The only file of a box: its name and bytes. */
function onlyFile(home: MailHome, address: string, box: BoxName): { name: string; text: string; mode: number } {
  const [name = "none", ...others] = home.names(address, box);
  expect(others).toEqual([]);
  const mode = statSync(join(home.mailRoot, address, box, name)).mode & 0o777;
  return { name, text: home.text(address, box, name), mode };
}

/** What the original would have written in the place of ours: the same values in its own form. */
function asOriginal(text: string): { name: string; text: string } {
  const { id, ts, in_reply_to, status, ...letter } = JSON.parse(text) as Record<string, unknown>;
  const file = originalEnvelope({
    ...(letter as unknown as OriginalLetter),
    id: id as string,
    tsMs: Date.parse(ts as string),
    inReplyTo: in_reply_to as string[],
    ...(status === "" ? {} : { status: status as "done" }),
  });
  return { name: file.fileName, text: file.text };
}

const BODY = 'tabs\tand "quotes" \\ \n\n☃ 𝄞 \u2028 \u0007 </script>';

const WRITTEN: Record<string, (host: MailHost) => Promise<unknown>> = {
  "/mailbox": (host) => host.command(`${STRANGER} ${BODY.trim()}`),
  session_mail_send: (host) => host.tool("send", { to: STRANGER, message: BODY }),
  "message:send": async (host) => host.events.emit("message:send", { to: STRANGER, body: BODY }),
};

test.for(Object.keys(WRITTEN))(
  "M-2, M-26: what %s writes, and the copy of it, are byte for byte what the original writes",
  async (how) => {
    await using home = new MailHome();
    const host = await home.open({ name: "anna" });
    host.clockMs = 1_234_567_890_123;
    await WRITTEN[how]?.(host);
    const letter = onlyFile(home, STRANGER, "new");
    expect({ name: letter.name, text: letter.text }).toEqual(asOriginal(letter.text));
    expect(onlyFile(home, host.address, "sent")).toEqual(letter);
    expect(letter.mode).toBe(0o600);
    expect([home.names(STRANGER, "tmp"), home.names(host.address, "tmp")]).toEqual([[], []]);
  },
);

test("M-2, M-26: an ask is byte for byte what the original writes", async () => {
  await using home = new MailHome();
  const host = await home.open();
  writeOriginalRecord(home.mailRoot, { address: STRANGER, cwd: "/", pid: process.pid });
  const stop = new AbortController();
  const result = host.callTool("session_mail_ask", { to: STRANGER, message: BODY }, stop.signal);
  const letter = onlyFile(home, STRANGER, "new");
  stop.abort();
  await result;
  expect({ name: letter.name, text: letter.text }).toEqual(asOriginal(letter.text));
  expect(onlyFile(home, host.address, "sent")).toEqual(letter);
});

test("M-2, M-26: replies are byte for byte what the original writes, and no copy of them is kept", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, hops: 2 });
  host.arrive({ from: STRANGER });
  await host.run(BODY);
  const ask = host.arrive({ from: NEIGHBOUR, kind: "ask" });
  await host.agentStart();
  await host.tool("reply", { ask: ask.id, message: BODY });
  for (const address of [STRANGER, NEIGHBOUR]) {
    const { name, text } = onlyFile(home, address, "new");
    expect({ name, text }).toEqual(asOriginal(text));
  }
  expect(home.names(host.address, "sent")).toEqual([]);
});

test("M-26: the names of what one process sends rise strictly, though the clock stands still or is set back", async () => {
  await using home = new MailHome();
  const anna = await home.open();
  const bob = await home.open();
  for (const [at, clockMs] of [2_000_000_000_000, 2_000_000_000_000, 1_999_000_000_000, 2_000_000_000_001].entries()) {
    for (const host of [anna, bob]) {
      host.clockMs = clockMs;
      await host.tool("send", { to: STRANGER, message: `${at}` });
    }
  }
  const names = home.names(STRANGER, "new");
  const times = names.map((name) => Number(name.slice(0, 15)));
  expect(new Set(times).size).toBe(8);
  expect(home.inbox(STRANGER).map(({ body }) => body)).toEqual(["0", "0", "1", "1", "2", "2", "3", "3"]);
  expect(home.inbox(STRANGER).map(({ ts }) => Date.parse(ts))).toEqual(times);
});

test.for([
  ["with a name", "anna ☃"],
  ["without a name", undefined],
] as const)("M-5, M-26: the record of a session %s is byte for byte what the original writes", async ([, name]) => {
  await using home = new MailHome();
  const host = await home.open({ cwd: "/work/anna", ...(name === undefined ? {} : { name }) });
  const expected = (state: "idle" | "busy", waitingOn: string) =>
    originalRecord({
      address: host.address,
      ...(name === undefined ? {} : { name }),
      cwd: "/work/anna",
      pid: process.pid,
      state,
      waitingOn,
      updatedMs: Date.parse(host.record()?.updated ?? ""),
    });
  const record = () => home.text("running", `${host.address}.json`);
  expect(record()).toBe(expected("idle", ""));
  await host.agentStart();
  expect(record()).toBe(expected("busy", ""));
  writeOriginalRecord(home.mailRoot, { address: STRANGER, cwd: "/", pid: process.pid });
  const stop = new AbortController();
  const result = host.callTool("session_mail_ask", { to: STRANGER, message: "?" }, stop.signal);
  expect(record()).toBe(expected("busy", STRANGER));
  stop.abort();
  await result;
  expect(record()).toBe(expected("busy", ""));
  expect(statSync(join(home.mailRoot, "running", `${host.address}.json`)).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home.mailRoot, "running")).filter((file) => !file.endsWith(".json"))).toEqual([]);
});

test("M-26: envelopes in the original's form are served: shown, quoted, answered to the address that sent them", async () => {
  await using home = new MailHome();
  const host = await home.open();
  writeOriginalRecord(home.mailRoot, { address: STRANGER, name: "their name", cwd: "/their", pid: process.pid });
  const request = host.arrive({ from: STRANGER, body: BODY });
  expect(host.texts()[0]).toMatch(/^\[mailbox\] From their name \(.*working in \/their\)/);
  await host.run("answer");
  expect(home.inbox(STRANGER)).toMatchObject([{ kind: "reply", in_reply_to: [request.id], status: "done" }]);
  const mine = home.put({ from: host.address, to: STRANGER, body: "sent by an older copy of this session" });
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: [mine.id], body: "reply" });
  expect(host.texts().at(-1)).toContain("> sent by an older copy of this session");
});

test("M-1, M-26: the folders that a session makes are the original's, owner-only, with ours beside them", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.tool("send", { to: STRANGER, message: "hi" });
  host.arrive({ from: STRANGER, kind: "message" });
  const modeOf = (...path: string[]) => statSync(join(home.mailRoot, ...path)).mode & 0o777;
  for (const path of [[], ["running"], [host.address], [STRANGER]]) expect(modeOf(...path)).toBe(0o700);
  for (const address of [host.address, STRANGER]) {
    for (const box of ["tmp", "new", "cur", "sent"]) expect(modeOf(address, box)).toBe(0o700);
  }
  expect(readdirSync(join(home.mailRoot, host.address)).sort()).toEqual([
    "cur",
    "new",
    "receipts.jsonl",
    "sent",
    "tmp",
  ]);
  expect(modeOf(host.address, "receipts.jsonl")).toBe(0o600);
  expect(readdirSync(join(home.mailRoot, STRANGER)).sort()).toEqual(["cur", "new", "sent", "tmp"]);
});
