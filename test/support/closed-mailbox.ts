import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { originalEnvelope } from "./original-form.ts";

const BOX_NAMES = ["tmp", "new", "cur", "sent"] as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The mailbox of a session that closed some days ago: one read letter, one copy, one receipt. @returns its folder. */
export function closedMailbox(root: string, address: string, options: { ageDays?: number } = {}): string {
  const folder = join(root, address);
  for (const box of BOX_NAMES) mkdirSync(join(folder, box), { recursive: true, mode: 0o700 });
  const read = originalEnvelope({ from: "friend", to: address, id: `read-${address}` });
  const sent = originalEnvelope({ from: address, to: "friend", id: `sent-${address}` });
  writeFileSync(join(folder, "cur", read.fileName), read.text);
  writeFileSync(join(folder, "sent", sent.fileName), sent.text);
  const receipt = { ts: "", id: read.id, step: "claimed", name: read.fileName, from: "friend", kind: "request" };
  writeFileSync(join(folder, "receipts.jsonl"), `${JSON.stringify(receipt)}\n`);
  touchMailbox(folder, Date.now() - (options.ageDays ?? 100) * DAY_MS);
  return folder;
}

/** Sets the times of a mailbox's folder and boxes. @param ms Unix epoch, ms. */
export function touchMailbox(folder: string, ms: number): void {
  for (const path of ["", ...BOX_NAMES]) utimesSync(join(folder, path), ms / 1_000, ms / 1_000);
}
