import { isAddress } from "../mail/address.ts";
import { plainLine, quoted } from "../mail/plain-text.ts";
import { isOpenToOthers, openMailRoot } from "../maildir/mail-root.ts";
import { boxPath, ensureBoxes } from "../maildir/mailbox.ts";
import { pruneFolders } from "../maildir/prune-folders.ts";
import { watchInbox } from "../maildir/watch-inbox.ts";
import { clearFooter, recount, refreshFooter } from "./footer-line.ts";
import type { Host, HostContext } from "./host.ts";
import { rereadUnfinished, scanInbox } from "./inbox.ts";
import { MailSession } from "./mail-session.ts";
import { postUnsent } from "./outbox.ts";
import { announce, announceIfForgotten, runsElsewhere, withdraw } from "./presence.ts";
import { recover } from "./recovery.ts";
import { settleForGood } from "./settlement.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * Opens a session's mailbox: record, watcher, and, once `session_start` has returned, what earlier lives left, the
 * waiting mail, the counts and the pruning.
 * @param reason of Pi's `session_start`.
 * @returns undefined for a session whose id can not be an address; the person is told.
 */
export function openSession(
  host: Host,
  around: Surroundings,
  ctx: HostContext,
  reason: string,
): MailSession | undefined {
  const address = ctx.sessionManager.getSessionId();
  if (!isAddress(address)) {
    if (ctx.hasUI)
      ctx.ui.notify(`This session has no mail: its id ${quoted(address)} can not be an address.`, "warning");
    return undefined;
  }
  const session = new MailSession(host, around, ctx, address);
  session.name = host.getSessionName?.() ?? ctx.sessionManager.getSessionName?.();
  const isElsewhere = runsElsewhere(session);
  // Before the boxes: a pruning that still sees no record takes an old folder away, and the boxes are made after that.
  announce(session);
  try {
    openMailRoot(session.root());
    ensureBoxes(session.mailbox());
  } catch (error) {
    // Mail still works once this is mended: every step makes what it needs.
    session.warnOnce("open", error instanceof Error ? error.message : String(error));
  }
  warnIfOpen(session);
  session.watch = watchInbox(boxPath(session.mailbox(), "new"), (cause) =>
    guarded(session, () => look(session, cause)),
  );
  setImmediate(() =>
    guarded(session, () => {
      if (isElsewhere) {
        session.warnOnce("twice", "Another process runs this session too. Each letter goes to one of the two.");
      } else recover(session, reason === "reload");
      scanInbox(session);
      refreshFooter(session);
      setImmediate(() => guarded(session, () => tidy(session)));
    }),
  );
  return session;
}

/** Takes up a new moment of a session that is open already. */
export function continueSession(session: MailSession, ctx: HostContext): void {
  session.ctx = ctx;
  announce(session);
}

/**
 * Ends a session: everybody who still waits for an answer is told, unless it only reloads. Afterwards neither host nor
 * context is used.
 */
export function closeSession(session: MailSession, reason: string): void {
  session.watch?.close();
  session.ask?.stop();
  guarded(session, () => {
    if (reason !== "reload") settleForGood(session);
    postUnsent(session);
    session.receipts.flush();
    clearFooter(session);
  });
  withdraw(session);
  session.isActive = false;
}

/** What happens inside timers, watchers and events ends there: a throw would end Pi. */
export function guarded(session: MailSession, work: () => void): void {
  if (!session.isActive) return;
  try {
    work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    session.warnOnce(`failed ${why}`, `The mailbox ran into trouble and goes on: ${why}`);
  }
}

function look(session: MailSession, cause: "event" | "poll"): void {
  scanInbox(session);
  if (cause === "event") {
    refreshFooter(session);
    return;
  }
  rereadUnfinished(session);
  postUnsent(session);
  session.receipts.flush();
  announceIfForgotten(session);
  recount(session);
}

function tidy(session: MailSession): void {
  recount(session);
  const { pruneAfterDays } = session.settings();
  pruneFolders({
    root: session.root(),
    self: session.address,
    nowMs: session.around.now(),
    olderThanDays: pruneAfterDays,
    uuid: session.around.uuid,
  });
}

function warnIfOpen(session: MailSession): void {
  const { path } = session.mailbox();
  if (!isOpenToOthers(path)) return;
  session.warnOnce(
    "open to others",
    `Other users can read this session's mail. Close it with: chmod 700 ${plainLine(path)}`,
  );
}
