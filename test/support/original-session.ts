import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { boxNames } from "./mail-files.ts";
import { type OriginalFile, type OriginalLetter, writeOriginalEnvelope, writeOriginalRecord } from "./original-form.ts";
import { waitFor } from "./wait-for.ts";
import type { World } from "./world.ts";

/** A session of the extension that shares the mail root, played by the test: a live process, a running record, and a
 *  mailbox that the test claims from and answers into, all in that extension's own form. */
export interface PlayedSession {
  readonly address: string;
  readonly name: string;
  readonly cwd: string;
  /** Claims the next letter, as the text of its file. Waits for one. */
  claimNext(): Promise<{ fileName: string; text: string }>;
  send(letter: Omit<OriginalLetter, "from">): OriginalFile;
  /** Writes the record again. */
  record(state: { state?: "idle" | "busy"; waitingOn?: string }): void;
}

export function playOriginalSession(world: World, name: string): PlayedSession {
  const address = randomUUID();
  const cwd = world.root;
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const gone = new Promise((resolve) => child.on("exit", resolve));
  world.onDispose(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  const record = (state: object) =>
    writeOriginalRecord(world.mailRoot, { address, name, cwd, pid: child.pid ?? 0, ...state });
  record({});
  return {
    address,
    name,
    cwd,
    record,
    async claimNext() {
      const fileName = await waitFor(() => boxNames(world.mailRoot, address, "new")[0], { what: `mail for ${name}` });
      const claimed = join(world.mailRoot, address, "cur", fileName);
      renameSync(join(world.mailRoot, address, "new", fileName), claimed);
      return { fileName, text: readFileSync(claimed, "utf8") };
    },
    send: (letter) => writeOriginalEnvelope(world.mailRoot, { ...letter, from: address }),
  };
}
