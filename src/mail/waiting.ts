import type { Address } from "./address.ts";

/** Whom each session waits on; a session that waits on nobody is missing or "". */
export type WaitsOn = (address: Address) => string | undefined;

/**
 * The cycle that `asker` waiting on `target` closes, as addresses in the order of waiting from `asker` on (without the
 * asker at the end); undefined when it closes none. Each session waits on at most one, so this is a walk, not a search.
 */
export function waitingCycle(asker: Address, target: Address, waitsOn: WaitsOn): Address[] | undefined {
  const path: Address[] = [asker];
  const seen = new Set<Address>(path);
  for (let at: string | undefined = target; at !== undefined && at !== ""; at = waitsOn(at)) {
    if (at === asker) return path;
    if (seen.has(at)) return undefined;
    seen.add(at);
    path.push(at);
  }
  return undefined;
}

/**
 * How long an asker that has announced its wait and then sees a cycle lets the others give way, in ms; 0: it gives way
 * at once. Of asks that cross, the one with the highest address gives way first, so that exactly one of two does; the
 * lower ones look again meanwhile and give way in turn if the cycle stands, since its other member may have looked
 * before this one announced.
 */
export function patienceInCycle(asker: Address, cycle: readonly Address[], stepMs: number): number {
  const higher = cycle.filter((member) => member > asker).length;
  return higher * stepMs;
}
