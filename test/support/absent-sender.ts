import { type ModelRequest, transcript } from "./mock-model.ts";
import { type OriginalLetter, writeOriginalEnvelope } from "./original-form.ts";
import type { PiProcess } from "./pi-process.ts";
import { waitFor } from "./wait-for.ts";
import type { World } from "./world.ts";

/** A session that runs nowhere: the test writes its mail and reads what comes back to it. */
export const ABSENT = "ab5e4700-0000-4000-8000-000000000001";

/** Sends a letter from the absent session. @returns its id */
export function leaveMail(world: World, to: string, letter: Omit<OriginalLetter, "from" | "to">): string {
  return writeOriginalEnvelope(world.mailRoot, { from: ABSENT, to, ...letter }).id;
}

/** Sends a letter and waits until the session has claimed it. What it does with it then is done before it does
 *  anything that the test asks for afterwards. */
export async function leaveClaimed(
  world: World,
  to: string,
  letter: Omit<OriginalLetter, "from" | "to">,
): Promise<string> {
  const id = leaveMail(world, to, letter);
  await waitFor(() => world.envelopes(to, "cur").some((claimed) => claimed.id === id), { what: `the claim of ${id}` });
  return id;
}

/** Has the model start a call of the probe's waiting tool. @returns a mark taken before the run */
export async function enterTool(world: World, pi: PiProcess, ...then: Parameters<World["model"]["push"]>[1][]) {
  const from = pi.records.length;
  world.model.push(pi.model, { tool: { name: "probe_wait" } }, ...then);
  await pi.prompt("use the tool");
  await waitFor(() => pi.probeLog().filter((line) => line.event === "probe_wait").length > 0, { what: "the tool" });
  return from;
}

/** How often the model was shown a text in one request. */
export function timesShown(request: ModelRequest | undefined, text: string): number {
  return request === undefined ? 0 : transcript(request).split(text).length - 1;
}
