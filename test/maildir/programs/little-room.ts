/**
 * Does one thing after the other in a mail root where there is hardly any room, and tells what became of each.
 * Where no small disk can be mounted, a quota of its own stands for it: the writes are cut short in the same places.
 */
import { randomUUID } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { mailboxAt } from "../../../src/maildir/mailbox.ts";
import { appendReceipts } from "../../../src/maildir/receipts-file.ts";
import { writeRecord } from "../../../src/maildir/running.ts";
import { sendMail } from "../../../src/maildir/send.ts";
import { filesBelow } from "../../support/files-below.ts";
import { patchFs } from "../../support/patch-fs.ts";

/** `bytes`: how large the body, the reason or the folder name is. */
export type RoomStep =
  | readonly ["send", to: string, bytes: number]
  | readonly ["receipt", address: string, bytes: number]
  | readonly ["record", address: string, bytes: number]
  | readonly ["remove", path: string];

export interface RoomOrder {
  readonly root: string;
  /** Undefined: the disk itself is small. */
  readonly quotaBytes: number | undefined;
  readonly steps: readonly RoomStep[];
}

export interface RoomResult {
  /** "": it worked. */
  readonly errno: string;
  readonly message: string;
  /** Files in the mail root afterwards, by path in it. */
  readonly files: readonly string[];
}

const { root, quotaBytes, steps } = JSON.parse(process.argv[2] ?? "") as RoomOrder;
const PAGE = 4_096;

if (quotaBytes !== undefined) {
  patchFs((real) => {
    const write = (fd: number, bytes: Uint8Array, at = 0): number => {
      const used = filesBelow(root).reduce((sum, file) => sum + Math.ceil(statSync(`${root}/${file}`).size / PAGE), 0);
      const slack = (PAGE - (real.fstatSync(fd).size % PAGE)) % PAGE;
      const fits = Math.min(bytes.length - at, quotaBytes - used * PAGE + slack);
      if (fits <= 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      return real.writeSync(fd, bytes, at, fits);
    };
    return {
      writeSync: write,
      writeFileSync(path: string, text: string, { mode = 0o666, flag = "w" }: { mode?: number; flag?: string } = {}) {
        const fd = real.openSync(path, flag, mode);
        try {
          for (let at = 0; at < text.length; ) at += write(fd, Buffer.from(text), at);
        } finally {
          real.closeSync(fd);
        }
      },
    };
  });
}

function take([what, where, bytes = 0]: RoomStep): void {
  const text = "x".repeat(bytes);
  const post = { root, now: Date.now, uuid: randomUUID, durable: false };
  if (what === "send") sendMail(post, { from: "a", to: where, kind: "request", hops: 0, body: text });
  else if (what === "receipt") {
    appendReceipts(mailboxAt(root, where), [{ ts: "", id: "i", step: "claimed", reason: text }], { durable: false });
  } else if (what === "record") {
    writeRecord(root, { address: where, cwd: text, pid: process.pid, state: "idle", waitingOn: "", updated: "" });
  } else rmSync(`${root}/${where}`, { recursive: true });
}

const results = steps.map((step): RoomResult => {
  let failure = { errno: "", message: "" };
  try {
    take(step);
  } catch (error) {
    const { message, code = "", cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
    failure = { errno: cause?.code ?? code, message };
  }
  return { ...failure, files: filesBelow(root) };
});
process.stdout.write(JSON.stringify(results));
