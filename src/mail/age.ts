const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, in one short word: now, 6m, 2h, 3d. A time ahead of the clock reads as now, 0 as "no date". */
export function ageText(atMs: number, nowMs: number): string {
  if (atMs <= 0) return "no date";
  const age = nowMs - atMs;
  if (age < MINUTE) return "now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`;
  return age < DAY ? `${Math.floor(age / HOUR)}h` : `${Math.floor(age / DAY)}d`;
}

/** Time left as minutes and seconds, such as 7:05; 0:00 when there is none. */
export function timeLeftText(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
