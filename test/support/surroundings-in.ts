import { randomUUID } from "node:crypto";
import type { Surroundings } from "../../src/extension/surroundings.ts";

/** What the extension takes from outside itself, with the mail root and the settings below a folder; time and ids are real. */
export function surroundingsIn(folder: string): Surroundings {
  return {
    env: { XDG_STATE_HOME: folder, PI_CODING_AGENT_DIR: folder },
    home: () => folder,
    now: Date.now,
    uuid: randomUUID,
    pid: process.pid,
    platform: process.platform,
    hostVersion: "1.6.0",
  };
}
