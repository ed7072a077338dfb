import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { formatReceipt, type Receipt, standings } from "../../src/mail/receipts.ts";
import { ensureBoxes, type Mailbox, mailboxAt } from "../../src/maildir/mailbox.ts";
import { appendReceipts, readReceipts, receiptsPath } from "../../src/maildir/receipts-file.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
let mailbox: Mailbox;
beforeEach(() => {
  mailbox = mailboxAt(temp.path, "a");
  ensureBoxes(mailbox);
});
const claimed = (id: string): Receipt => ({ ts: "2031-01-01T00:00:00.000Z", id, step: "claimed", name: `${id}.json` });
const append = (...receipts: Receipt[]) => appendReceipts(mailbox, receipts, { durable: false });
const idsRead = () => readReceipts(mailbox).map(({ id }) => id);

test("M-12: receipts are appended one line each, for their owner alone, where the original never looks", () => {
  append(claimed("1"));
  append(claimed("2"), { ...claimed("2"), step: "read" });
  expect(receiptsPath(mailbox)).toBe(join(mailbox.path, "receipts.jsonl"));
  expect(statSync(receiptsPath(mailbox)).mode & 0o7777).toBe(0o600);
  const text = readFileSync(receiptsPath(mailbox), "utf8");
  expect(text).toBe(
    [claimed("1"), claimed("2"), { ...claimed("2"), step: "read" as const }].map(formatReceipt).join(""),
  );
  expect(readReceipts(mailbox)).toHaveLength(3);
});

test("M-12: a mailbox of the original has no receipts, and reading them makes none", () => {
  expect(readReceipts(mailbox)).toEqual([]);
  append();
  expect(statSync(receiptsPath(mailbox), { throwIfNoEntry: false })).toBeUndefined();
  rmSync(mailbox.path, { recursive: true });
  expect(readReceipts(mailbox)).toEqual([]);
});

test("M-12: wherever a crash cut the last line short, the lines before it and those after it count", () => {
  const line = formatReceipt(claimed("2"));
  for (let length = 0; length < line.length; length += 1) {
    writeFileSync(receiptsPath(mailbox), formatReceipt(claimed("1")) + line.slice(0, length));
    // A line that lacks only its end is whole.
    expect(idsRead()).toEqual(length === line.length - 1 ? ["1", "2"] : ["1"]);
    append(claimed("3"));
    append(claimed("4"));
    expect(idsRead()).toEqual(length === line.length - 1 ? ["1", "2", "3", "4"] : ["1", "3", "4"]);
  }
});

test("M-12: whatever stands between receipts is passed over", () => {
  const junk = fc
    .oneof(fc.string(), fc.json(), fc.string({ unit: "binary" }))
    .filter((text) => !text.includes('"step"'));
  fc.assert(
    fc.property(fc.array(junk, { maxLength: 5 }), (lines) => {
      rmSync(receiptsPath(mailbox), { force: true });
      for (const [at, text] of lines.entries()) {
        append(claimed(`${at}`));
        appendFileSync(receiptsPath(mailbox), `${text}\n`);
      }
      expect(idsRead()).toEqual(lines.map((_, at) => `${at}`));
    }),
    { numRuns: 200 },
  );
});

test("M-12: ten thousand receipts are read, and another one appended without reading them", () => {
  append(...Array.from({ length: 10_000 }, (_, at) => claimed(`${at}`)));
  append({ ...claimed("77"), step: "answered" });
  const all = standings(readReceipts(mailbox));
  expect(all.size).toBe(10_000);
  expect([...all.values()].filter(({ answered }) => answered).map(({ id }) => id)).toEqual(["77"]);
});

test("R-3, M-12: 100 MiB of nothing in the file of receipts are passed over", () => {
  append(claimed("1"));
  truncateSync(receiptsPath(mailbox), 100 * 1024 * 1024);
  expect(idsRead()).toEqual(["1"]);
  append(claimed("2"));
  expect(idsRead()).toEqual(["1", "2"]);
});

const planted: Record<string, (path: string) => void> = {
  "a pipe": (path) => execFileSync("mkfifo", [path]),
  "a folder": (path) => mkdirSync(path),
  "a link to a file": (path) => symlinkSync(join(temp.folder, "mine"), path),
  "a link to nowhere": (path) => symlinkSync(join(temp.folder, "nowhere"), path),
  "a link to a device": (path) => symlinkSync("/dev/zero", path),
};
test.for(Object.keys(planted))(
  "R-3, M-12: %s in place of the file of receipts blocks nobody and is not written",
  (what) => {
    writeFileSync(join(temp.folder, "mine"), formatReceipt(claimed("mine")));
    planted[what]?.(receiptsPath(mailbox));
    // In a process of its own, which can be ended when it hangs.
    const program = `
    import { appendReceipts, readReceipts } from ${JSON.stringify(pathToFileURL("src/maildir/receipts-file.ts"))};
    const mailbox = ${JSON.stringify(mailbox)};
    const read = readReceipts(mailbox);
    let error;
    try { appendReceipts(mailbox, [${JSON.stringify(claimed("1"))}], { durable: true }) } catch (thrown) { error = thrown }
    process.stdout.write(JSON.stringify({ read, error: String(error) }));`;
    const run = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", program], {
      encoding: "utf8",
      timeout: 30_000,
    });
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(JSON.parse(run.stdout)).toEqual({ read: [], error: expect.stringContaining("Error: ") });
    expect(readFileSync(join(temp.folder, "mine"), "utf8")).toBe(formatReceipt(claimed("mine")));
    expect(statSync(join(temp.folder, "nowhere"), { throwIfNoEntry: false })).toBeUndefined();
  },
);
