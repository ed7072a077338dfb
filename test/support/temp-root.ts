import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Post } from "../../src/maildir/send.ts";

export interface TempRoot {
  /** A folder of this test's own. */
  readonly folder: string;
  /** A mail root in it, which is not there yet. */
  readonly path: string;
}

/** A place for a mail root, made before each test of a file and removed after it. */
export function useTempRoot(): TempRoot {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mailroom-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return {
    get folder() {
      return folder;
    },
    get path() {
      return join(folder, "pi-session-mail");
    },
  };
}

export function postAt(root: string, changes: Partial<Post> = {}): Post {
  return { root, now: Date.now, uuid: randomUUID, durable: false, ...changes };
}
