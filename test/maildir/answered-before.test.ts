import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answeredBefore, type OwedMail } from "../../src/maildir/answered-before.ts";
import { mailboxAt } from "../../src/maildir/mailbox.ts";
import { originalEnvelope, writeOriginalEnvelope } from "../support/original-form.ts";
import { patchFs } from "../support/patch-fs.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const DAY_MS = 24 * 60 * 60 * 1000;
const claimedMs = Date.parse("2031-06-01T12:00:00.000Z");
const debt = (id: string, from = "asker"): OwedMail => ({ id, from, claimedAt: new Date(claimedMs).toISOString() });
const paid = (...debts: OwedMail[]) => [...answeredBefore(mailboxAt(temp.path, "own"), debts)].sort();
const reply = (inReplyTo: string[], changes: { from?: string; to?: string; tsMs?: number } = {}) =>
  writeOriginalEnvelope(temp.path, { from: "own", to: "asker", kind: "reply", tsMs: claimedMs, ...changes, inReplyTo });
const claimIt = (name: string) =>
  renameSync(join(temp.path, "asker", "new", name), join(temp.path, "asker", "cur", name));

test("M-12: a debt is paid when a reply of ours that names it waits with the asker, or was claimed there", () => {
  reply(["1", "2"]);
  expect(paid(debt("1"), debt("2"), debt("3"))).toEqual(["1", "2"]);
  claimIt(reply(["3"]).fileName);
  expect(paid(debt("1"), debt("3"), debt("4"))).toEqual(["1", "3"]);
});

test("M-12: a reply of somebody else, or to somebody else, pays nothing", () => {
  reply(["1"], { from: "other" });
  reply(["2"], { to: "other" });
  expect(paid(debt("1"), debt("2"))).toEqual([]);
  expect(paid(debt("2", "other"))).toEqual(["2"]);
});

test("M-12: a reply that the asker claims while it is looked for is found", () => {
  const { fileName } = reply(["1"]);
  let isClaimed = false;
  const end = patchFs(({ readdirSync: list }) => ({
    readdirSync(...args: Parameters<typeof list>) {
      const names = Reflect.apply(list, undefined, args);
      if (String(args[0]).endsWith("/new") && !isClaimed) {
        isClaimed = true;
        claimIt(fileName);
      }
      return names;
    },
  }));
  try {
    expect(paid(debt("1"))).toEqual(["1"]);
  } finally {
    end();
  }
  expect(isClaimed).toBe(true);
});

test("M-12, R-9: replies are looked for from a day before the claim on, and among names that tell no time", () => {
  reply(["old"], { tsMs: claimedMs - 2 * DAY_MS });
  reply(["stepped back"], { tsMs: claimedMs - DAY_MS / 2 });
  reply(["later"], { tsMs: claimedMs + 300 * DAY_MS });
  const { text } = originalEnvelope({ from: "own", to: "asker", kind: "reply", inReplyTo: ["odd name"] });
  writeFileSync(join(temp.path, "asker", "cur", "odd.json"), text);
  const debts = ["old", "stepped back", "later", "odd name"].map((id) => debt(id));
  expect(paid(...debts)).toEqual(["later", "odd name", "stepped back"]);
  // A claim of unknown time: every reply counts.
  expect(paid(...debts.map((one) => ({ ...one, claimedAt: "" })))).toContain("old");
});

test("M-12: only files that may hold a reply are read, so that an old mailbox of an asker costs little", () => {
  for (let at = 0; at < 100; at += 1) reply([`x${at}`], { tsMs: claimedMs - (2 + at) * DAY_MS });
  reply(["1"]);
  let opened = 0;
  const end = patchFs(({ openSync: open }) => ({
    openSync(...args: Parameters<typeof open>) {
      opened += 1;
      return open(...args);
    },
  }));
  try {
    expect(paid(debt("1"), debt("2"))).toEqual(["1"]);
  } finally {
    end();
  }
  expect(opened).toBe(1);
});

test("M-12, R-3: an asker without a mailbox, with odd boxes, or whose address leads elsewhere, was answered nothing", () => {
  expect(paid(debt("1", "nobody"), debt("2", "../own"), { id: "3", from: undefined, claimedAt: "" })).toEqual([]);
  const outside = join(temp.folder, "outside");
  mkdirSync(outside);
  writeFileSync(
    join(outside, "x.json"),
    originalEnvelope({ from: "own", to: "a", kind: "reply", inReplyTo: ["1"] }).text,
  );
  mkdirSync(join(temp.path, "asker"), { recursive: true });
  symlinkSync(outside, join(temp.path, "asker", "new"));
  writeFileSync(join(temp.path, "asker", "cur"), "");
  expect(paid(debt("1"))).toEqual([]);
});
