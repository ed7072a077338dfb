/** Digits of the milliseconds in an envelope's file name. */
const TIME_DIGITS = 15;
const NAME = /^(\d{15})-(.+)\.json$/;
const ENDING = ".json";

/** `<milliseconds, 15 digits>-<uuid>.json`: names sort in the order of sending. @param ms Unix epoch, ms. */
export function envelopeName(ms: number, uuid: string): string {
  return `${String(Math.max(0, Math.trunc(ms))).padStart(TIME_DIGITS, "0")}-${uuid}${ENDING}`;
}

/** True for a name that a box serves; anything else in a box is left alone. */
export function isEnvelopeName(name: string): boolean {
  return name.endsWith(ENDING);
}

/** Time and id in a file name of the usual form. Both are only a hint: the id inside the file is the one that counts. */
export function readEnvelopeName(name: string): { readonly ms: number; readonly id: string } | undefined {
  const match = NAME.exec(name);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { ms: Number(match[1]), id: match[2] };
}
