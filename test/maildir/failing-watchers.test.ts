import { EventEmitter } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type InboxWatch, watchInbox } from "../../src/maildir/watch-inbox.ts";
import { patchFs } from "../support/patch-fs.ts";
import { useTempRoot } from "../support/temp-root.ts";
import { waitFor } from "../support/wait-for.ts";

const temp = useTempRoot();
let causes: string[];
let watch: InboxWatch | undefined;
let endPatch: (() => void) | undefined;
beforeEach(() => {
  mkdirSync(temp.path);
  causes = [];
});
afterEach(() => {
  watch?.close();
  endPatch?.();
});

const start = () => {
  watch = watchInbox(temp.path, (cause) => causes.push(cause));
};
const count = (cause: "event" | "poll") => causes.filter((one) => one === cause).length;
const polls = async (more: number) => {
  const wanted = count("poll") + more;
  await waitFor(() => count("poll") >= wanted, { what: `${more} more polls` });
};
const hearsEvents = async () => {
  const before = count("event");
  writeFileSync(join(temp.path, `${before}.json`), "");
  await waitFor(() => count("event") > before, { what: "an event of the watched folder" });
};

test("R-7: out of watches or descriptors, the polls serve until there is a watcher again", async () => {
  const codes = ["ENOSPC", "EMFILE", "ENFILE"];
  endPatch = patchFs(() => ({
    watch() {
      const code = codes.shift() ?? "ENOSPC";
      throw Object.assign(new Error(`${code}: no watcher`), { code });
    },
  }));
  start();
  writeFileSync(join(temp.path, "a.json"), "");
  await polls(3);
  expect([codes, count("event")]).toEqual([[], 0]);
  endPatch();
  await polls(1);
  await hearsEvents();
});

test("R-7: a watcher that fails is replaced at the next poll, and its failure reaches nobody", async () => {
  const watchers: EventEmitter[] = [];
  endPatch = patchFs(({ watch: real }) => ({
    watch(...args: Parameters<typeof real>) {
      const watcher = Reflect.apply(real, undefined, args);
      watchers.push(watcher);
      return watcher;
    },
  }));
  start();
  expect(watchers).toHaveLength(1);
  watchers[0]?.emit("error", Object.assign(new Error("EMFILE"), { code: "EMFILE" }));
  await polls(1);
  expect(watchers).toHaveLength(2);
  // A failure of the one that was replaced does not end its successor.
  watchers[0]?.emit("error", new Error("late"));
  await hearsEvents();
  await polls(1);
  expect(watchers).toHaveLength(2);
});

test("R-7: a watcher that drops every event does not keep the polls from coming", async () => {
  endPatch = patchFs(() => ({ watch: () => Object.assign(new EventEmitter(), { close() {} }) }));
  start();
  writeFileSync(join(temp.path, "a.json"), "");
  await polls(2);
  expect(count("event")).toBe(0);
});
