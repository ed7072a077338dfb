import { expect } from "vitest";
import { PROBE_EXTENSION, PROJECT_EXTENSION } from "../support/pi-command.ts";
import type { PiProcess } from "../support/pi-process.ts";
import { waitFor } from "../support/wait-for.ts";
import type { PiOptions } from "../support/world.ts";
import { cliPath, type OldPi } from "./versions.ts";

/** How a session with the probe and ours is started on an older Pi. */
export function sessionOn(pi: OldPi, name: string): PiOptions {
  return { name, cli: cliPath(pi), version: pi.version, extensions: [PROBE_EXTENSION, PROJECT_EXTENSION] };
}

/** Waits until nothing runs. */
export async function idle(session: PiProcess): Promise<void> {
  await waitFor(async () => !(await session.ready()).isStreaming, { what: "the session to be idle" });
}

/** No extension threw, and nothing used a host or context that had gone stale. */
export function expectNoComplaints(session: PiProcess): void {
  expect(session.records.filter(({ type }) => type === "extension_error")).toEqual([]);
  expect(session.stderr).not.toMatch(/stale|Error/);
}
