import { expect, test } from "vitest";
import { MailHome, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";
import { writeOriginalRecord } from "../support/original-form.ts";

test("M-14: session_mail_send writes a message to a running session and gives its id", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const bob = await home.open({ name: "bob" });
  const result = await anna.callTool("session_mail_send", { to: "bob", message: "  keep my blanks \n" });
  const [letter] = home.box(bob.address, "new");
  expect(letter).toMatchObject({
    kind: "message",
    from: anna.address,
    hops: 0,
    body: "  keep my blanks \n",
    status: "",
  });
  expect(result.details).toMatchObject({ id: letter?.id, to: bob.address, running: true });
  expect(result.content[0]).toMatchObject({ text: `Sent message ${letter?.id} to ${bob.address}.` });
  expect(anna.box("sent")).toEqual([letter]);
  bob.scan();
  await bob.run("no answer to this");
  expect(home.names(anna.address, "new")).toEqual([]);
});

test("M-14: session_mail_send to a closed session says that the message waits, and it waits", async () => {
  await using home = new MailHome();
  const anna = await home.open();
  const result = await anna.callTool("session_mail_send", { to: STRANGER, message: "later" });
  expect(result.details).toMatchObject({ to: STRANGER, running: false });
  expect(result.content[0]).toMatchObject({ text: expect.stringMatching(/not running; the message waits/) });
  const resumed = await home.open({ id: STRANGER });
  expect(resumed.texts()[0]).toContain("\n\nlater\n\n");
});

test("M-14: session_mail_list shows each running session with name, id, folder, state and whom it waits on, and marks this one", async () => {
  await using home = new MailHome();
  const here = { pid: process.pid };
  writeOriginalRecord(home.mailRoot, {
    ...here,
    address: STRANGER,
    name: "zoe",
    cwd: "/work/zoe",
    state: "busy",
    waitingOn: NEIGHBOUR,
  });
  writeOriginalRecord(home.mailRoot, { ...here, address: NEIGHBOUR, cwd: "/work/ned" });
  writeOriginalRecord(home.mailRoot, {
    ...here,
    address: "waits-on-nobody-known",
    name: "lost",
    cwd: "/",
    waitingOn: "closed-session",
  });
  const anna = await home.open({ name: "anna", cwd: "/work/anna" });
  const result = await anna.callTool("session_mail_list");
  const lines = (result.content[0] as { text: string }).text.split("\n");
  expect(lines).toEqual([
    `4e16b000 ${NEIGHBOUR}: idle, in /work/ned`,
    `anna ${anna.address} (this session): idle, in /work/anna`,
    "lost waits-on-nobody-known: idle, waiting on closed-session, in /",
    `zoe ${STRANGER}: busy, waiting on 4e16b000, in /work/zoe`,
  ]);
  expect(result.details).toEqual({
    sessions: [
      { address: NEIGHBOUR, cwd: "/work/ned", state: "idle", waitingOn: "", self: false },
      { address: anna.address, name: "anna", cwd: "/work/anna", state: "idle", waitingOn: "", self: true },
      {
        address: "waits-on-nobody-known",
        name: "lost",
        cwd: "/",
        state: "idle",
        waitingOn: "closed-session",
        self: false,
      },
      { address: STRANGER, name: "zoe", cwd: "/work/zoe", state: "busy", waitingOn: NEIGHBOUR, self: false },
    ],
  });
});

test("M-5, M-14: sessions whose process is gone or was replaced are not listed, and their records go", async () => {
  await using home = new MailHome();
  writeOriginalRecord(home.mailRoot, { address: "dead-session", cwd: "/", pid: 2 ** 22 + 1, started: null });
  writeOriginalRecord(home.mailRoot, { address: "pid-reused", cwd: "/", pid: process.pid, started: "1" });
  writeOriginalRecord(home.mailRoot, { address: "start-unknown", cwd: "/", pid: process.pid, started: null });
  const anna = await home.open({ name: "anna" });
  expect(await anna.tool("list")).toMatch(/^anna .*\nstart-un start-unknown: idle, in \/$/);
  expect(
    home
      .running()
      .map(({ address }) => address)
      .sort(),
  ).toEqual([anna.address, "start-unknown"].sort());
});

test("M-14: with nobody running, the list says so", async () => {
  await using home = new MailHome();
  const anna = await home.open({ minimal: true, isStarted: false });
  expect(await anna.tool("list")).toBe("No session is running.");
});

test("M-14: parameters of the tools are named as in the contract", async () => {
  await using home = new MailHome();
  const anna = await home.open();
  const named = [...anna.tools].map(([name, { parameters }]) => [
    name,
    Object.keys((parameters as { properties: object }).properties),
  ]);
  expect(Object.fromEntries(named)).toEqual({
    session_mail_list: [],
    session_mail_ask: ["to", "message"],
    session_mail_reply: ["ask", "message"],
    session_mail_send: ["to", "message"],
  });
});
