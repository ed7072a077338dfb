import { footerText } from "../mail/footer.ts";
import type { MailSession } from "./mail-session.ts";

const STATUS_KEY = "mailbox";
/** Files read in one go, so that a large mailbox never holds up the session for long. */
const FILES_A_STEP = 100;

/** Shows the counts as they are, when they changed and somebody sees them. */
export function refreshFooter(session: MailSession): void {
  if (!session.isActive) return;
  try {
    if (!session.ctx.hasUI) return;
    const { waiting, read, awaiting = 0 } = session.counter.counts();
    const text = footerText({ pending: waiting + session.turn.shown, read, awaiting });
    if (text === session.footer) return;
    session.footer = text;
    session.ctx.ui.setStatus(STATUS_KEY, text);
  } catch (error) {
    session.warnOnce(
      "footer",
      `The mail counts can not be shown: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Takes in what others changed in the mailbox, step by step with breaks, then shows the counts. */
export function recount(session: MailSession): void {
  if (!session.isActive) return;
  let hasMore = false;
  try {
    if (!session.ctx.hasUI) return;
    hasMore = session.counter.catchUp(FILES_A_STEP);
  } catch (error) {
    session.warnOnce("count", `The mail can not be counted: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (hasMore) setImmediate(() => recount(session));
  else refreshFooter(session);
}

export function clearFooter(session: MailSession): void {
  if (session.footer === undefined || !session.ctx.hasUI) return;
  session.footer = undefined;
  session.ctx.ui.setStatus(STATUS_KEY, undefined);
}
