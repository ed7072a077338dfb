import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MailroomError } from "../../src/mail/errors.ts";
import { ensureBoxes, mailboxAt } from "../../src/maildir/mailbox.ts";
import { sendMail } from "../../src/maildir/send.ts";
import { filesBelow } from "../support/files-below.ts";
import { patchFs } from "../support/patch-fs.ts";
import { startProgram } from "../support/program.ts";
import { postAt, useTempRoot } from "../support/temp-root.ts";
import type { SendOrder, SendReport } from "./programs/send-mail.ts";

const temp = useTempRoot();
const letter = { from: "a", to: "b", kind: "request", hops: 0, body: "hello" } as const;
const NOBODY = 65_534;

const inTheWay = {
  "a file": (path: string) => writeFileSync(path, ""),
  "a pipe": (path: string) => execFileSync("mkfifo", [path]),
  "a link to a folder outside": (path: string) => symlinkSync(join(temp.folder, "outside"), path),
  "a link to nowhere": (path: string) => symlinkSync("nowhere", path),
};
const places = ["b", "b/tmp", "b/new", "b/cur", "b/sent", "a", "a/tmp", "a/sent"];
const cases = places.flatMap((place) =>
  (Object.keys(inTheWay) as (keyof typeof inTheWay)[]).map((what) => [what, place] as const),
);

test.for(cases)("M-2: with %s in place of the folder %s a send fails and leaves nothing", ([what, place]) => {
  mkdirSync(join(temp.folder, "outside"));
  for (const address of ["a", "b"]) ensureBoxes(mailboxAt(temp.path, address));
  rmSync(join(temp.path, place), { recursive: true });
  inTheWay[what](join(temp.path, place));
  const before = filesBelow(temp.folder);
  let error: unknown;
  try {
    sendMail(postAt(temp.path), letter);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(MailroomError);
  expect(error).toMatchObject({ code: "mail/not-written" });
  expect(String(error)).toContain(join(temp.path, place));
  expect(filesBelow(temp.folder)).toEqual(before);
  expect(readdirSync(join(temp.folder, "outside"))).toEqual([]);

  rmSync(join(temp.path, place));
  sendMail(postAt(temp.path), letter);
  expect(readdirSync(join(temp.path, "b", "new"))).toHaveLength(1);
});

test.for(["../b", "..", "b/../../b", "/b", "running", "b\0", "b".repeat(201), ""])(
  "M-2, R-3: a send to or from the address %j is refused before anything is made",
  (address) => {
    expect(() => sendMail(postAt(temp.path), { ...letter, to: address })).toThrow(/is not an address/);
    expect(() => sendMail(postAt(temp.path), { ...letter, from: address })).toThrow(/is not an address/);
    expect(readdirSync(temp.folder)).toEqual([]);
  },
);

test("M-2: a mail root that is a file fails a send, and the file stays as it is", () => {
  writeFileSync(temp.path, "mine");
  expect(() => sendMail(postAt(temp.path), letter)).toThrow(/can not be used/);
  expect(filesBelow(temp.folder)).toEqual(["pi-session-mail"]);
});

test.for(["openSync", "writeSync", "closeSync", "linkSync", "renameSync", "fsyncSync"] as const)(
  "M-2: whichever %s of a send fails, it leaves nothing, and the next one works",
  (call) => {
    sendMail(postAt(temp.path), letter);
    const before = filesBelow(temp.path);
    let failures = 0;
    for (let failing = 1; failing === failures + 1; failing += 1) {
      let seen = 0;
      const end = patchFs((real) => ({
        [call](...args: never[]) {
          seen += 1;
          if (seen !== failing) return Reflect.apply(real[call], undefined, args);
          if (call === "closeSync") Reflect.apply(real[call], undefined, args);
          throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
        },
      }));
      try {
        sendMail(postAt(temp.path, { durable: true }), letter);
      } catch (error) {
        failures += 1;
        expect(error).toMatchObject({ code: "mail/not-written" });
      } finally {
        end();
      }
      if (failures === failing) expect(filesBelow(temp.path)).toEqual(before);
    }
    expect(failures).toBeGreaterThan(0);
    expect(filesBelow(temp.path)).toHaveLength(before.length + 2);
  },
);

test.for(["b/new", "b/tmp", "a/sent", "a/tmp"])(
  "M-2: a send fails where %s can not be written, and leaves nothing; it works once that is mended",
  { timeout: 60_000 },
  async (place) => {
    for (const address of ["a", "b"]) ensureBoxes(mailboxAt(temp.path, address));
    // Root may write everywhere, so the program becomes somebody else then.
    const user = process.getuid?.() === 0 ? NOBODY : undefined;
    if (user !== undefined) {
      for (const entry of ["", ...readdirSync(temp.folder, { recursive: true, encoding: "utf8" })]) {
        chownSync(join(temp.folder, entry), user, user);
      }
    }
    const send = async () => {
      const order: SendOrder = { root: temp.path, from: "a", to: "b", count: 1, body: "hello", user };
      return (await startProgram(new URL("./programs/send-mail.ts", import.meta.url), order).heard()) as SendReport;
    };
    chmodSync(join(temp.path, place), 0o500);
    const { ids, error } = await send();
    expect(ids).toEqual([]);
    expect(error).toMatchObject({ code: "mail/not-written", errno: "EACCES" });
    expect(error?.message).toContain(`Make ${join(temp.path, place.slice(0, 1))} writable`);
    expect(filesBelow(temp.path)).toEqual([]);

    chmodSync(join(temp.path, place), 0o700);
    expect((await send()).ids).toHaveLength(1);
    expect(filesBelow(temp.path)).toHaveLength(2);
  },
);
