import type { Answer } from "../mail/answers.ts";
import { utf8Prefix } from "../mail/utf8.ts";
import { sendMail } from "../maildir/send.ts";
import type { MailSession } from "./mail-session.ts";

/** More would not be read as an envelope, and could be tried again for ever. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Writes a reply and notes the debts that it pays. A reply that can not be written now is kept and tried again, and the
 * person told.
 */
export function postAnswer(session: MailSession, answer: Answer, hops: number): void {
  for (const id of answer.inReplyTo) {
    session.open.delete(id);
    session.answered.add(id);
  }
  if (tryPost(session, answer, hops)) return;
  session.unsent.push({ answer, hops });
}

/** Tries again what could not be written. */
export function postUnsent(session: MailSession): void {
  for (const reply of session.unsent.splice(0)) {
    if (tryPost(session, reply.answer, reply.hops)) {
      session.notify(`The answer to ${reply.answer.to} that could not be written before is sent now.`);
    } else session.unsent.push(reply);
  }
}

function tryPost(session: MailSession, { to, inReplyTo, status, body }: Answer, hops: number): boolean {
  try {
    const { envelope } = sendMail(session.post(), {
      from: session.address,
      to,
      kind: "reply",
      hops,
      inReplyTo,
      status,
      body: utf8Prefix(body, MOST_ANSWER_BYTES),
    });
    session.receipts.write(...inReplyTo.map((id) => ({ id, step: "answered" as const, reply: envelope.id, status })));
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    session.warnOnce(`unsent ${to}`, `An answer to ${to} could not be written and is tried again: ${why}`);
    return false;
  }
}
