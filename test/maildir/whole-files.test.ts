import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureBoxes, mailboxAt } from "../../src/maildir/mailbox.ts";
import { readEnvelope } from "../../src/maildir/read-envelope.ts";
import { sendMail } from "../../src/maildir/send.ts";
import { filesBelow } from "../support/files-below.ts";
import { followFsSteps } from "../support/fs-steps.ts";
import { startProgram } from "../support/program.ts";
import { postAt, useTempRoot } from "../support/temp-root.ts";
import type { Sightings } from "./programs/look-for-halves.ts";

const temp = useTempRoot();

test("M-2: between any two steps of a send, every file in sent/ and new/ is whole, and the copy comes first", () => {
  const boxed = () => filesBelow(temp.path).filter((file) => !file.includes("/tmp/"));
  const seen = new Set<string>();
  const end = followFsSteps(({ path }) => {
    if (path === temp.path) return;
    const files = boxed();
    for (const file of files) expect(readEnvelope(join(temp.path, file)).type).toBe("envelope");
    seen.add(files.map((file) => file.split("/").slice(0, 2).join("/")).join(" "));
  });
  try {
    sendMail(postAt(temp.path), { from: "a", to: "b", kind: "request", hops: 0, body: "hello" });
  } finally {
    end();
  }
  expect([...seen]).toEqual(["", "a/sent", "a/sent b/new"]);
});

test("M-2: who reads sent/ and new/ while letters are written never sees half of one", {
  timeout: 60_000,
}, async () => {
  const [a, b] = [mailboxAt(temp.path, "a"), mailboxAt(temp.path, "b")];
  for (const mailbox of [a, b]) ensureBoxes(mailbox);
  const reader = startProgram(new URL("./programs/look-for-halves.ts", import.meta.url), [
    join(a.path, "sent"),
    join(b.path, "new"),
  ]);
  expect(await reader.heard()).toBe("ready");
  for (let written = 0; written < 300; written += 1) {
    sendMail(postAt(temp.path), { from: "a", to: "b", kind: "message", hops: 0, body: "x".repeat(200_000) });
  }
  reader.process.send("stop");
  const { read, halves } = (await reader.heard()) as Sightings;
  await reader.ended;
  expect(read).toBeGreaterThan(0);
  expect(halves).toEqual([]);
});
