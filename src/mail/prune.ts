const DAY_MS = 24 * 60 * 60 * 1000;

/** What decides whether the mailbox of a session may go. Times are Unix epoch, ms. */
export interface MailboxFacts {
  readonly isOwn: boolean;
  readonly isRunning: boolean;
  /** Entries of any sort in `new/`. */
  readonly waiting: number;
  /** Newest change of the folder and its four boxes (not of the files in them). */
  readonly changedMs: number;
}

export type PruneDecision =
  | { readonly prune: true }
  | { readonly prune: false; readonly because: "own" | "running" | "unread" | "recent" };

/** @param olderThanDays undefined: whatever its age, as the person asked for. */
export function pruneDecision(
  facts: MailboxFacts,
  now: { readonly nowMs: number; readonly olderThanDays: number | undefined },
): PruneDecision {
  if (facts.isOwn) return { prune: false, because: "own" };
  if (facts.isRunning) return { prune: false, because: "running" };
  if (facts.waiting > 0) return { prune: false, because: "unread" };
  if (now.olderThanDays !== undefined && now.nowMs - facts.changedMs <= now.olderThanDays * DAY_MS) {
    return { prune: false, because: "recent" };
  }
  return { prune: true };
}
