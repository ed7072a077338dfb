/** Sends letters of one mailbox, one after the other, and tells what became of each. */
import { randomUUID } from "node:crypto";
import { sendMail } from "../../../src/maildir/send.ts";

export interface SendOrder {
  readonly root: string;
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly body: string;
  /** User and group to become first; undefined: stay. */
  readonly user?: number | undefined;
  /** A letter that could not be sent is sent again, as a person would. */
  readonly persists?: boolean;
}

/** The ids of the letters that were sent, and the error that ended it or the last one there was. */
export interface SendReport {
  readonly ids: string[];
  readonly error?: { readonly code: string; readonly message: string; readonly errno: string };
}

const { root, from, to, count, body, user, persists = false } = JSON.parse(process.argv[2] ?? "") as SendOrder;
if (user !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(user);
  process.setuid?.(user);
}
const MOST_FAILURES = 10_000;
const ids: string[] = [];
let error: SendReport["error"];
let failures = 0;
while (ids.length < count && failures < (persists ? MOST_FAILURES : 1)) {
  try {
    const post = { root, now: Date.now, uuid: randomUUID, durable: false };
    ids.push(sendMail(post, { from, to, kind: "request", hops: 0, body }).envelope.id);
  } catch (thrown) {
    failures += 1;
    const { code, message, cause } = thrown as Error & { code: string; cause?: { code?: string } };
    error = { code, message, errno: cause?.code ?? "" };
  }
}
process.send?.({ ids, ...(error === undefined ? {} : { error }) } satisfies SendReport);
