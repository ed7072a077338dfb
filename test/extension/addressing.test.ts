import { expect, test } from "vitest";
import { MailHome, type MailHost } from "../support/mail-host.ts";
import { writeOriginalRecord } from "../support/original-form.ts";

const TWIN_A = "7ee70000-aaaa-4000-8000-000000000001";
const TWIN_B = "7ee70000-bbbb-4000-8000-000000000001";
const CLOSED = "C105ED00-0000-4000-8000-000000000001";

/** Two sessions called "twin", one called "long name", one without a name, and the sender. */
async function crowd(home: MailHome): Promise<MailHost> {
  const here = { cwd: "/work", pid: process.pid };
  writeOriginalRecord(home.mailRoot, { ...here, address: TWIN_A, name: "twin" });
  writeOriginalRecord(home.mailRoot, { ...here, address: TWIN_B, name: "twin" });
  writeOriginalRecord(home.mailRoot, { ...here, address: "abcdefgh-long-name", name: "long name" });
  writeOriginalRecord(home.mailRoot, { ...here, address: "nameless-session" });
  // A name that is the address of another session, and one that begins as an address does.
  writeOriginalRecord(home.mailRoot, { ...here, address: "liar-one-0001", name: "nameless-session" });
  writeOriginalRecord(home.mailRoot, { ...here, address: "liar-two-0002", name: "abcdefgh" });
  return await home.open({ name: "sender", id: "sender-000000001" });
}

test.for<[string, string, string]>([
  ["the name of one session", "long name", "abcdefgh-long-name"],
  ["a name with blanks round it", "  long name ", "abcdefgh-long-name"],
  ["a running session's address", TWIN_A, TWIN_A],
  ["an address that is also somebody's name", "nameless-session", "nameless-session"],
  ["8 characters that begin one address", "nameless", "nameless-session"],
  ["8 characters that are somebody's name: the name comes first", "abcdefgh", "liar-two-0002"],
  ["more characters of an address", "7ee70000-b", TWIN_B],
  ["a full id that nobody runs, as typed", CLOSED, CLOSED],
])("M-6: %s reaches that session with every tool and the command", async ([, to, address]) => {
  await using home = new MailHome();
  const host = await crowd(home);
  const { id, ...details } = (await host.callTool("session_mail_send", { to, message: "hi" })).details as {
    id: string;
  };
  expect(details).toMatchObject({ to: address });
  const typed = to.includes(" ") ? `"${to}"` : to;
  expect(await host.command(`${typed} hi`)).toMatch(new RegExp(`^Sent \\S+ to ${address}`));
  expect(home.inbox(address).map(({ kind, body }) => [kind, body])).toEqual([
    ["message", "hi"],
    ["request", "hi"],
  ]);
  expect(home.inbox(address)[0]?.id).toBe(id);
});

test.for([
  ["7 characters of an address", "nameles"],
  ["a part of a name", "long"],
  ["a name in another case", "Twin"],
  ["a UUID cut short", CLOSED.slice(0, -1)],
  ["nothing", ""],
  ["blanks", "   "],
  ["a path", "../../etc/passwd"],
  ["a pattern", "*"],
])("M-6: %s reaches nobody, and the refusal says how a closed session is reached", async ([, to]) => {
  await using home = new MailHome();
  const host = await crowd(home);
  for (const tool of ["send", "ask"]) {
    const reason = await host.refusal(tool, { to, message: "hi" });
    expect(reason).toContain(JSON.stringify(to));
    expect(reason).toMatch(/full id/);
  }
  expect(home.names(host.address, "sent")).toEqual([]);
});

test.for([
  ["a name that two have", "twin"],
  ["a short id that two share", "7ee70000"],
])("M-6: %s is refused, naming each candidate with its full id", async ([, to]) => {
  await using home = new MailHome();
  const host = await crowd(home);
  for (const reason of [
    await host.refusal("send", { to, message: "hi" }),
    await host.refusal("ask", { to, message: "hi" }),
    await host.command(`${to} hi`),
  ]) {
    expect(reason).toContain(`twin (${TWIN_A})`);
    expect(reason).toContain(`twin (${TWIN_B})`);
    expect(reason).not.toContain("nameless");
  }
  expect(home.names(TWIN_A, "new")).toEqual([]);
  expect(home.names(host.address, "sent")).toEqual([]);
});

test.for([
  ["its name", "sender"],
  ["its address", "sender-000000001"],
  ["the beginning of its address", "sender-0"],
])("M-6: a session that names itself by %s is refused", async ([, to]) => {
  await using home = new MailHome();
  const host = await crowd(home);
  for (const tool of ["send", "ask"]) expect(await host.refusal(tool, { to, message: "hi" })).toMatch(/this session/);
  expect(home.names(host.address, "sent")).toEqual([]);
});

test("M-6: a session that names itself by its full id is refused too", async () => {
  await using home = new MailHome();
  const host = await home.open();
  expect(await host.refusal("send", { to: host.address, message: "hi" })).toMatch(/this session/);
  expect(home.names(host.address, "new")).toEqual([]);
});

test("M-6: lists show as much of an id as tells it from the others, at least 8 characters", async () => {
  await using home = new MailHome();
  const here = { cwd: "/work", pid: process.pid };
  for (const address of ["12345678-1", "12345678-2x", "12345678-2y", "short"]) {
    writeOriginalRecord(home.mailRoot, { ...here, address });
  }
  const host = await home.open({ name: "me" });
  const rows = (await host.tool("list")).split("\n").map((row) => row.split(/:? /).slice(0, 2));
  expect(rows).toEqual([
    ["12345678-1", "12345678-1"],
    ["12345678-2x", "12345678-2x"],
    ["12345678-2y", "12345678-2y"],
    ["me", host.address],
    ["short", "short"],
  ]);
});
