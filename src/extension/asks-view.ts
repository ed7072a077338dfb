import { shortId } from "../mail/address.ts";
import { timeLeftText } from "../mail/age.ts";
import type { DigestedMail } from "../mail/mail-digest.ts";
import { plainLine } from "../mail/plain-text.ts";
import { type WaitLine, waitLines } from "../mail/wait-graph.ts";
import { peekRunning } from "../maildir/running.ts";
import { ASK_LIMIT_MS } from "./asking.ts";
import { sessionLabels } from "./list-tool.ts";
import { mailLine, surveyRoot } from "./mail-overview.ts";

const MOST_LISTED = 20;

const END_NOTE = {
  cycle: "DEADLOCK: nobody in this circle can answer",
  gone: "the last one is not running",
  stalled: "the last one is idle and owes the answer",
  moving: "the last one is at work",
} as const satisfies Record<WaitLine["end"], string>;

/** Who waits on whom, with the time left, and the open requests and asks of all mailboxes. */
export async function asksText(root: string, nowMs: number): Promise<string> {
  const running = peekRunning(root);
  const { open } = await surveyRoot(root);
  const labels = sessionLabels(running);
  const named = (address: string): string => labels.get(address) ?? plainLine(shortId(address));
  const lines = waitLines(running).map(({ addresses, end }) => {
    const steps = addresses.map((address, at) => {
      const next = addresses[at + 1];
      return next === undefined ? named(address) : `${named(address)} ─${timeLeft(open, address, next, nowMs)}→ `;
    });
    return `  ${steps.join("")}   ${END_NOTE[end]}`;
  });
  const listed = open.slice(0, MOST_LISTED).map((mail) => `  ${mailLine(mail, "both", named, nowMs)}`);
  const rest = open.length - listed.length;
  return [
    lines.length === 0 ? "Nobody waits on anybody." : "Waiting:",
    ...lines,
    open.length === 0 ? "No request or ask is open." : `Open requests and asks (${open.length}), oldest first:`,
    ...listed,
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ].join("\n");
}

/** Of the newest ask between the two: the running record does not say which ask it is. */
function timeLeft(open: readonly DigestedMail[], from: string, to: string, nowMs: number): string {
  const ask = open.findLast(({ envelope }) => envelope?.kind === "ask" && envelope.from === from && envelope.to === to);
  return ask === undefined ? "?" : timeLeftText(ask.sentMs + ASK_LIMIT_MS - nowMs);
}
