import type { Address } from "./address.ts";
import { MAX_IN_REPLY_TO, type Status } from "./envelope.ts";

/** Opens the answer to a request that was held while the user had taken over. Contract wording. */
export const TOOK_OVER_NOTE =
  "(The user stopped an earlier run partway and took over; the answer that follows is from the run that completed after that.)";

/** A request or ask that this session has not answered yet. */
export interface Debt {
  readonly id: string;
  readonly from: Address;
  readonly kind: "request" | "ask";
  /** It entered the conversation. */
  readonly read: boolean;
  /** The user stopped a run that had read it. Never true for an ask. */
  readonly held: boolean;
}

/** How a run ended. */
export interface RunEnd {
  readonly outcome: Status;
  /** Text of the last assistant message; "" when it has none. */
  readonly answer: string;
  /** Text of the last assistant message that has any; "" when none has. */
  readonly partial: string;
  /** What the run failed with; "" unless the outcome is failed. */
  readonly error: string;
}

/** A reply to write. */
export interface Answer {
  readonly to: Address;
  readonly inReplyTo: readonly string[];
  readonly status: Status;
  readonly body: string;
}

export interface Settlement {
  readonly answers: readonly Answer[];
  /** Requests that stay owed until a run completes. */
  readonly held: readonly string[];
}

/**
 * What a run that has ended means for everything that is owed: to each sender one reply for the requests that were read,
 * one for those that were held, one for those that were dropped unread, and one for each ask.
 * Mail that is still unread after a run nobody stopped is not decided here: it goes into the conversation again.
 */
export function settle(debts: readonly Debt[], end: RunEnd): Settlement {
  const answers: Answer[] = [];
  const held: string[] = [];
  for (const [to, owed] of bySender(debts)) {
    const requests = owed.filter((debt) => debt.kind === "request");
    const asks = owed.filter((debt) => debt.kind === "ask");
    const fresh = idsOf(requests.filter((debt) => debt.read && !debt.held));
    const unread = idsOf(requests.filter((debt) => !debt.read));
    const overtaken = idsOf(requests.filter((debt) => debt.read && debt.held));

    if (end.outcome === "stopped") {
      held.push(...fresh, ...overtaken);
      answers.push(...replies(to, unread, "failed", NOT_READ));
    } else if (end.outcome === "failed") {
      held.push(...overtaken);
      answers.push(...replies(to, fresh, "failed", failedBody(end)));
    } else {
      answers.push(...replies(to, fresh, "done", doneBody(end)));
      answers.push(...replies(to, overtaken, "done", `${TOOK_OVER_NOTE}\n\n${doneBody(end)}`));
    }
    for (const ask of asks) {
      if (ask.read) answers.push(...replies(to, [ask.id], end.outcome, askBody(end)));
      else if (end.outcome === "stopped") answers.push(...replies(to, [ask.id], "failed", NOT_READ));
    }
  }
  return { answers, held };
}

/** What each sender is told when the session ends while it owes an answer. */
export function settleClosing(debts: readonly Debt[]): readonly Answer[] {
  return [...bySender(debts)].flatMap(([to, owed]) => [
    ...replies(to, idsOf(owed.filter((debt) => debt.kind === "request")), "failed", CLOSED),
    ...owed.filter((debt) => debt.kind === "ask").flatMap((ask) => replies(to, [ask.id], "failed", CLOSED)),
  ]);
}

/** The reply to mail that could not be put into the conversation at all. */
export function undeliveredAnswer(debt: Debt): Answer {
  return { to: debt.from, inReplyTo: [debt.id], status: "failed", body: NOT_SHOWN };
}

const NOT_READ = "(The user stopped the session before it read this. Nothing was done.)";
const NOT_SHOWN =
  "(This could not be put into the session's conversation, although it was tried several times. Nothing was done.)";
const CLOSED =
  "(The session closed before it answered this. Whatever it had done on it until then stands, but no answer will come.)";
const NO_TEXT = "(The run ended without writing an answer.)";

function doneBody(end: RunEnd): string {
  return end.answer.trim() === "" ? NO_TEXT : end.answer;
}

function failedBody(end: RunEnd): string {
  const error = end.error.trim() === "" ? "no reason was given" : end.error.trim();
  return withPartial(`(The run ended on an error: ${error})`, end);
}

function askBody(end: RunEnd): string {
  if (end.outcome === "done") return doneBody(end);
  if (end.outcome === "failed") return failedBody(end);
  return withPartial("(The user stopped the run before it finished.)", end);
}

function withPartial(note: string, end: RunEnd): string {
  return end.partial.trim() === "" ? note : `${note}\n\nIt had written until then:\n\n${end.partial}`;
}

function replies(to: Address, ids: readonly string[], status: Status, body: string): Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; at < ids.length; at += MAX_IN_REPLY_TO) {
    answers.push({ to, inReplyTo: ids.slice(at, at + MAX_IN_REPLY_TO), status, body });
  }
  return answers;
}

function bySender(debts: readonly Debt[]): Map<Address, Debt[]> {
  const senders = new Map<Address, Debt[]>();
  for (const debt of debts) {
    const owed = senders.get(debt.from);
    if (owed === undefined) senders.set(debt.from, [debt]);
    else owed.push(debt);
  }
  return senders;
}

function idsOf(debts: readonly Debt[]): string[] {
  return debts.map((debt) => debt.id);
}
