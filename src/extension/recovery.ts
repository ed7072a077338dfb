import { join } from "node:path";
import { type Envelope, expectsAnswer } from "../mail/envelope.ts";
import { senderName } from "../mail/frame.ts";
import { hopsAfterMail } from "../mail/hops.ts";
import { plainExcerpt, plainLine } from "../mail/plain-text.ts";
import { type Receipt, type Standing, standings } from "../mail/receipts.ts";
import { answeredBefore } from "../maildir/answered-before.ts";
import { undoBrokenSends } from "../maildir/broken-sends.ts";
import { boxPath } from "../maildir/mailbox.ts";
import { readEnvelope } from "../maildir/read-envelope.ts";
import { readReceipts } from "../maildir/receipts-file.ts";
import { lettersInConversation } from "./conversation.ts";
import { deliver, findSender } from "./deliver.ts";
import { MAIL_CUSTOM_TYPE } from "./mail-renderer.ts";
import type { MailSession, OpenLetter } from "./mail-session.ts";

/**
 * Takes up what an earlier life of this session left: a send that was cut short, mail that was claimed and never shown,
 * and debts. Only for a session that no other process runs.
 * @param isReload the process lives on, so that its conversation was not interrupted.
 */
export function recover(session: MailSession, isReload: boolean): void {
  tellUndone(session, undoBrokenSends(session.mailbox()));
  const receipts = readReceipts(session.mailbox());
  const shown = lettersInConversation(session.ctx);
  const interrupted: OpenLetter[] = [];
  const all = [...standings(receipts).values()];
  const paid = debtsPaidBefore(session, all);
  for (const standing of all) {
    remember(session, standing);
    if (standing.answered || session.open.has(standing.id)) continue;
    if (paid.has(standing.id)) {
      session.answered.add(standing.id);
      session.receipts.write({ id: standing.id, step: "answered" });
      continue;
    }
    const letter = takeUp(session, standing, shown);
    if (letter !== undefined && !letter.isHeld && !standing.handled) interrupted.push(letter);
  }
  takeUpFinished(session, receipts);
  if (!isReload && interrupted.length > 0) goOn(session, interrupted);
}

/** Delivers what was never shown, and takes on what is owed. @returns a debt whose letter the conversation holds */
function takeUp(session: MailSession, standing: Standing, shown: Set<string> | undefined): OpenLetter | undefined {
  const { id, name, kind, handled } = standing;
  if (name === undefined || kind === undefined) return undefined;
  const owes = expectsAnswer(kind);
  const isShown = shown === undefined ? standing.read : shown.has(id);
  if (standing.read && !owes) return undefined;

  const path = join(boxPath(session.mailbox(), "cur"), name);
  const reading = readEnvelope(path);
  if (reading.type !== "envelope" || reading.envelope.id !== id) return undefined;
  const { envelope } = reading;
  if (!isShown && !handled) {
    // Also a request that was read in a conversation that was never saved: its answer would know nothing of it.
    deliver(session, envelope, path, { isRepeated: standing.read });
    const again = session.open.get(id);
    if (again !== undefined) again.isHeld = standing.held;
    return undefined;
  }
  if (!standing.read) session.receipts.write({ id, step: "read" });
  if (!owes) return undefined;
  const letter = { envelope, path, isRead: true, isHeld: standing.held, isResult: false, owes, shown: 1 };
  session.received.set(id, kind);
  session.open.set(id, letter);
  return letter;
}

/** What a kill came between: the answer was written, its receipt was not. */
function debtsPaidBefore(session: MailSession, all: readonly Standing[]): Set<string> {
  const debts = all.filter((one) => !one.answered && one.kind !== undefined && expectsAnswer(one.kind));
  return answeredBefore(session.mailbox(), debts);
}

/** Letters that were set aside half written, and are whole now. */
function takeUpFinished(session: MailSession, receipts: readonly Receipt[]): void {
  for (const { id, step, name } of receipts) {
    if (id !== "" || step !== "claimed" || name === undefined) continue;
    const path = join(boxPath(session.mailbox(), "cur"), name);
    const reading = readEnvelope(path);
    if (reading.type !== "envelope") continue;
    const { envelope } = reading;
    if (session.received.has(envelope.id) || session.receivedBefore.has(envelope.id)) continue;
    session.receipts.write({
      id: envelope.id,
      step: "claimed",
      name,
      from: envelope.from,
      kind: envelope.kind,
      hops: envelope.hops,
    });
    deliver(session, envelope, path);
  }
}

/** What was only claimed may still lie in `new/`: a kill came between the receipt and the rename. */
function remember(session: MailSession, { id, kind, read, answered }: Standing): void {
  if (kind !== undefined) (read || answered ? session.received : session.receivedBefore).set(id, kind);
  if (answered) session.answered.add(id);
}

/** The run that worked on these letters was cut short, so another one is started to answer them. */
function goOn(session: MailSession, letters: readonly OpenLetter[]): void {
  const { turn, host } = session;
  for (const { envelope } of letters) turn.hops = hopsAfterMail(turn.hops, envelope.hops, true);
  const owed = letters.map(({ envelope }) => {
    const name = senderName(findSender(session, envelope.from));
    return `${envelope.kind} ${plainLine(envelope.id)} from ${name}`;
  });
  const content = `[mailbox] This session ended before it had answered ${owed.join(", ")}; the mail is above in this conversation. Go on with it: your final answer this turn goes back automatically.`;
  host.sendMessage(
    { customType: MAIL_CUSTOM_TYPE, content, display: true, details: {} },
    {
      triggerTurn: true,
      deliverAs: "steer",
    },
  );
}

function tellUndone(session: MailSession, undone: readonly Envelope[]): void {
  for (const { kind, to, body } of undone) {
    session.notify(
      `A ${kind} to ${plainLine(to)} was not sent, since this session ended while it was being written: "${plainExcerpt(body, 60)}". Send it again if it is still wanted.`,
      "warning",
    );
  }
}
