import type { RunningRecord } from "../mail/running-record.ts";
import { findRunning, hasRecord, removeRecord, writeRecord } from "../maildir/running.ts";
import type { MailSession } from "./mail-session.ts";

/** Writes this session's running record as things stand now. A failure is said once: mail works without the record. */
export function announce(session: MailSession): void {
  if (!session.isActive) return;
  const { around, address, name, ctx, started } = session;
  const record: RunningRecord = {
    address,
    ...(name === undefined ? {} : { name }),
    cwd: ctx.cwd,
    pid: around.pid,
    state: session.turn.isRunning ? "busy" : "idle",
    waitingOn: session.ask?.to ?? "",
    updated: session.nowText(),
    ...(started === undefined ? {} : { started }),
  };
  try {
    writeRecord(session.root(), record);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    session.warnOnce(
      "record",
      `Other sessions can not see this one, since its running record can not be written: ${why}`,
    );
  }
}

/** Writes the record again when somebody removed it. */
export function announceIfForgotten(session: MailSession): void {
  if (!hasRecord(session.root(), session.address)) announce(session);
}

export function withdraw(session: MailSession): void {
  try {
    removeRecord(session.root(), session.address, session.around.pid);
  } catch {
    // Left behind, it names a process that is gone, and whoever reads it removes it.
  }
}

/** True when another living process runs a session with this address. */
export function runsElsewhere(session: MailSession): boolean {
  const record = findRunning(session.root(), session.address);
  return record !== undefined && record.pid !== session.around.pid;
}
