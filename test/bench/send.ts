import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Post, sendMail } from "../../src/maildir/send.ts";
import type { FakeHost } from "../support/fake-host.ts";
import { originalEnvelope } from "../support/original-form.ts";
import { mailFolder, startSession } from "./bench-session.ts";
import { mailBody, seededRandom } from "./corpus.ts";
import { type Figure, median, ratioFigure } from "./figure.ts";

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

/** The whole way through the extension: the `message:send` hook, settings, receipts, counts and footer. */
function hookSend(host: FakeHost, to: string): Send {
  return (body) => {
    const payload: { to: string; body: string; error?: string } = { to, body };
    host.events.emit("message:send", payload);
    if (payload.error !== undefined) throw new Error(payload.error);
  };
}

function put(path: string, bytes: Uint8Array, flags: string): void {
  const fd = openSync(path, flags, 0o600);
  try {
    writeSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

/** One request sent, against its bare file operations. */
export async function sendFigures(
  parent: string,
  { runs, letters }: { runs: number; letters: number },
): Promise<Figure[]> {
  const folder = mailFolder(parent, "send");
  const host = await startSession(folder, "hook-from", true);
  const ways: { send: Send; inRun: number[]; times: number[] }[] = [
    bareSend(folder.root, "bare-from", "bare-to"),
    plainSend(folder.root, "plain-from", "plain-to"),
    hookSend(host, "hook-to"),
  ].map((send) => ({ send, inRun: [], times: [] }));
  const body = mailBody(seededRandom(1));

  for (let run = -1; run < runs; run += 1) {
    for (let letter = 0; letter < letters; letter += 1) {
      for (let at = 0; at < ways.length; at += 1) {
        const way = ways[(letter + at) % ways.length];
        const startMs = performance.now();
        way?.send(body);
        way?.inRun.push(performance.now() - startMs);
      }
    }
    for (const { inRun, times } of ways) {
      const ofRun = median(inRun.splice(0));
      if (run >= 0) times.push(ofRun);
    }
  }
  await host.shutdown();

  const [floors = [], plain = [], hook = []] = ways.map((way) => way.times);
  return [
    ratioFigure({ name: "send a request", unit: "ms", values: plain, floors, goal: 1.6 }),
    ratioFigure({ name: "send a request by message:send", unit: "ms", values: hook, floors }),
  ];
}
