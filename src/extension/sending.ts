import { basename } from "node:path";
import type { Envelope } from "../mail/envelope.ts";
import { type Outgoing, sendMail } from "../maildir/send.ts";
import { refreshFooter } from "./footer-line.ts";
import type { MailSession } from "./mail-session.ts";

/** Writes mail of this session and counts its copy. @throws MailroomError as `sendMail` does; nothing is left then */
export function sendFrom(session: MailSession, outgoing: Omit<Outgoing, "from">): Envelope {
  const { counter } = session;
  const { envelope, copyPath } = counter.ownChange("sent", () =>
    sendMail(session.post(), { ...outgoing, from: session.address }),
  );
  if (copyPath !== undefined) counter.noteSent(basename(copyPath), envelope);
  refreshFooter(session);
  return envelope;
}
