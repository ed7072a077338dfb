export interface MailCounts {
  /** In `new/`, and what was put into the conversation since the last settle. */
  readonly pending: number;
  /** Regular files in `cur/`. */
  readonly read: number;
  /** Sent requests and asks that no claimed reply names. */
  readonly awaiting: number;
}

/** The footer's text, non-zero counts alone; undefined when there is nothing to show. Contract wording. */
export function footerText({ pending, read, awaiting }: MailCounts): string | undefined {
  const parts = [
    [pending, "pending"],
    [read, "read"],
    [awaiting, "awaiting"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return shown.length === 0 ? undefined : `✉ ${shown.join(" · ")}`;
}
