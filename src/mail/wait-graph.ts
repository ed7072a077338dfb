import type { Address } from "./address.ts";

/** A running session, as far as waiting goes. */
export interface Waiter {
  readonly address: Address;
  readonly state: "idle" | "busy";
  /** "" when it waits on nobody. */
  readonly waitingOn: string;
}

/** Sessions that wait on each other in a row, first the one that nobody waits on. */
export interface WaitLine {
  readonly addresses: readonly Address[];
  /**
   * cycle: the last waits on one that is in the line already, so nobody can answer; gone: the last is not running;
   * stalled: the last is idle, so only a new turn answers; moving: the last is at work.
   */
  readonly end: "cycle" | "gone" | "stalled" | "moving";
}

/** The lines of waiting among running sessions. Each session waits on at most one, so every line is followed once. */
export function waitLines(sessions: readonly Waiter[]): WaitLine[] {
  const byAddress = new Map(sessions.map((session) => [session.address, session]));
  const waiting = sessions.filter(({ waitingOn }) => waitingOn !== "");
  const waitedOn = new Set(waiting.map(({ waitingOn }) => waitingOn));
  const lines: WaitLine[] = [];
  const covered = new Set<Address>();
  const follow = (from: Waiter): void => {
    const addresses: Address[] = [];
    for (let at: string = from.address; ; ) {
      covered.add(at);
      addresses.push(at);
      const session = byAddress.get(at);
      if (session === undefined || session.waitingOn === "") {
        const end = session === undefined ? "gone" : session.state === "idle" ? "stalled" : "moving";
        lines.push({ addresses, end });
        return;
      }
      at = session.waitingOn;
      if (addresses.includes(at)) {
        lines.push({ addresses: [...addresses, at], end: "cycle" });
        return;
      }
    }
  };
  for (const session of waiting) if (!waitedOn.has(session.address)) follow(session);
  for (const session of waiting) if (!covered.has(session.address)) follow(session);
  return lines;
}
