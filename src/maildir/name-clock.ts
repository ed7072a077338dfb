let last = 0;

/** The time for an envelope's name: now, or one more than the last one of this process. Unix epoch, ms. */
export function nextNameTime(nowMs: number): number {
  last = Math.max(Math.trunc(nowMs), last + 1);
  return last;
}
