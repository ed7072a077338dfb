import { Type } from "@sinclair/typebox";
import { senderName } from "../mail/frame.ts";
import { findRunning } from "../maildir/running.ts";
import { findSender } from "./deliver.ts";
import type { MailSource } from "./mail-source.ts";
import { activeSession, refuseAtHopLimit, refuseEmpty, resolveReceiver } from "./refusals.ts";
import { sendFrom } from "./sending.ts";
import { type SendDetails, toolRows } from "./tool-rows.ts";

export function sendTool(source: MailSource) {
  return {
    ...toolRows.send,
    name: "session_mail_send",
    label: "Send mail",
    description:
      "Send a message to another Pi session; it expects no answer. A running session gets it at once and starts or continues a turn with it; a closed session, reached by its full id, reads it when it is resumed.",
    promptSnippet: "Send a message to another Pi session, expecting no answer",
    parameters: Type.Object({
      to: Type.String({ description: "Session name, full id, or the first 8 or more characters of an id" }),
      message: Type.String({ description: "The text" }),
    }),
    async execute(_id: string, { to, message }: { to: string; message: string }) {
      const session = activeSession(source.session());
      refuseEmpty(message);
      const address = resolveReceiver(session.root(), session.address, to);
      refuseAtHopLimit(session);
      const { id } = sendFrom(session, { to: address, kind: "message", hops: session.turn.hops, body: message });
      const running = findRunning(session.root(), address) !== undefined;
      const name = senderName(findSender(session, address));
      const details: SendDetails = { id, to: address, name, running };
      const waits = running ? "" : " That session is not running; the message waits until it is resumed.";
      return { content: [{ type: "text" as const, text: `Sent message ${id} to ${address}.${waits}` }], details };
    },
  };
}
