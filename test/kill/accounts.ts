import { join } from "node:path";
import { expect } from "vitest";
import { filesBelow } from "../support/files-below.ts";
import { type EnvelopeJson, readEnvelopes } from "../support/mail-files.ts";
import { savedEntries } from "./programs/saved-host.ts";

export function mailRootOf(home: string): string {
  return join(home, "pi-session-mail");
}

/** Letters that reached a session, claimed or not. */
export function lettersOf(home: string, address: string): EnvelopeJson[] {
  const root = mailRootOf(home);
  return [...readEnvelopes(root, address, "new"), ...readEnvelopes(root, address, "cur")];
}

export function idsOf(letters: readonly EnvelopeJson[]): string[] {
  return letters.map(({ id }) => id).sort();
}

/** Every request and ask has exactly one reply that names it, in its sender's hands. */
export function expectAnsweredOnce(home: string, asker: string, ids: readonly string[]): void {
  const replies = lettersOf(home, asker).filter(({ kind }) => kind === "reply");
  const counts = ids.map((id) => [id, replies.filter(({ in_reply_to }) => in_reply_to.includes(id)).length]);
  expect(counts).toEqual(ids.map((id) => [id, 1]));
  for (const { status } of replies) expect(["done", "failed", "stopped"]).toContain(status);
}

/** How often each letter is in a session's saved conversation, as mail or as the result of an ask. */
export function timesShown(home: string, address: string): Map<string, number> {
  const shown = new Map<string, number>();
  for (const { type, details, message } of savedEntries(home, address)) {
    const { role, details: result } = (message ?? {}) as { role?: string; details?: { reply?: string } };
    const asMail = type === "custom_message" ? (details as { id?: string } | undefined)?.id : undefined;
    const id = asMail ?? (role === "toolResult" ? result?.reply : undefined);
    if (id !== undefined) shown.set(id, (shown.get(id) ?? 0) + 1);
  }
  return shown;
}

/** No file in `new/`, `cur/` or `sent/` of any mailbox is half a letter, but for those that were planted so. */
export function expectNoHalves(home: string, planted: readonly string[] = []): void {
  const root = mailRootOf(home);
  const addresses = new Set(filesBelow(root).map((file) => file.split("/")[0] ?? ""));
  for (const address of addresses) {
    if (address === "running" || address.startsWith(".")) continue;
    for (const box of ["new", "cur", "sent"] as const) {
      const names = filesBelow(join(root, address, box));
      expect(names.every((name) => name.endsWith(".json"))).toBe(true);
      // Reading throws at a file that is not JSON.
      if (!planted.includes(address)) readEnvelopes(root, address, box);
    }
  }
}
