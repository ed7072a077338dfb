import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OriginalLetter, originalEnvelope } from "../support/original-form.ts";

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = "the branch builds again after lint failed on two files that nobody had read since spring".split(" ");

/** About 500 bytes of words in lines. */
export function mailBody(random: () => number): string {
  let text = "";
  while (text.length < 500) text += `${WORDS[Math.floor(random() * WORDS.length)]}${random() < 0.1 ? "\n" : " "}`;
  return text.trim();
}

function seededId(random: () => number): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
}

/**
 * Fills a mailbox as months of use would: `size` letters sent, and as many claimed, read and done with, half of them
 * replies to what was sent. The receipts are there too.
 */
export function fillMailbox(root: string, address: string, peer: string, size: number, seed: number): void {
  const random = seededRandom(seed);
  const folder = (box: string) => join(root, address, box);
  for (const box of ["tmp", "new", "cur", "sent"]) mkdirSync(folder(box), { recursive: true, mode: 0o700 });
  let tsMs = Date.UTC(2026, 0, 1);
  const put = (box: string, letter: Omit<OriginalLetter, "tsMs" | "id" | "body">) => {
    tsMs += 1000;
    const file = originalEnvelope({ ...letter, id: seededId(random), body: mailBody(random), tsMs });
    writeFileSync(join(folder(box), file.fileName), file.text, { mode: 0o600 });
    return file;
  };

  const receipts: string[] = [];
  for (let count = 0; count < size; count += 1) {
    const sentKind = random() < 0.8 ? "request" : random() < 0.5 ? "ask" : "message";
    const { id } = put("sent", { from: address, to: peer, kind: sentKind });
    const isReply = random() < 0.5;
    const kind = isReply ? "reply" : random() < 0.8 ? "request" : "message";
    const claimed = put("cur", { from: peer, to: address, kind, inReplyTo: isReply ? [id] : [] });
    const ts = new Date(tsMs).toISOString();
    const steps: object[] = [
      { step: "claimed", name: claimed.fileName, from: peer, kind, hops: 0 },
      { step: "read" },
      ...(kind === "request" ? [{ step: "answered", reply: seededId(random), status: "done" }] : []),
    ];
    for (const step of steps) receipts.push(`${JSON.stringify({ ts, id: claimed.id, ...step })}\n`);
  }
  writeFileSync(join(root, address, "receipts.jsonl"), receipts.join(""), { mode: 0o600 });
}
