import { type Envelope, expectsAnswer, isStatus, wireEnvelope } from "../mail/envelope.ts";
import { type AnsweredMail, type Framed, frameLetter, type Letter, type Sender, senderName } from "../mail/frame.ts";
import { hopsAfterMail, wakesSession } from "../mail/hops.ts";
import { findRunning } from "../maildir/running.ts";
import { MAIL_CUSTOM_TYPE, type MailDetails } from "./mail-renderer.ts";
import type { MailSession, OpenLetter } from "./mail-session.ts";

/** What a `message:inbound` listener gets. */
export interface InboundPayload {
  envelope: ReturnType<typeof wireEnvelope>;
  path: string;
  requests: { envelope: ReturnType<typeof wireEnvelope>; path: string }[];
  handled: boolean;
}

/** How a letter comes to be delivered. */
export interface Occasion {
  /** An earlier run may have shown it. */
  readonly isRepeated: boolean;
}

const FIRST_TIME: Occasion = { isRepeated: false };

/**
 * Hands a claimed letter to whom it is for: the tool call that waits for it, a listener that takes it, or the
 * conversation. Everything happens before this returns.
 */
export function deliver(session: MailSession, envelope: Envelope, path: string, occasion: Occasion = FIRST_TIME): void {
  session.received.set(envelope.id, envelope.kind);
  const { ask } = session;
  if (
    ask !== undefined &&
    envelope.kind === "reply" &&
    envelope.from === ask.to &&
    envelope.inReplyTo.includes(ask.id)
  ) {
    // One answer ends the wait: a second one in the same scan is ordinary mail.
    session.ask = undefined;
    session.open.set(envelope.id, { ...unread(envelope, path), isResult: true });
    ask.answer(envelope, path);
    return;
  }
  const answers = answeredMail(session, envelope);
  const payload: InboundPayload = {
    envelope: wireEnvelope(envelope),
    path,
    requests: answers.flatMap(({ copy }) =>
      copy === undefined ? [] : [{ envelope: wireEnvelope(copy.envelope), path: copy.path }],
    ),
    handled: false,
  };
  try {
    session.host.events.emit("message:inbound", payload);
  } catch (error) {
    // Pi's bus lets no listener's error through; on another host it must not cost the letter.
    const why = error instanceof Error ? error.message : String(error);
    session.warnOnce(`listener ${why}`, `Another extension failed when it was shown a mail: ${why}`);
  }
  if (!session.isActive) return;

  const isLateAnswer = answersLate(envelope, answers);
  const isHandled = (payload.handled as unknown) === true;
  const wakes = wakesSession(envelope.kind, isLateAnswer);
  const opened: OpenLetter = { ...unread(envelope, path), isRead: isHandled };
  session.turn.hops = hopsAfterMail(session.turn.hops, envelope.hops, wakes || isHandled);
  if (isHandled) {
    session.receipts.write({ id: envelope.id, step: "read", handled: true });
    if (opened.owes) session.open.set(envelope.id, opened);
    return;
  }
  session.open.set(envelope.id, opened);
  const letter: Letter = {
    envelope,
    sender: findSender(session, envelope.from),
    path,
    answers,
    isLateAnswer,
    ...occasion,
  };
  if (wakes) wake(session, opened, letter);
  else showQuietly(session, opened, letter);
}

/** Puts a letter that the host dropped into the conversation again, as it was delivered. */
export function deliverAgain(session: MailSession, opened: OpenLetter): void {
  const letter = letterOf(session, opened);
  session.turn.hops = hopsAfterMail(session.turn.hops, opened.envelope.hops, true);
  wake(session, opened, letter);
}

/** Shows a letter without a turn, so that the model sees it with the person's next prompt. Counts as read at once. */
export function showAgainQuietly(session: MailSession, opened: OpenLetter): void {
  showNow(session, opened, letterOf(session, opened));
}

export function findSender(session: MailSession, address: string): Sender {
  const record = findRunning(session.root(), address);
  if (record === undefined) return { address };
  return { address, cwd: record.cwd, ...(record.name === undefined ? {} : { name: record.name }) };
}

/** Starts a run with the letter, or steers the one that runs. Read once the host says that it is in the conversation. */
function wake(session: MailSession, opened: OpenLetter, letter: Letter): void {
  const message = mailMessage(session, letter, frameLetter(letter));
  opened.shown += 1;
  session.turn.shown += 1;
  session.turn.queued?.add(opened.envelope.id);
  session.host.sendMessage(message, { triggerTurn: true, deliverAs: "steer" });
}

function showQuietly(session: MailSession, opened: OpenLetter, letter: Letter): void {
  if (session.turn.isRunning && !session.traits.staysQuietInRun) {
    session.quietLater.push(() => showNow(session, opened, letter));
  } else showNow(session, opened, letter);
}

function showNow(session: MailSession, opened: OpenLetter, letter: Letter): void {
  // An explicit false: without it a host queues the message during a run and gives it a turn of its own.
  session.host.sendMessage(mailMessage(session, letter, frameLetter(letter)), {
    triggerTurn: false,
    deliverAs: "followUp",
  });
  opened.shown += 1;
  session.turn.shown += 1;
  markRead(session, opened);
}

/** Notes that a letter is in the conversation. What is not owed an answer is done with then. */
export function markRead(session: MailSession, opened: OpenLetter): void {
  if (!opened.isRead) session.receipts.write({ id: opened.envelope.id, step: "read" });
  opened.isRead = true;
  if (!opened.owes) session.open.delete(opened.envelope.id);
}

function letterOf(session: MailSession, { envelope, path }: OpenLetter): Letter {
  const answers = answeredMail(session, envelope);
  const isLateAnswer = answersLate(envelope, answers);
  return { envelope, sender: findSender(session, envelope.from), path, answers, isLateAnswer, isRepeated: true };
}

/** A reply to an ask of this session, by the session that was asked, which nobody waits for any more. */
function answersLate({ kind, from }: Envelope, answers: readonly AnsweredMail[]): boolean {
  return kind === "reply" && answers.some(({ copy }) => copy?.envelope.kind === "ask" && copy.envelope.to === from);
}

function unread(envelope: Envelope, path: string): OpenLetter {
  const owes = expectsAnswer(envelope.kind);
  return { envelope, path, isRead: false, isHeld: false, isResult: false, owes, shown: 0 };
}

function answeredMail(session: MailSession, envelope: Envelope): AnsweredMail[] {
  return [...new Set(envelope.inReplyTo)].map((id) => {
    const copy = session.counter.sentCopy(id);
    return copy === undefined ? { id } : { id, copy };
  });
}

function mailMessage(session: MailSession, letter: Letter, framed: Framed) {
  const { envelope, sender, isLateAnswer, isRepeated } = letter;
  const note = isLateAnswer ? "late answer" : isRepeated ? "again" : undefined;
  const details: MailDetails = {
    id: envelope.id,
    kind: envelope.kind,
    from: envelope.from,
    sender: senderName(sender),
    hops: envelope.hops,
    hopLimit: session.settings().hopLimit,
    ...(isStatus(envelope.status) ? { status: envelope.status } : {}),
    ...(note === undefined ? {} : { note }),
    bodyStart: framed.bodyStart,
    bodyEnd: framed.bodyEnd,
  };
  return { customType: MAIL_CUSTOM_TYPE, content: framed.text, display: true, details };
}
