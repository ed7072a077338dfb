import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { undoBrokenSends } from "../../src/maildir/broken-sends.ts";
import { mailboxAt } from "../../src/maildir/mailbox.ts";
import { sendMail } from "../../src/maildir/send.ts";
import { filesBelow } from "../support/files-below.ts";
import { followFsSteps } from "../support/fs-steps.ts";
import { originalEnvelope } from "../support/original-form.ts";
import { postAt, useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();
const letter = { from: "a", to: "b", kind: "request", hops: 0, body: "hello" } as const;
const undo = () => undoBrokenSends(mailboxAt(temp.path, "a"));
const boxed = () => filesBelow(temp.path).map((file) => file.split("/").slice(0, 2).join("/"));

/** The disk as a kill leaves it just before a step of a send: nothing after that step happens, nor what undoes it. */
function sendKilledBefore(step: number): boolean {
  let seen = 0;
  const end = followFsSteps(() => {
    seen += 1;
    if (seen >= step) throw Object.assign(new Error("killed"), { code: "KILLED" });
  });
  try {
    sendMail(postAt(temp.path), letter);
  } catch {
    // The process would not be here to see it.
  } finally {
    end();
  }
  return seen >= step;
}

test("M-12, R-1: wherever a send is cut short, afterwards the letter is there with its copy, or neither", () => {
  const outcomes: string[] = [];
  let step = 1;
  for (; sendKilledBefore(step); step += 1) {
    const undone = undo();
    const left = boxed().filter((file) => file !== "b/tmp" && file !== "a/tmp");
    outcomes.push(left.join(" "));
    expect(undone.length === 0 || left.length === 0).toBe(true);
    for (const { id } of undone) expect(id).not.toBe("");
    expect(undo()).toEqual([]);
    rmSync(temp.path, { recursive: true, force: true });
  }
  expect(step).toBeGreaterThan(15);
  expect(new Set(outcomes)).toEqual(new Set(["", "a/sent b/new"]));
});

test("M-12: a letter that was under way is taken back whole, and told", () => {
  const { envelope, copyPath = "" } = sendMail(postAt(temp.path), letter);
  const name = copyPath.slice(copyPath.lastIndexOf("/") + 1);
  renameSync(join(temp.path, "b", "new", name), join(temp.path, "b", "tmp", name));
  writeFileSync(join(temp.path, "a", "tmp", name), originalEnvelope({ ...letter, id: envelope.id }).text);
  expect(undo().map(({ id, to, body }) => [id, to, body])).toEqual([[envelope.id, "b", "hello"]]);
  expect(boxed()).toEqual([]);
});

test.for(["new", "cur"])("M-12: a letter that arrived, and lies in %s/, only loses its mark", (box) => {
  const { envelope, copyPath = "" } = sendMail(postAt(temp.path), letter);
  const name = copyPath.slice(copyPath.lastIndexOf("/") + 1);
  if (box === "cur") renameSync(join(temp.path, "b", "new", name), join(temp.path, "b", "cur", name));
  writeFileSync(join(temp.path, "a", "tmp", name), originalEnvelope({ ...letter, id: envelope.id }).text);
  expect(undo()).toEqual([]);
  expect(boxed()).toEqual(["a/sent", `b/${box}`]);
});

test("M-12, R-3: what others are sending here, and what is no letter of ours, stays in tmp/", () => {
  sendMail(postAt(temp.path), { ...letter, to: "a", from: "b" });
  const tmp = join(temp.path, "a", "tmp");
  const plant = (name: string, text: string) => writeFileSync(join(tmp, name), text);
  plant("theirs.json", originalEnvelope({ from: "b", to: "a" }).text);
  plant("half.json", originalEnvelope({ from: "a", to: "b" }).text.slice(0, 70));
  plant("outside.json", originalEnvelope({ from: "a", to: "../b" }).text);
  plant("to-self.json", originalEnvelope({ from: "a", to: "a" }).text);
  plant("a.json.tmp", originalEnvelope({ from: "a", to: "b" }).text);
  mkdirSync(join(tmp, "folder.json"));
  const before = filesBelow(temp.path);
  expect(undo()).toEqual([]);
  expect(filesBelow(temp.path)).toEqual(before);
  expect(readdirSync(tmp)).toContain("folder.json");
});

test("M-12: a mailbox that is not there had nothing under way", () => {
  expect(undo()).toEqual([]);
  expect(readdirSync(temp.folder)).toEqual([]);
});
