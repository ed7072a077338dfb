import { expect, test } from "vitest";
import { MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";
import { writeOriginalRecord } from "../support/original-form.ts";

/** Nothing of a refused ask is left anywhere. */
function expectNothingWritten(home: MailHome, anna: MailHost, ...others: string[]): void {
  for (const box of ["sent", "tmp"] as const) expect(home.names(anna.address, box)).toEqual([]);
  for (const other of others) expect(home.names(other, "new")).toEqual([]);
  expect(anna.record()?.waitingOn ?? "").toBe("");
}

test("M-14: an ask to a session that is not running is refused at once, and points to session_mail_send", async () => {
  await using home = new MailHome();
  const anna = await home.open();
  const reason = await anna.refusal("ask", { to: STRANGER, message: "?" });
  expect(reason).toMatch(/not running/);
  expect(reason).toMatch(/session_mail_send/);
  expectNothingWritten(home, anna, STRANGER);
});

test.for([
  ["", "ask"],
  [" \n\t", "ask"],
  ["", "send"],
  [" \n\t", "send"],
])("M-14: the empty text %j is refused by session_mail_%s", async ([message, tool]) => {
  await using home = new MailHome();
  const anna = await home.open();
  const bob = await home.open({ name: "bob" });
  expect(await anna.refusal(tool as string, { to: "bob", message })).toMatch(/text is empty.*Write/);
  expectNothingWritten(home, anna, bob.address);
});

test("M-14: a second ask while one waits is refused, naming the one that waits", async () => {
  await using home = new MailHome();
  const anna = await home.open();
  const bob = await home.open({ name: "bob" });
  const carl = await home.open({ name: "carl" });
  const stop = new AbortController();
  const first = anna.callTool("session_mail_ask", { to: "bob", message: "?" }, stop.signal);
  const reason = await anna.refusal("ask", { to: "carl", message: "?" });
  expect(reason).toContain(bob.address);
  expect(reason).toContain(anna.box("sent")[0]?.id);
  expect(home.names(carl.address, "new")).toEqual([]);
  expect(anna.record()).toMatchObject({ waitingOn: bob.address });
  stop.abort();
  await first;
});

test.for([
  ["before it has started", false],
  ["after it has shut down", true],
] as const)("M-14: tools that write refuse for a session %s, while the list works", async ([, wasStarted]) => {
  await using home = new MailHome();
  const anna = await home.open({ minimal: true, isStarted: wasStarted });
  await home.open({ name: "bob" });
  if (wasStarted) await anna.shutdown();
  for (const [tool, params] of [
    ["send", { to: "bob", message: "hi" }],
    ["ask", { to: "bob", message: "hi" }],
    ["reply", { ask: "x", message: "hi" }],
  ] as const) {
    expect(await anna.refusal(tool, params)).toMatch(/no mailbox yet/);
  }
  expect(await anna.tool("list")).toMatch(/^bob /);
  expectNothingWritten(home, anna);
});

test("M-15: an ask to a session that waits on this one is refused, naming both", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const here = { cwd: "/work", pid: process.pid };
  writeOriginalRecord(home.mailRoot, { ...here, address: NEIGHBOUR, name: "ned", waitingOn: anna.address });
  const reason = await anna.refusal("ask", { to: "ned", message: "?" });
  expect(reason).toContain(`anna (${anna.address}) waits for ned (${NEIGHBOUR}) waits for anna (${anna.address})`);
  expect(reason).toMatch(/session_mail_send/);
  expectNothingWritten(home, anna, NEIGHBOUR);
});

test.for([3, 5, 12])(
  "M-15: an ask that would close a circle of %i sessions is refused, naming all of them in order",
  async (size) => {
    await using home = new MailHome();
    const anna = await home.open({ name: "anna" });
    const others = Array.from({ length: size - 1 }, (_, at) => `other-${String(at).padStart(8, "0")}`);
    for (const [at, address] of others.entries()) {
      writeOriginalRecord(home.mailRoot, {
        address,
        name: `n${at}`,
        cwd: "/work",
        pid: process.pid,
        waitingOn: others[at + 1] ?? anna.address,
      });
    }
    const reason = await anna.refusal("ask", { to: "n0", message: "?" });
    const circle = [
      `anna (${anna.address})`,
      ...others.map((address, at) => `n${at} (${address})`),
      `anna (${anna.address})`,
    ];
    expect(reason).toContain(circle.join(" waits for "));
    expectNothingWritten(home, anna, ...others);
  },
);

test("M-15: an ask into a circle that others are caught in is not refused for it, and is no endless walk", async () => {
  await using home = new MailHome();
  const anna = await home.open();
  const here = { cwd: "/work", pid: process.pid };
  writeOriginalRecord(home.mailRoot, { ...here, address: "round-1-aaaa", waitingOn: "round-2-bbbb" });
  writeOriginalRecord(home.mailRoot, { ...here, address: "round-2-bbbb", waitingOn: "round-1-aaaa" });
  const stop = new AbortController();
  const result = anna.callTool("session_mail_ask", { to: "round-1-aaaa", message: "?" }, stop.signal);
  expect(home.inbox("round-1-aaaa")).toHaveLength(1);
  stop.abort();
  await result;
});

test("M-15: a session that waits on one that is gone closes no circle", async () => {
  await using home = new MailHome();
  const anna = await home.open();
  const here = { cwd: "/work", pid: process.pid };
  writeOriginalRecord(home.mailRoot, { ...here, address: "middle-aaaa", waitingOn: "gone-bbbbbb" });
  writeOriginalRecord(home.mailRoot, {
    ...here,
    address: "gone-bbbbbb",
    pid: 2 ** 22 + 1,
    started: null,
    waitingOn: anna.address,
  });
  const stop = new AbortController();
  const result = anna.callTool("session_mail_ask", { to: "middle-aaaa", message: "?" }, stop.signal);
  expect(home.inbox("middle-aaaa")).toHaveLength(1);
  stop.abort();
  await result;
});

test.for([
  ["lower", "00000000-asker", "99999999-other"],
  ["higher", "99999999-asker", "00000000-other"],
])(
  "M-15, R-9: an ask that finds itself in a circle just after it was announced is taken back, by the %s address too, though the clock stands still",
  async ([, id, other]) => {
    await using home = new MailHome();
    const record = { address: other as string, name: "other", cwd: "/work", pid: process.pid };
    let isAsking = false;
    const now = () => {
      // Read for the record that announces the ask: the other session announces its own at the same moment.
      if (isAsking) writeOriginalRecord(home.mailRoot, { ...record, waitingOn: id as string });
      return 1_700_000_000_000;
    };
    const asker = await home.open({ id: id as string, around: { now } });
    writeOriginalRecord(home.mailRoot, record);
    isAsking = true;
    const refused = asker.refusal("ask", { to: "other", message: "?" });
    isAsking = false;
    expect(await refused).toMatch(/circle/);
    expectNothingWritten(home, asker, other as string);
  },
);
