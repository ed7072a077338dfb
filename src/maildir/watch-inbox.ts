import { type FSWatcher, statSync, watch } from "node:fs";

/** How often a folder is looked at whatever the watcher says, in ms: events get lost, and some folders have none. */
export const POLL_MS = 1_000;

export interface InboxWatch {
  /** Ends watcher and timer. Nothing is called after this. */
  close(): void;
}

/**
 * Calls `onChange` after any event in a folder and at every poll. A watcher that fails, or whose folder was replaced, is
 * made again at the next poll. Neither watcher nor timer keeps the process alive.
 * @param onChange must not throw.
 */
export function watchInbox(folder: string, onChange: (cause: "event" | "poll") => void): InboxWatch {
  let watcher: FSWatcher | undefined;
  let watchedInode: number | undefined;
  let isOpen = true;

  const stopWatching = (): void => {
    const ending = watcher;
    watcher = undefined;
    watchedInode = undefined;
    ending?.close();
  };
  const startWatching = (): void => {
    const inode = inodeOf(folder);
    if (inode === watchedInode) return;
    stopWatching();
    if (inode === undefined) return;
    try {
      watcher = watch(folder, { persistent: false }, () => {
        if (isOpen) onChange("event");
      });
      watcher.on("error", stopWatching);
      watchedInode = inode;
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

function inodeOf(folder: string): number | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}
