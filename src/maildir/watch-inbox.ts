import { type FSWatcher, statSync, watch } from "node:fs";

/** How often a folder is looked at whatever the watcher says, in ms: events get lost, and some folders have none. */
export const POLL_MS = 1_000;

export interface InboxWatch {
  /** Ends watcher and timer. Nothing is called after this. */
  close(): void;
}

/**
 * Calls `onChange` after any event in a folder and at every poll; once for events that come together, since each look
 * sees them all and a crowd of senders makes thousands. A watcher that fails, or whose folder was replaced, is
 * made again at the next poll. Neither watcher nor timer keeps the process alive.
 * @param onChange must not throw.
 */
export function watchInbox(folder: string, onChange: (cause: "event" | "poll") => void): InboxWatch {
  let watcher: FSWatcher | undefined;
  let watched: string | undefined;
  let isOpen = true;
  let isCalled = false;

  const callSoon = (): void => {
    if (isCalled) return;
    isCalled = true;
    setImmediate(() => {
      isCalled = false;
      if (isOpen) onChange("event");
    });
  };
  const stopWatching = (): void => {
    const ending = watcher;
    watcher = undefined;
    watched = undefined;
    ending?.close();
  };
  const startWatching = (): void => {
    const found = identityOf(folder);
    if (found === watched) return;
    stopWatching();
    if (found === undefined) return;
    try {
      const started = watch(folder, { persistent: false }, callSoon);
      started.on("error", () => {
        if (watcher === started) stopWatching();
      });
      watcher = started;
      watched = found;
    } catch {
      // Out of watches or descriptors: the polls serve until there is one again.
      stopWatching();
    }
  };

  startWatching();
  const timer = setInterval(() => {
    startWatching();
    onChange("poll");
  }, POLL_MS);
  timer.unref();
  return {
    close() {
      isOpen = false;
      clearInterval(timer);
      stopWatching();
    },
  };
}

/** Tells a folder from one that was made anew: its inode alone does not, since a new folder often gets the one just freed. */
function identityOf(folder: string): string | undefined {
  try {
    const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`;
  } catch {
    return undefined;
  }
}
