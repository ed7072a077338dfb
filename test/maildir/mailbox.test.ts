import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MailroomError } from "../../src/mail/errors.ts";
import { BOXES, boxEntries, boxPath, ensureBoxes, envelopeNames, mailboxAt } from "../../src/maildir/mailbox.ts";
import { filesBelow } from "../support/files-below.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();

test("M-1: a mailbox has four boxes, each for its owner alone", () => {
  const mailbox = mailboxAt(temp.path, "a-1");
  ensureBoxes(mailbox);
  expect(readdirSync(mailbox.path).sort()).toEqual(["cur", "new", "sent", "tmp"]);
  for (const folder of [mailbox.path, ...BOXES.map((box) => boxPath(mailbox, box))]) {
    expect(statSync(folder).mode & 0o7777).toBe(0o700);
  }
});

test("M-1: boxes that are there keep their modes and their mail", () => {
  const mailbox = mailboxAt(temp.path, "a");
  ensureBoxes(mailbox);
  chmodSync(mailbox.path, 0o755);
  writeFileSync(join(mailbox.path, "new", "x.json"), "mail");
  rmSync(boxPath(mailbox, "cur"), { recursive: true });
  ensureBoxes(mailbox);
  expect(statSync(mailbox.path).mode & 0o7777).toBe(0o755);
  expect(filesBelow(mailbox.path)).toEqual(["new/x.json"]);
  expect(readdirSync(mailbox.path)).toContain("cur");
});

test("R-3: whatever an address is, its mailbox is a folder in the mail root or the address is refused", () => {
  const parts = ["..", ".", "/", "\\", "\0", "a", "\n", "running", "%2e", "é", "", " "];
  const nasty = fc.array(fc.constantFrom(...parts)).map((some) => some.join(""));
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string({ unit: "binary" }), fc.stringMatching(/^[\w.-]{1,300}$/)), (address) => {
      try {
        const { path } = mailboxAt("/root/pi-session-mail", address);
        expect(dirname(path)).toBe("/root/pi-session-mail");
        expect(path).toBe(`/root/pi-session-mail/${address}`);
        expect(address).not.toBe("running");
        expect(address).not.toMatch(/^\./);
      } catch (error) {
        expect(error).toBeInstanceOf(MailroomError);
        expect(error).toMatchObject({ code: "address/invalid" });
      }
    }),
    { numRuns: 2_000 },
  );
});

test.for(["../a", "..", ".", "", "a/b", "/a", "a\0", "a\nb", "running", ".mailroom", "a b", "a".repeat(300)])(
  "R-3: %j is refused as an address before anything is made",
  (address) => {
    expect(() => ensureBoxes(mailboxAt(temp.path, address))).toThrow(/is not an address/);
    expect(readdirSync(temp.folder)).toEqual([]);
  },
);

test.for(["mailbox", ...BOXES])(
  "R-3: a link in place of the %s folder is refused, and nothing is made behind it",
  (place) => {
    const elsewhere = join(temp.folder, "elsewhere");
    mkdirSync(elsewhere);
    const mailbox = mailboxAt(temp.path, "a");
    if (place === "mailbox") {
      mkdirSync(temp.path);
      symlinkSync(elsewhere, mailbox.path);
    } else {
      ensureBoxes(mailbox);
      rmSync(join(mailbox.path, place), { recursive: true });
      symlinkSync(elsewhere, join(mailbox.path, place));
    }
    expect(() => ensureBoxes(mailbox)).toThrow(/is not a folder/);
    expect(readdirSync(elsewhere)).toEqual([]);
  },
);

test("R-3: a box that is a link to a folder of mail shows none of it", () => {
  const mailbox = mailboxAt(temp.path, "a");
  ensureBoxes(mailbox);
  writeFileSync(join(temp.folder, "x.json"), "{}");
  rmSync(boxPath(mailbox, "new"), { recursive: true });
  symlinkSync(temp.folder, boxPath(mailbox, "new"));
  expect(boxEntries(mailbox, "new")).toEqual([]);
});

test("M-2: the names of a box sort in the order of sending; files with another ending are no envelopes", () => {
  const mailbox = mailboxAt(temp.path, "a");
  ensureBoxes(mailbox);
  const names = ["000000000000010-b.json", "000000000000009-z.json", "000000000000010-a.json", "z.json"];
  for (const name of [...names, ".x.jsonl", "note.txt", "x.json.tmp", "json"]) {
    writeFileSync(join(boxPath(mailbox, "new"), name), "");
  }
  expect(envelopeNames(mailbox, "new")).toEqual([
    "000000000000009-z.json",
    "000000000000010-a.json",
    "000000000000010-b.json",
    "z.json",
  ]);
});

test("M-3: a mailbox or box that is missing or no folder is empty", () => {
  const mailbox = mailboxAt(temp.path, "a");
  expect(envelopeNames(mailbox, "new")).toEqual([]);
  mkdirSync(temp.path);
  writeFileSync(mailbox.path, "");
  expect(envelopeNames(mailbox, "new")).toEqual([]);
});
