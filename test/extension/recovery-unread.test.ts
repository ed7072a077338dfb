import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MailHome, type MailHost, type MailHostOptions, STRANGER } from "../support/mail-host.ts";
import { originalEnvelope } from "../support/original-form.ts";
import { waitFor } from "../support/wait-for.ts";

/** The session once more, after its process was killed. */
function afterCrash(host: MailHost, options: MailHostOptions = {}): Promise<MailHost> {
  const entries = host.crash();
  return host.home.open({ id: host.address, entries, ...options });
}

test.for(["request", "ask", "message"] as const)(
  "M-12: a %s that was claimed and not shown before a crash is shown after it, as if for the first time",
  async (kind) => {
    await using home = new MailHome();
    const host = await home.open();
    const { id } = host.arrive({ from: STRANGER, kind, body: "hello" });
    const again = await afterCrash(host, { entries: [] });
    const shown = again.sent.filter(({ message }) => message.details?.["id"] === id);
    expect(shown).toHaveLength(1);
    expect(shown[0]?.message.content).toContain("\n\nhello\n\n");
    expect(shown[0]?.message.content).not.toMatch(/shown again/);
    expect(shown[0]?.options).toEqual({ triggerTurn: true, deliverAs: "steer" });
    await again.run("answer");
    expect(home.inbox(STRANGER)).toHaveLength(kind === "message" ? 0 : 1);
  },
);

test("M-12: mail whose receipt says claimed, but that the saved conversation holds, is not shown twice", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const request = host.arrive({ from: STRANGER });
  const message = host.arrive({ from: STRANGER, kind: "message" });
  const entries = [request, message].map(({ id }) => ({
    type: "custom_message",
    customType: "mailbox",
    details: { id },
  }));
  const again = await afterCrash(host, { entries });
  expect(again.shownIds()).not.toContain(request.id);
  expect(again.shownIds()).not.toContain(message.id);
  expect([request, message].map(({ id }) => again.steps(id))).toEqual([
    ["claimed", "read"],
    ["claimed", "read"],
  ]);
  await again.run("answer");
  expect(home.inbox(STRANGER)).toMatchObject([{ status: "done", in_reply_to: [request.id] }]);
});

test("M-12: a crash between the receipt and the rename leaves the mail in the inbox, and it is delivered once", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const letter = originalEnvelope({ from: STRANGER, to: host.address });
  host.crash();
  home.put({ from: STRANGER, to: host.address, id: letter.id });
  const [name] = home.names(host.address, "new");
  const receipt = { ts: "", id: letter.id, step: "claimed", name, from: STRANGER, kind: "request", hops: 0 };
  appendFileSync(join(home.mailRoot, host.address, "receipts.jsonl"), `${JSON.stringify(receipt)}\n`);
  const again = await home.open({ id: host.address });
  again.scan();
  expect(again.shownIds()).toEqual([letter.id]);
  await again.run("answer");
  expect(home.inbox(STRANGER)).toHaveLength(1);
});

test("M-12: crash after crash, mail that nobody saw is delivered each time and answered once", async () => {
  await using home = new MailHome();
  let host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  for (let crash = 0; crash < 4; crash += 1) {
    host = await afterCrash(host, { entries: [] });
    expect(host.shownIds()).toEqual([id]);
  }
  await host.run("answer");
  host = await afterCrash(host);
  expect(host.sent).toEqual([]);
  expect(home.inbox(STRANGER)).toHaveLength(1);
});

test("M-12: a mailbox that the original has used, without receipts, is never delivered again", async () => {
  await using home = new MailHome();
  const address = "0a161a1a-0000-4000-8000-000000000001";
  const cur = join(home.mailRoot, address, "cur");
  mkdirSync(cur, { recursive: true });
  for (const kind of ["request", "ask", "message", "reply"] as const) {
    const { fileName, text } = originalEnvelope({ from: STRANGER, to: address, kind });
    writeFileSync(join(cur, fileName), text);
  }
  const host = await home.open({ id: address });
  const waiting = host.arrive({ from: STRANGER });
  expect(host.shownIds()).toEqual([waiting.id]);
  await host.run("answer");
  expect(home.inbox(STRANGER).map(({ in_reply_to }) => in_reply_to)).toEqual([[waiting.id]]);

  const again = await afterCrash(host);
  expect(again.sent).toEqual([]);
});

