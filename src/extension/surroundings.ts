import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { VERSION } from "@mariozechner/pi-coding-agent";
import type { Environment } from "../maildir/mail-root.ts";

/** What the extension takes from outside itself. */
export interface Surroundings {
  /** Variables are read when they are used. */
  readonly env: Environment;
  readonly home: () => string;
  /** Unix epoch, ms. */
  readonly now: () => number;
  readonly uuid: () => string;
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  /** Version of Pi. */
  readonly hostVersion: string;
}

export function realSurroundings(): Surroundings {
  return {
    env: process.env,
    home: homedir,
    now: Date.now,
    uuid: randomUUID,
    pid: process.pid,
    platform: process.platform,
    hostVersion: VERSION,
  };
}
