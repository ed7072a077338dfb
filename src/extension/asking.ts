import type { Address } from "../mail/address.ts";
import type { Envelope } from "../mail/envelope.ts";
import { MailroomError } from "../mail/errors.ts";
import { plainLine } from "../mail/plain-text.ts";
import { patienceInCycle, waitingCycle } from "../mail/waiting.ts";
import { findRunning } from "../maildir/running.ts";
import { scanInbox } from "./inbox.ts";
import type { MailSession, WaitingAsk } from "./mail-session.ts";
import { announce } from "./presence.ts";
import { sendFrom } from "./sending.ts";

/** How long an ask waits, in ms. */
export const ASK_LIMIT_MS = 10 * 60 * 1000;
/** How often the asked session is looked for, in ms. */
const LOOK_MS = 1_000;
/** A session that reloads is away for a moment: only this many looks in a row without it mean that it is gone. */
const LOOKS_UNTIL_GONE = 3;
/** How long one of two asks that cross gives the other to step back, in ms. */
const GIVE_WAY_MS = 60;
const PAUSE_MS = 5;

export type AskEnd =
  | { readonly type: "answer"; readonly envelope: Envelope; readonly path: string }
  | { readonly type: "no answer yet" }
  | { readonly type: "stopped running" }
  | { readonly type: "stopped by user" };

export interface Asked {
  readonly id: string;
  readonly end: Promise<AskEnd>;
}

/**
 * Writes an ask and waits for what comes of it. The envelope and `waitingOn` are on disk when this returns.
 * @throws MailroomError ask/already-waiting, ask/not-running, ask/cycle; writing nothing then
 */
export function askSession(session: MailSession, to: Address, body: string, signal: AbortSignal | undefined): Asked {
  if (session.ask !== undefined) {
    throw new MailroomError(
      "ask/already-waiting",
      `This session already waits for ${session.ask.to} to answer ask ${session.ask.id}.`,
      "Ask one session after the other.",
    );
  }
  if (findRunning(session.root(), to) === undefined) {
    throw new MailroomError(
      "ask/not-running",
      `The session ${to} is not running, so it can not answer.`,
      "session_mail_send leaves it a message that it reads when it is resumed.",
    );
  }
  const standing = cycleThrough(session, to);
  if (standing !== undefined) throw cycleError(session, standing);

  let answer: (end: AskEnd) => void = () => {};
  const answered = new Promise<AskEnd>((resolve) => {
    answer = resolve;
  });
  // Announced before it is written, so that of two asks that cross at least one sees the other.
  session.ask = {
    id: "",
    to,
    answer: (envelope, path) => answer({ type: "answer", envelope, path }),
    stop: () => answer({ type: "stopped by user" }),
  };
  announce(session);
  try {
    giveWay(session, to);
    const { id } = sendFrom(session, { to, kind: "ask", hops: session.turn.hops, body });
    session.ask = { ...session.ask, id };
    return { id, end: waitForEnd(session, session.ask, answered, signal) };
  } catch (error) {
    endAsk(session, "");
    throw error;
  }
}

async function waitForEnd(
  session: MailSession,
  { id, to }: WaitingAsk,
  answered: Promise<AskEnd>,
  signal: AbortSignal | undefined,
): Promise<AskEnd> {
  const timers: (() => void)[] = [];
  const otherwise = new Promise<AskEnd>((resolve) => {
    const limit = setTimeout(() => resolve(lastLook(session, { type: "no answer yet" })), ASK_LIMIT_MS);
    let missed = 0;
    const look = setInterval(() => {
      missed = findRunning(session.root(), to) === undefined ? missed + 1 : 0;
      if (missed >= LOOKS_UNTIL_GONE) resolve(lastLook(session, { type: "stopped running" }));
    }, LOOK_MS);
    const stop = (): void => resolve({ type: "stopped by user" });
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    timers.push(
      () => clearTimeout(limit),
      () => clearInterval(look),
      () => signal?.removeEventListener("abort", stop),
    );
  });
  try {
    return await Promise.race([answered, otherwise]);
  } finally {
    for (const end of timers) end();
    endAsk(session, id);
  }
}

/** An answer that was written just before the wait ends counts: the scan hands it to the ask, which comes first then. */
function lastLook(session: MailSession, end: AskEnd): AskEnd {
  let found: AskEnd | undefined;
  const { ask } = session;
  if (ask !== undefined) {
    session.ask = {
      ...ask,
      answer: (envelope, path) => {
        found = { type: "answer", envelope, path };
      },
    };
    scanInbox(session);
  }
  return found ?? end;
}

function endAsk(session: MailSession, id: string): void {
  if (session.ask?.id === id) session.ask = undefined;
  announce(session);
}

/** Of asks that cross, all but one step back; this one does when the cycle still stands after its patience. */
function giveWay(session: MailSession, to: Address): void {
  let cycle = cycleThrough(session, to);
  if (cycle === undefined) return;
  // Counted and not timed: a clock may be set back meanwhile.
  let looks = Math.ceil(patienceInCycle(session.address, cycle, GIVE_WAY_MS) / PAUSE_MS);
  for (; cycle !== undefined && looks > 0; looks -= 1) {
    pause(PAUSE_MS);
    cycle = cycleThrough(session, to);
  }
  if (cycle !== undefined) throw cycleError(session, cycle);
}

function cycleThrough(session: MailSession, to: Address): Address[] | undefined {
  return waitingCycle(session.address, to, (address) => findRunning(session.root(), address)?.waitingOn);
}

function cycleError(session: MailSession, cycle: readonly Address[]): MailroomError {
  const names = [...cycle, session.address].map((address) => {
    const name = findRunning(session.root(), address)?.name;
    return name === undefined ? address : `${plainLine(name)} (${address})`;
  });
  return new MailroomError(
    "ask/cycle",
    `Nobody in this circle could answer: ${names.join(" waits for ")}. Nothing was sent.`,
    "Finish this turn, or use session_mail_send, which waits for nobody.",
  );
}

/** Blocks for some ms: an ask has to be on disk before its tool call first gives way to other work. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
