import { Type } from "@sinclair/typebox";
import { isStatus } from "../mail/envelope.ts";
import { frameAnswer, senderName } from "../mail/frame.ts";
import { type AskEnd, askSession } from "./asking.ts";
import { findSender } from "./deliver.ts";
import type { MailSession } from "./mail-session.ts";
import type { MailSource } from "./mail-source.ts";
import { activeSession, refuseAtHopLimit, refuseEmpty, resolveReceiver } from "./refusals.ts";
import { type AskDetails, toolRows } from "./tool-rows.ts";

export function askTool(source: MailSource) {
  return {
    ...toolRows.ask,
    name: "session_mail_ask",
    label: "Ask a session",
    description:
      "Ask another running Pi session a question and wait for its answer, at most 10 minutes. The result is the answer with its status; stopped and failed are no answers. Refused when that session waits on this one, directly or round others.",
    promptSnippet: "Ask another running Pi session and wait for its answer",
    parameters: Type.Object({
      to: Type.String({ description: "Session name, full id, or the first 8 or more characters of an id" }),
      message: Type.String({ description: "The question, with all that is needed to answer it" }),
    }),
    async execute(_id: string, { to, message }: { to: string; message: string }, signal: AbortSignal | undefined) {
      const session = activeSession(source.session());
      refuseEmpty(message);
      const address = resolveReceiver(session.root(), session.address, to);
      refuseAtHopLimit(session);
      const asked = askSession(session, address, message, signal);
      const name = senderName(findSender(session, address));
      const end = await asked.end;
      return {
        content: [{ type: "text" as const, text: endText(session, asked.id, address, end) }],
        details: { ...askDetails(asked.id, address, end), name },
      };
    },
  };
}

function askDetails(id: string, to: string, end: AskEnd): AskDetails {
  if (end.type !== "answer") return { id, to, outcome: end.type };
  const { id: reply, status, from } = end.envelope;
  return { id, to, outcome: isStatus(status) ? status : "failed", from, reply };
}

function endText(session: MailSession, id: string, to: string, end: AskEnd): string {
  switch (end.type) {
    case "answer": {
      const { envelope, path } = end;
      const sender = findSender(session, envelope.from);
      return frameAnswer({ envelope, sender, path, answers: [], isLateAnswer: false, isRepeated: false }).text;
    }
    case "no answer yet":
      return `There is no answer yet to ask ${id}: ${to} did not give one within 10 minutes. If it still comes, it starts a turn here.`;
    case "stopped running":
      return `The session ${to} stopped running before it answered ask ${id}. If it is resumed and still answers, the answer starts a turn here.`;
    case "stopped by user":
      return `The user stopped the wait for ask ${id} to ${to}. If the answer still comes, it starts a turn here.`;
    default:
      return end satisfies never;
  }
}
