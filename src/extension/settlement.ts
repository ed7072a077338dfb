import { type Debt, settle, settleClosing, undeliveredAnswer } from "../mail/answers.ts";
import { expectsAnswer } from "../mail/envelope.ts";
import { hopsAfterMail } from "../mail/hops.ts";
import { NOTHING_SEEN, runEnd } from "../mail/run-outcome.ts";
import { deliverAgain, markRead, showAgainQuietly } from "./deliver.ts";
import type { MailSession, OpenLetter } from "./mail-session.ts";
import { postAnswer } from "./outbox.ts";
import { announce } from "./presence.ts";

/** Letters are handed to a host that keeps dropping them no more often than this. */
const MOST_SHOWN = 4;

/**
 * Ends a run: answers what it read, holds what the user took over, and looks after mail that the host dropped.
 * @param aborted what the host says of the run; undefined when it does not say.
 */
export function settleRun(session: MailSession, aborted: boolean | undefined): void {
  const { turn } = session;
  const end = runEnd(turn.seen, aborted);
  const { hops, queued } = turn;
  Object.assign(turn, { hops: 0, isRunning: false, seen: NOTHING_SEEN, queued: undefined, shown: 0 });
  announce(session);

  const wasStopped = end.outcome === "stopped";
  for (const letter of session.open.values()) if (letter.isResult) markRead(session, letter);
  const letters = [...session.open.values()];
  const decided = letters.filter((letter) => letter.isRead || wasStopped);
  const { answers, held } = settle(decided.flatMap(debtOf), end);
  for (const answer of answers) postAnswer(session, answer, hops);
  holdRequests(session, held);

  for (const show of session.quietLater.splice(0)) show();
  for (const letter of letters) {
    if (letter.isRead || letter.owes) continue;
    if (wasStopped && queued?.has(letter.envelope.id) !== true) showAgainQuietly(session, letter);
  }
  for (const letter of [...session.open.values()].filter(isUnread)) {
    // Handed over already: it may be what the next run starts with.
    turn.hops = hopsAfterMail(turn.hops, letter.envelope.hops, true);
  }
  if (!wasStopped && letters.some(isUnread)) setImmediate(() => deliverDropped(session));
}

/**
 * Settles what a stopped run had read, on a host that then goes on by itself with what its queue holds: the user stopped
 * the one and not the other, and one settle ends both.
 */
export function settleStoppedPart(session: MailSession): void {
  const { turn } = session;
  const read = [...session.open.values()].filter((letter) => letter.isRead);
  const { answers, held } = settle(read.flatMap(debtOf), runEnd(turn.seen, true));
  for (const answer of answers) postAnswer(session, answer, turn.hops);
  holdRequests(session, held);
  turn.seen = NOTHING_SEEN;
}

/** Tells every sender who still waits that no answer will come. For a session that closes. */
export function settleForGood(session: MailSession): void {
  const read = [...session.open.values()].filter((letter) => letter.isRead);
  for (const answer of settleClosing(read.flatMap(debtOf))) postAnswer(session, answer, session.turn.hops);
}

/**
 * Mail that is unread after a run which nobody stopped was dropped from the host's queue, unless a run goes on: the host
 * may hand over several letters one run after the other, and settles in between.
 */
function deliverDropped(session: MailSession): void {
  if (!session.isActive || session.turn.isRunning) return;
  try {
    if (session.ctx.isIdle?.() === false) return;
    for (const letter of [...session.open.values()].filter(isUnread)) {
      if (letter.shown < MOST_SHOWN) deliverAgain(session, letter);
      else giveUp(session, letter);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    session.warnOnce("dropped", `Mail that was dropped from the queue could not be shown again: ${why}`);
  }
}

function giveUp(session: MailSession, letter: OpenLetter): void {
  for (const debt of debtOf(letter)) postAnswer(session, undeliveredAnswer(debt), session.turn.hops);
  session.open.delete(letter.envelope.id);
  session.warnOnce(
    `never shown ${letter.path}`,
    `A mail did not get into the conversation, although it was handed over ${letter.shown} times. It is kept at ${letter.path}.`,
  );
}

function holdRequests(session: MailSession, ids: readonly string[]): void {
  const newlyHeld = ids.filter((id) => session.open.get(id)?.isHeld === false);
  for (const id of newlyHeld) {
    const letter = session.open.get(id);
    if (letter !== undefined) letter.isHeld = true;
  }
  if (newlyHeld.length > 0) session.receipts.write(...newlyHeld.map((id) => ({ id, step: "held" as const })));
}

function isUnread(letter: OpenLetter): boolean {
  return !letter.isRead;
}

function debtOf({ envelope, isRead, isHeld, owes }: OpenLetter): Debt[] {
  const { id, from, kind } = envelope;
  return owes && expectsAnswer(kind) ? [{ id, from, kind, read: isRead, held: isHeld }] : [];
}
