import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MailroomError } from "../../src/mail/errors.ts";
import { isOpenToOthers, mailRootPath, openMailRoot } from "../../src/maildir/mail-root.ts";
import { useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const modeOf = (path: string) => statSync(path).mode & 0o7777;

test.for([
  [undefined, "/home/u/.local/state/pi-session-mail"],
  ["", "/home/u/.local/state/pi-session-mail"],
  ["state", "/home/u/.local/state/pi-session-mail"],
  ["./state", "/home/u/.local/state/pi-session-mail"],
  ["../state", "/home/u/.local/state/pi-session-mail"],
  ["~/state", "/home/u/.local/state/pi-session-mail"],
  ["/state", "/state/pi-session-mail"],
  ["/state/", "/state/pi-session-mail"],
] as const)("M-1: with XDG_STATE_HOME %j the mail root is %s", ([state, root]) => {
  expect(mailRootPath({ XDG_STATE_HOME: state }, "/home/u")).toBe(root);
});

test("M-1: XDG_STATE_HOME is read at each call", () => {
  const env = { XDG_STATE_HOME: "/one" };
  expect(mailRootPath(env, "/home/u")).toBe("/one/pi-session-mail");
  env.XDG_STATE_HOME = "/two";
  expect(mailRootPath(env, "/home/u")).toBe("/two/pi-session-mail");
});

test("M-1: a mail root that is missing is made for its owner alone, with the folders above it", () => {
  const root = join(temp.folder, "a", "b", "pi-session-mail");
  openMailRoot(root);
  expect(modeOf(root)).toBe(0o700);
  expect(modeOf(join(temp.folder, "a")) & 0o077).toBe(0);
});

test.for([0o755, 0o777, 0o770, 0o750, 0o1777, 0o500])("M-1: a mail root of mode %o is set to 700", (mode) => {
  mkdirSync(temp.path);
  chmodSync(temp.path, mode);
  openMailRoot(temp.path);
  expect(modeOf(temp.path)).toBe(0o700);
});

test("M-1: the folders in a mail root keep their modes when it is opened", () => {
  mkdirSync(join(temp.path, "a"), { recursive: true });
  chmodSync(join(temp.path, "a"), 0o755);
  openMailRoot(temp.path);
  expect(modeOf(join(temp.path, "a"))).toBe(0o755);
});

test.for([
  ["a file", (path: string) => writeFileSync(path, "")],
  ["a link to a file", (path: string) => symlinkSync("/dev/null", path)],
  ["a link to nowhere", (path: string) => symlinkSync("nowhere", path)],
] as const)("M-1: %s in place of the mail root is refused, naming it and what to do", ([, plant]) => {
  plant(temp.path);
  let refusal: unknown;
  try {
    openMailRoot(temp.path);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(MailroomError);
  expect(refusal).toMatchObject({ code: "root/unusable" });
  expect(String(refusal)).toContain(temp.path);
  expect(String(refusal)).toContain("XDG_STATE_HOME");
});

test("M-1: a folder is open to others as soon as it gives them any right", () => {
  mkdirSync(temp.path);
  for (const mode of [0o701, 0o710, 0o740, 0o720, 0o704, 0o755]) {
    chmodSync(temp.path, mode);
    expect([mode, isOpenToOthers(temp.path)]).toEqual([mode, true]);
  }
  for (const mode of [0o700, 0o500, 0o1700]) {
    chmodSync(temp.path, mode);
    expect([mode, isOpenToOthers(temp.path)]).toEqual([mode, false]);
  }
  expect(isOpenToOthers(join(temp.path, "missing"))).toBe(false);
});
