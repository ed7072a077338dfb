import { shortId } from "../mail/address.ts";
import { ageText } from "../mail/age.ts";
import { type DigestedMail, digestMail, openMail } from "../mail/mail-digest.ts";
import { plainExcerpt, plainLine } from "../mail/plain-text.ts";
import { standings } from "../mail/receipts.ts";
import { mailboxAt } from "../maildir/mailbox.ts";
import { readReceipts } from "../maildir/receipts-file.ts";
import { peekRunning } from "../maildir/running.ts";
import { mailboxAddresses, type SurveyedMail, surveyMail, surveyMailbox } from "../maildir/survey.ts";
import { inSteps } from "./in-steps.ts";
import { sessionLabels } from "./list-tool.ts";
import type { MailSession } from "./mail-session.ts";

/** Letters listed under one heading; the rest is counted. */
const MOST_LISTED = 10;
const EXCERPT = 60;

/** What a session's own mail looks like now: its turn, what waits, what it owes, and what it waits for. */
export async function overviewText(
  root: string,
  self: string,
  session: MailSession | undefined,
  nowMs: number,
): Promise<string> {
  const mail = digest(root, await inSteps(surveyMailbox(mailboxAt(root, self))));
  const labels = sessionLabels(peekRunning(root));
  const named = (address: string): string => labels.get(address) ?? plainLine(shortId(address));
  const listed = (heading: string, states: readonly string[], other: "from" | "to"): string[] => {
    const some = mail.filter(({ state }) => states.includes(state)).sort((a, b) => a.sentMs - b.sentMs);
    if (some.length === 0) return [];
    const lines = some.slice(0, MOST_LISTED).map((one) => `  ${mailLine(one, other, named, nowMs)}`);
    const rest = some.length - lines.length;
    return [`${heading} (${some.length}):`, ...lines, ...(rest > 0 ? [`  … and ${rest} more`] : [])];
  };
  const turn =
    session === undefined
      ? []
      : [
          `This turn: ${session.turn.hops} of ${session.settings().hopLimit} hops, ${session.turn.isRunning ? "running" : "idle"}`,
        ];
  const waits =
    session?.ask === undefined ? [] : [`Waits for ${named(session.ask.to)} to answer ask ${session.ask.id}`];
  const lists = [
    ...listed("Waiting in the inbox", ["waiting"], "from"),
    ...listed("Claimed, not yet in the conversation", ["claimed"], "from"),
    ...listed("Read, answer owed", ["owed"], "from"),
    ...listed("Held since the user took over", ["held"], "from"),
    ...listed("Awaiting an answer", ["awaiting"], "to"),
    ...listed("For nobody that was ever seen", ["undeliverable"], "to"),
    ...listed("Set aside", ["set aside"], "from"),
  ];
  const quiet = lists.length === 0 ? ["Nothing waits, nothing is owed, nothing is awaited."] : lists;
  return [`Mailbox ${self}`, ...turn, ...waits, ...quiet].join("\n");
}

/** All mail of the root with its states, and the requests and asks in it that nobody has answered. */
export async function surveyRoot(root: string): Promise<{ mail: DigestedMail[]; open: DigestedMail[] }> {
  const mail = digest(root, await inSteps(surveyMail(root)));
  return { mail, open: openMail(mail) };
}

/** One letter in one line: state, kind, whom it is from or to, age, hops, its id, and how it begins. */
export function mailLine(
  { envelope, state, sentMs, path }: DigestedMail,
  other: "from" | "to" | "both",
  named: (address: string) => string,
  nowMs: number,
): string {
  if (envelope === undefined) return `${plainLine(path)}`;
  const { id, from, to, kind, hops, body } = envelope;
  const who =
    other === "both" ? `${named(from)} → ${named(to)}` : other === "from" ? `from ${named(from)}` : `to ${named(to)}`;
  const chain = hops > 0 ? `, hops ${hops}` : "";
  const shown = other === "both" ? `${state}: ` : "";
  return `${shown}${kind} ${who}, ${ageText(sentMs, nowMs)}${chain}, ${plainLine(id)}: ${plainExcerpt(body, EXCERPT)}`;
}

function digest(root: string, copies: readonly SurveyedMail[]): DigestedMail[] {
  const known = new Set([...mailboxAddresses(root), ...peekRunning(root).map(({ address }) => address)]);
  const receipts = new Map<string, ReturnType<typeof standings> | undefined>();
  return digestMail(copies, {
    isKnown: (address) => known.has(address),
    standings: (address) => {
      if (!receipts.has(address)) receipts.set(address, standings(readReceipts(mailboxAt(root, address))));
      return receipts.get(address);
    },
  });
}
