import { Type } from "@sinclair/typebox";
import { MIN_ID_PREFIX } from "../mail/address.ts";
import { MailroomError } from "../mail/errors.ts";
import { senderName } from "../mail/frame.ts";
import { quoted } from "../mail/plain-text.ts";
import { findSender } from "./deliver.ts";
import type { MailSession, OpenLetter } from "./mail-session.ts";
import type { MailSource } from "./mail-source.ts";
import { activeSession, refuseEmpty } from "./refusals.ts";
import { sendFrom } from "./sending.ts";
import { type ReplyDetails, toolRows } from "./tool-rows.ts";

export function replyTool(source: MailSource) {
  return {
    ...toolRows.reply,
    name: "session_mail_reply",
    label: "Answer an ask",
    description:
      "Answer one open ask that this session received, at once and without ending the turn; the asking session goes on with it. Requests are answered automatically by the final answer of the turn.",
    promptSnippet: "Answer an open ask of another Pi session at once",
    parameters: Type.Object({
      ask: Type.String({ description: "The id of the ask, as its mail gives it" }),
      message: Type.String({ description: "The answer" }),
    }),
    async execute(_id: string, { ask, message }: { ask: string; message: string }) {
      const session = activeSession(source.session());
      const letter = openAsk(session, ask.trim());
      refuseEmpty(message);
      const { id: askId, from } = letter.envelope;
      const { id } = sendFrom(session, {
        to: from,
        kind: "reply",
        hops: session.turn.hops,
        inReplyTo: [askId],
        status: "done",
        body: message,
      });
      letter.owes = false;
      if (letter.isRead) session.open.delete(askId);
      session.answered.add(askId);
      session.receipts.write({ id: askId, step: "answered", reply: id, status: "done" });
      const name = senderName(findSender(session, from));
      const details: ReplyDetails = { id, ask: askId, to: from, name };
      return { content: [{ type: "text" as const, text: `Answered ask ${askId} of ${from}.` }], details };
    },
  };
}

function openAsk(session: MailSession, id: string): OpenLetter {
  const open = [...session.open.values()].filter(({ envelope, owes }) => owes && envelope.kind === "ask");
  const meant = open.filter(({ envelope }) => envelope.id === id);
  const begins = id.length < MIN_ID_PREFIX ? [] : open.filter(({ envelope }) => envelope.id.startsWith(id));
  const [only, ...others] = meant.length > 0 ? meant : begins;
  if (only !== undefined && others.length === 0) return only;

  if (session.answered.has(id)) {
    throw new MailroomError("reply/already-answered", `Ask ${quoted(id)} is answered already.`, "Nothing was sent.");
  }
  const kind = session.received.get(id) ?? session.receivedBefore.get(id);
  if (kind === "ask") {
    throw new MailroomError("reply/already-answered", `Ask ${quoted(id)} is not open any more.`, "Nothing was sent.");
  }
  if (kind === undefined) {
    const ids = open.map(({ envelope }) => envelope.id).join(", ");
    throw new MailroomError(
      "reply/unknown-ask",
      `No ask with the id ${quoted(id)} reached this session.`,
      open.length === 0 ? "It has no open ask; nothing was sent." : `Its open asks: ${ids}. Nothing was sent.`,
    );
  }
  throw new MailroomError("reply/not-an-ask", `${quoted(id)} is a ${kind}, not an ask.`, REPLY_HINT[kind]);
}

const REPLY_HINT = {
  request: "The final answer of this turn goes back to its sender automatically; nothing was sent now.",
  message: "It expects no answer; session_mail_send to its sender writes back. Nothing was sent.",
  reply: "Replies are not answered; nothing was sent.",
} as const;
