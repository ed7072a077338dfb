import { type Address, type AddressFault, resolveAddress } from "../mail/address.ts";
import { MailroomError } from "../mail/errors.ts";
import { isAtHopLimit } from "../mail/hops.ts";
import { plainLine, quoted } from "../mail/plain-text.ts";
import { listRunning } from "../maildir/running.ts";
import type { MailSession } from "./mail-session.ts";

/** The address that `to` means now. @throws MailroomError address/unknown, address/ambiguous, address/self */
export function resolveReceiver(root: string, self: Address, to: string): Address {
  const found = resolveAddress(to, { self, running: listRunning(root) });
  if (found.ok) return found.value;
  throw addressError(found.error);
}

/** @throws MailroomError mail/empty */
export function refuseEmpty(text: string): void {
  if (text.trim() === "") {
    throw new MailroomError("mail/empty", "The text is empty.", "Write what the other session is to read.");
  }
}

/** @throws MailroomError send/hop-limit */
export function refuseAtHopLimit(session: MailSession): void {
  const { hopLimit } = session.settings();
  const { hops } = session.turn;
  if (!isAtHopLimit(hops, hopLimit)) return;
  throw new MailroomError(
    "send/hop-limit",
    `Mail has woken sessions ${hops} times in this chain with no person typing, and the hop limit is ${hopLimit}, so nothing was sent.`,
    "Finish this turn without sending; when a person types in either session, the count starts again at 0.",
  );
}

/** The session that a tool or command acts for. @throws MailroomError session/not-started */
export function activeSession(session: MailSession | undefined): MailSession {
  if (session?.isActive === true) return session;
  throw new MailroomError("session/not-started", "This session has no mailbox yet.", "Try again once it has started.");
}

function addressError(fault: AddressFault): MailroomError {
  const to = quoted(fault.to);
  switch (fault.code) {
    case "address/unknown":
      return new MailroomError(
        "address/unknown",
        `No running session is called ${to} or has an id that begins so.`,
        "session_mail_list shows the running ones; a closed session is reached by its full id.",
      );
    case "address/self":
      return new MailroomError("address/self", `${to} is this session, which can not send mail to itself.`, "");
    case "address/ambiguous": {
      const candidates = fault.candidates.map(({ name, address }) =>
        name === undefined ? address : `${plainLine(name)} (${address})`,
      );
      return new MailroomError(
        "address/ambiguous",
        `${to} means ${candidates.length} sessions: ${candidates.join(", ")}.`,
        "Use one of the full ids.",
      );
    }
    default:
      return fault satisfies never;
  }
}
