import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, type TestContext, test } from "vitest";
import { POLL_MS, watchInbox } from "../../src/maildir/watch-inbox.ts";
import { waitFor } from "../support/wait-for.ts";

/** A folder that is watched from `start()` on until the test ends. */
function watchedFolder({ onTestFinished }: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "mailroom-"));
  const mailbox = join(root, "a");
  const folder = join(mailbox, "new");
  const causes: string[] = [];
  const count = (cause: "event" | "poll") => causes.filter((one) => one === cause).length;
  let watch: ReturnType<typeof watchInbox> | undefined;
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => {
    watch?.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    mailbox,
    folder,
    causes,
    count,
    start() {
      watch = watchInbox(folder, (cause) => causes.push(cause));
      return watch;
    },
    /** Resolves when a new file is told as an event, whatever the polls say. */
    async hearsEvents() {
      const before = count("event");
      writeFileSync(join(folder, `${before}.json`), "");
      await waitFor(() => count("event") > before, { what: "an event of the watched folder" });
    },
    async polls(more: number) {
      const wanted = count("poll") + more;
      await waitFor(() => count("poll") >= wanted, { what: `${more} more polls` });
    },
  };
}

// Each waits for polls of its own, so they do it side by side.
describe.concurrent("a watched inbox", () => {
  test("R-7: a letter that arrives is told at once, and many that arrive together once", async (context) => {
    const inbox = watchedFolder(context);
    inbox.start();
    await inbox.hearsEvents();
    await pause(50);
    const before = inbox.count("event");
    for (let at = 0; at < 100; at += 1) writeFileSync(join(inbox.folder, `x${at}.json`), "");
    await waitFor(() => inbox.count("event") > before, { what: "an event" });
    expect(inbox.count("event") - before).toBeLessThan(50);
  });

  test("R-7: the folder is polled each second, whether anything happens or not", async (context) => {
    const inbox = watchedFolder(context);
    const since = performance.now();
    inbox.start();
    await inbox.polls(3);
    expect(performance.now() - since).toBeGreaterThan(2.5 * POLL_MS);
    expect(POLL_MS).toBe(1_000);
  });

  test.for([
    ["removed", (folder: string) => rmSync(folder, { recursive: true })],
    ["moved away", (folder: string) => renameSync(folder, `${folder}-old`)],
    [
      "moved away with its mailbox",
      (folder: string) => renameSync(join(folder, ".."), join(folder, "..", "..", "old")),
    ],
  ] as const)("R-7: after the folder was %s and made again, the watcher comes back", async ([, leave], context) => {
    const inbox = watchedFolder(context);
    inbox.start();
    await inbox.hearsEvents();
    leave(inbox.folder);
    mkdirSync(inbox.folder, { recursive: true });
    await inbox.polls(2);
    await inbox.hearsEvents();
    expect(inbox.causes).toContain("event");
  });

  test("R-7: a folder made anew is told from the one before, also when it gets the same inode", async (context) => {
    const inbox = watchedFolder(context);
    inbox.start();
    for (let round = 0; round < 3; round += 1) {
      await inbox.polls(1);
      rmSync(inbox.folder, { recursive: true });
      mkdirSync(inbox.folder);
    }
    await inbox.polls(2);
    await inbox.hearsEvents();
  });

  test("R-7: a folder that is missing is polled, and watched once it is made", async (context) => {
    const inbox = watchedFolder(context);
    rmSync(inbox.mailbox, { recursive: true });
    inbox.start();
    await inbox.polls(1);
    mkdirSync(inbox.folder, { recursive: true });
    await inbox.polls(2);
    await inbox.hearsEvents();
  });

  test("R-7, M-23: after it was closed nothing is called any more, and closing twice is nothing", async (context) => {
    const inbox = watchedFolder(context);
    const watch = inbox.start();
    await inbox.hearsEvents();
    writeFileSync(join(inbox.folder, "pending.json"), "");
    watch.close();
    watch.close();
    const until = inbox.causes.length;
    writeFileSync(join(inbox.folder, "late.json"), "");
    await pause(1.5 * POLL_MS);
    expect(inbox.causes).toHaveLength(until);
  });
});
