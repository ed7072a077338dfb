import { NOTHING_SEEN } from "../mail/run-outcome.ts";
import { letterId, resultLetterId } from "./conversation.ts";
import { markRead } from "./deliver.ts";
import { refreshFooter } from "./footer-line.ts";
import type { Host, HostContext } from "./host.ts";
import type { MailSession } from "./mail-session.ts";
import { announce } from "./presence.ts";
import { settleRun, settleStoppedPart } from "./settlement.ts";

/** Does work for the session that a host event is about; nothing when there is none. */
type ForSession = (ctx: HostContext, work: (session: MailSession) => void) => void;

/** Follows the host's runs: what they read, how they end, who types, and how the session is called. */
export function followRuns(host: Host, forSession: ForSession): void {
  host.on("input", (_event, ctx) => {
    forSession(ctx, ({ turn }) => {
      turn.hops = 0;
    });
  });
  host.on("session_info_changed", ({ name }, ctx) => {
    forSession(ctx, (session) => {
      session.name = name === "" ? undefined : name;
      announce(session);
    });
  });
  host.on("agent_start", (_event, ctx) => {
    forSession(ctx, (session) => {
      const { turn } = session;
      if (turn.isRunning && turn.seen.sawAbort) settleStoppedPart(session);
      // Within one run until it settles, a retry starts again: an error before it is no outcome.
      turn.seen = turn.isRunning ? { ...turn.seen, stopReason: "", errorMessage: "" } : NOTHING_SEEN;
      turn.isRunning = true;
      announce(session);
    });
  });
  host.on("message_end", ({ message }, ctx) => {
    forSession(ctx, (session) => {
      noteAbort(session, ctx);
      if (message.role === "custom") noteRead(session, letterId(message));
      else if (message.role === "toolResult") noteRead(session, resultLetterId(message));
      else if (message.role === "assistant") noteAnswer(session, message);
    });
  });
  host.on("turn_end", (event, ctx) => {
    forSession(ctx, (session) => {
      noteAbort(session, ctx);
      session.turn.queued = queuedLetters(event);
    });
  });
  host.on("agent_end", (_event, ctx) => {
    forSession(ctx, (session) => noteAbort(session, ctx));
  });
  host.on("agent_settled", (event, ctx) => {
    forSession(ctx, (session) => {
      settleRun(session, (event as { aborted?: boolean } | undefined)?.aborted);
      refreshFooter(session);
    });
  });
}

/** The letters that wait in the host's queue as a turn ends; undefined on hosts that do not tell. */
function queuedLetters(event: object | undefined): Set<string> | undefined {
  const messages = (event as { context?: { pendingMessages?: unknown } } | undefined)?.context?.pendingMessages;
  return Array.isArray(messages) ? new Set(messages.flatMap((message) => letterId(message) ?? [])) : undefined;
}

function noteAbort({ turn }: MailSession, ctx: HostContext): void {
  if (ctx.signal?.aborted === true) turn.seen = { ...turn.seen, sawAbort: true };
}

function noteRead(session: MailSession, id: string | undefined): void {
  const letter = id === undefined ? undefined : session.open.get(id);
  if (letter !== undefined) markRead(session, letter);
  else if (id !== undefined && session.answered.has(id)) session.receipts.write({ id, step: "read" });
}

function noteAnswer(
  { turn }: MailSession,
  message: { readonly content: unknown; readonly stopReason?: unknown; readonly errorMessage?: unknown },
): void {
  const lastText = textOf(message.content);
  turn.seen = {
    ...turn.seen,
    stopReason: typeof message.stopReason === "string" ? message.stopReason : "",
    errorMessage: typeof message.errorMessage === "string" ? message.errorMessage : "",
    lastText,
    lastTextSeen: lastText.trim() === "" ? turn.seen.lastTextSeen : lastText,
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => {
      const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
      return type === "text" && typeof text === "string" ? text : "";
    })
    .join("");
}
