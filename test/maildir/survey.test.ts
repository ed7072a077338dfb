import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mailboxAt } from "../../src/maildir/mailbox.ts";
import { mailboxAddresses, surveyMail, surveyMailbox } from "../../src/maildir/survey.ts";
import { filesBelow } from "../support/files-below.ts";
import { writeOriginalEnvelope } from "../support/original-form.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const tsMs = Date.parse("2031-01-01T00:00:00.000Z");

test("M-22: a survey tells each letter of each mailbox, where it lies and when it was sent, and changes nothing", () => {
  writeOriginalEnvelope(temp.path, { from: "b", to: "a", id: "i-1", tsMs });
  writeFileSync(join(temp.path, "a", "cur", "odd.json"), JSON.stringify({ ts: new Date(tsMs).toISOString() }));
  writeFileSync(join(temp.path, "a", "tmp", "half.json"), "{");
  const before = filesBelow(temp.path);
  const seen = [...surveyMail(temp.path)].map(({ address, box, sentMs, envelope }) => [
    address,
    box,
    sentMs,
    envelope?.id,
  ]);
  expect(seen).toEqual([
    ["a", "new", tsMs, "i-1"],
    // Not readable as a letter, so its time is not known either.
    ["a", "cur", 0, undefined],
    ["b", "sent", tsMs, "i-1"],
  ]);
  expect(filesBelow(temp.path)).toEqual(before);
});

test("M-22: only real folders named like an address are mailboxes, and without a mail root there are none", () => {
  expect(mailboxAddresses(temp.path)).toEqual([]);
  for (const name of ["b", "a", "running", ".mailroom", "a.b"]) mkdirSync(join(temp.path, name), { recursive: true });
  writeFileSync(join(temp.path, "file"), "");
  symlinkSync("a", join(temp.path, "link"));
  expect(mailboxAddresses(temp.path)).toEqual(["a", "b"]);
  expect([...surveyMail(temp.path)]).toEqual([]);
});

test("M-22: a letter that is claimed while a mailbox is surveyed is not missed", () => {
  for (const id of ["1", "2"]) writeOriginalEnvelope(temp.path, { from: "b", to: "a", id });
  const mailbox = mailboxAt(temp.path, "a");
  const seen: (string | undefined)[] = [];
  for (const { box, name, envelope } of surveyMailbox(mailbox)) {
    seen.push(envelope?.id);
    if (box === "new") renameSync(join(mailbox.path, "new", name), join(mailbox.path, "cur", name));
  }
  expect(new Set(seen)).toEqual(new Set(["1", "2"]));
});
