import { setTimeout as sleep } from "node:timers/promises";

export interface WaitOptions {
  /** What is awaited, as it reads after "waited for": "the reply in alice's new/". */
  what: string;
  /** Milliseconds until the wait fails; 20 s by default, since the machines that run this are slow and shared. */
  deadlineMs?: number;
}

/** A value that ends a wait: anything but the falsy ones a condition may return meanwhile. */
export type Truthy<T> = Exclude<T, undefined | null | false | 0 | "">;

const POLL_MS = 20;

/** Polls until the condition returns something truthy, and returns that.
 *  A condition that throws counts as not yet true: files appear and vanish while they are read.
 *  @throws Error naming `what`, with the condition's last error as cause, when the deadline passes. */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitOptions): Promise<Truthy<T>> {
  const deadlineMs = options.deadlineMs ?? 20_000;
  const startMs = performance.now();
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value as Truthy<T>;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() - startMs > deadlineMs) break;
    await sleep(POLL_MS);
  }
  const because = lastError === undefined ? "" : `; last error: ${String(lastError)}`;
  throw new Error(`waited ${deadlineMs} ms for ${options.what}${because}`, { cause: lastError });
}