test.for<[string, string]>([
  ["half a line at the end", '{"ts":"","id":"a","st'],
  [
    "lines that are no receipts",
    'null\n7\n"text"\n[]\n{}\n{"id":1,"step":"claimed"}\n{"id":"a","step":"eaten"}\n\u0000\n',
  ],
  [
    "a name that leaves the folder",
    '{"id":"evil","step":"claimed","name":"../../evil.json","kind":"request","from":"x"}\n',
  ],
  ["an envelope that is not there", '{"id":"gone","step":"claimed","name":"gone.json","kind":"request","from":"x"}\n'],
])("M-12, R-3: receipts with %s do no harm", async ([, text]) => {
  await using home = new MailHome();
  const host = await home.open();
  const { id } = host.arrive({ from: STRANGER });
  host.crash();
  writeFileSync(
    join(home.mailRoot, "evil.json"),
    originalEnvelope({ from: STRANGER, to: host.address, id: "evil", body: "evil" }).text,
  );
  appendFileSync(join(home.mailRoot, host.address, "receipts.jsonl"), text);
  const again = await home.open({ id: host.address });
  expect(again.shownIds()).toEqual([id]);
  await again.run("answer");
  expect(home.inbox(STRANGER)).toMatchObject([{ in_reply_to: [id] }]);
  expect((await afterCrash(again)).sent).toEqual([]);
  expect(existsSync(join(home.mailRoot, "evil.json"))).toBe(true);
});

test("M-12: receipts that can not be written are said once, mail goes on, and they are written when they can be", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const receipts = join(home.mailRoot, host.address, "receipts.jsonl");
  mkdirSync(receipts);
  const letters = [1, 2].map(() => host.arrive({ from: STRANGER }).id);
  await host.run("answer");
  expect(host.warnings()).toHaveLength(1);
  expect(host.warnings()[0]).toMatch(/receipts/);
  expect(home.inbox(STRANGER)).toHaveLength(1);
  rmSync(receipts, { recursive: true });
  await waitFor(() => letters.every((id) => host.steps(id).join() === "claimed,read,answered"), { what: "receipts" });
});

test("M-12: a file that was set aside half written is delivered when it is found whole at the next start", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { fileName, text, id } = originalEnvelope({ from: STRANGER, to: host.address });
  const folder = join(home.mailRoot, host.address);
  writeFileSync(join(folder, "new", fileName), text.slice(0, 80));
  host.scan();
  expect(host.warnings()).toHaveLength(1);
  host.crash();
  writeFileSync(join(folder, "cur", fileName), text);
  const again = await home.open({ id: host.address });
  expect(again.shownIds()).toEqual([id]);
  const third = await afterCrash(again, {
    entries: [{ type: "custom_message", customType: "mailbox", details: { id } }],
  });
  expect(third.shownIds()).not.toContain(id);
});

test("M-2, M-12: a send that a kill cut short is taken back whole, and the person is told what it was", async () => {
  await using home = new MailHome();
  const host = await home.open();
  home.put({ from: host.address, to: STRANGER, body: "arrived" });
  const lost = home.put({ from: host.address, to: STRANGER, body: "never arrived" });
  const own = join(home.mailRoot, host.address);
  host.crash();
  // As a kill between the copy and the rename leaves it.
  renameSync(join(home.mailRoot, STRANGER, "new", lost.fileName), join(home.mailRoot, STRANGER, "tmp", lost.fileName));
  writeFileSync(join(own, "tmp", lost.fileName), lost.text);
  const again = await home.open({ id: host.address });
  expect(again.warnings()).toHaveLength(1);
  expect(again.warnings()[0]).toMatch(/request.*was not sent.*never arrived/);
  expect(again.box("sent").map(({ body }) => body)).toEqual(["arrived"]);
  expect(home.names(host.address, "tmp")).toEqual([]);
  expect(home.names(STRANGER, "tmp")).toEqual([]);
});
