import type { Kind } from "./envelope.ts";

export const DEFAULT_HOP_LIMIT = 5;

/**
 * The hop count of a turn after mail reached it: the highest hops plus one among what woke or steered it.
 * @param wakes false for a reply that is shown quietly, which counts for nothing.
 */
export function hopsAfterMail(turnHops: number, mailHops: number, wakes: boolean): number {
  return wakes ? Math.max(turnHops, Math.min(mailHops, Number.MAX_SAFE_INTEGER - 1) + 1) : turnHops;
}

/** True when a model may not send at this count. Answers and a person's requests are never refused. */
export function isAtHopLimit(turnHops: number, hopLimit: number): boolean {
  return turnHops >= hopLimit;
}

/** Whether mail of this kind starts a turn (or steers one) in the session that gets it. */
export function wakesSession(kind: Kind, lateAnswer: boolean): boolean {
  return kind !== "reply" || lateAnswer;
}
