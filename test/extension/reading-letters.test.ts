import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MailHome, type MailHost, STRANGER } from "../support/mail-host.ts";

/** Puts an envelope with exactly these fields into the inbox and has it claimed. @returns its file name */
function drop(host: MailHost, fields: object, id: string = randomUUID()): string {
  const folder = join(host.home.mailRoot, host.address, "new");
  mkdirSync(folder, { recursive: true });
  const name = `000001700000000-${id}.json`;
  writeFileSync(join(folder, name), JSON.stringify(fields));
  host.scan();
  return name;
}

const OLD = { id: "old-1", from: STRANGER, to: "x", in_reply_to: [], status: "", ts: "", body: "hello" };

test.for<[string, object, string, number]>([
  ["no kind and no hops", {}, "request", 0],
  ["no kind, but ids that it answers", { in_reply_to: ["gone-1"], status: "done" }, "reply", 0],
  ["no kind, with hops", { hops: 2 }, "request", 2],
  ["no hops", { kind: "ask" }, "ask", 0],
  ["a kind of a later version", { kind: "broadcast", hops: 1 }, "message", 1],
  ["a kind that is no text", { kind: 7 }, "message", 0],
  ["kind null", { kind: null }, "message", 0],
  ["an empty kind that names what it answers", { kind: "", in_reply_to: ["gone-1"] }, "message", 0],
  ["no to, status and ts", { to: undefined, status: undefined, ts: undefined }, "request", 0],
])("M-3: an envelope with %s is delivered as a %s", async ([, fields, kind, hops]) => {
  await using home = new MailHome();
  const host = await home.open();
  drop(host, { ...OLD, ...fields });
  expect(host.shownIds()).toEqual(["old-1"]);
  expect(host.sent[0]?.message.details).toMatchObject({ kind, hops });
  expect(host.sent[0]?.costsTurn).toBe(kind !== "reply");
  expect(host.texts()[0]).toContain("\n\nhello\n\n");
  expect(host.warnings()).toEqual([]);
});

test("M-3: a kind that is not known expects no answer", async () => {
  await using home = new MailHome();
  const host = await home.open();
  drop(host, { ...OLD, kind: "broadcast" });
  await host.run("seen");
  expect(home.inbox(STRANGER)).toEqual([]);
  expect(host.texts()[0]).toMatch(/message that expects no answer/);
});

test("M-3: fields that are not known stay in the file and do not keep the letter", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const name = drop(host, { ...OLD, priority: "high", nested: { deep: [1] } });
  expect(host.shownIds()).toEqual(["old-1"]);
  expect(JSON.parse(home.text(host.address, "cur", name))).toMatchObject({ priority: "high", nested: { deep: [1] } });
});

test("M-3: a reply that names 50 ids is delivered, one that names 51 is set aside with one warning and kept", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const ids = Array.from({ length: 51 }, (_, at) => `id-${at}`);
  drop(host, { ...OLD, id: "fifty", kind: "reply", in_reply_to: ids.slice(1), status: "done" });
  const name = drop(host, { ...OLD, id: "too-many", kind: "reply", in_reply_to: ids, status: "done" });
  host.scan();
  expect(host.shownIds()).toEqual(["fifty"]);
  expect(host.warnings()).toHaveLength(1);
  expect(host.warnings()[0]).toContain(name);
  expect(host.warnings()[0]).toMatch(/51/);
  expect(home.names(host.address, "new")).toEqual([]);
  expect(home.box(host.address, "cur").map(({ id }) => id)).toContain("too-many");
});

test("M-3: each letter that can not be read is warned about once, and the ones round it are delivered in order", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const put = (ms: number, fields: object | string) => {
    const text = typeof fields === "string" ? fields : JSON.stringify(fields);
    const folder = join(home.mailRoot, host.address, "new");
    writeFileSync(join(folder, `${String(ms).padStart(15, "0")}-${randomUUID()}.json`), text);
  };
  put(1, { ...OLD, id: "first" });
  put(2, "no JSON at all");
  put(3, { ...OLD, id: "second", kind: "message" });
  put(4, { ...OLD, id: "aside", from: "../evil" });
  put(5, { ...OLD, id: "third" });
  host.scan();
  host.scan();
  expect(host.shownIds()).toEqual(["first", "second", "third"]);
  expect(host.warnings()).toHaveLength(2);
  expect(home.names(host.address, "cur")).toHaveLength(5);
  expect(host.receipts().filter(({ reason }) => reason !== undefined)).toHaveLength(2);
});

test("M-3: an id that came before is claimed and not shown again", async () => {
  await using home = new MailHome();
  const host = await home.open();
  host.arrive({ from: STRANGER, id: "same", body: "one" });
  host.arrive({ from: STRANGER, id: "same", body: "two" });
  expect(host.shownIds()).toEqual(["same"]);
  expect(home.names(host.address, "new")).toEqual([]);
  expect(home.box(host.address, "cur").map(({ body }) => body)).toEqual(["one", "two"]);
  expect(host.warnings()).toEqual([]);
});
