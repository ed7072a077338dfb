import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Post, sendMail } from "../../src/maildir/send.ts";
import { originalEnvelope } from "../support/original-form.ts";
import { mailBody, seededRandom } from "./corpus.ts";

/** Sends one request. */
export type Send = (body: string) => void;

/**
 * The bare file operations of a send: twice a file written and renamed, and one line appended. The bytes are those of a
 * real envelope; making them is not part of it.
 */
export function bareSend(root: string, from: string, to: string): Send {
  for (const address of [from, to]) {
    for (const box of ["tmp", "new", "cur", "sent"]) mkdirSync(join(root, address, box), { recursive: true });
  }
  const bytes = Buffer.from(originalEnvelope({ from, to, body: mailBody(seededRandom(1)) }).text);
  const line = Buffer.from(`${JSON.stringify({ ts: new Date(0).toISOString(), id: randomUUID(), step: "claimed" })}\n`);
  const log = join(root, from, "receipts.jsonl");
  let count = 0;
  return () => {
    const name = `${String(Date.now()).padStart(15, "0")}-${process.pid}-${count++}.json`;
    for (const [address, box] of [
      [from, "sent"],
      [to, "new"],
    ] as const) {
      const written = join(root, address, "tmp", name);
      put(written, bytes, "wx");
      renameSync(written, join(root, address, box, name));
    }
    put(log, line, "a");
  };
}

/** `sendMail` alone, as the command line uses it. */
export function plainSend(root: string, from: string, to: string): Send {
  const post: Post = { root, now: Date.now, uuid: randomUUID, durable: false };
  return (body) => void sendMail(post, { from, to, kind: "request", hops: 0, body });
}

function put(path: string, bytes: Uint8Array, flags: string): void {
  const fd = openSync(path, flags, 0o600);
  try {
    writeSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
}
