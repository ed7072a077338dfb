import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";

/** What every host offers. */
type Promised = "events" | "on" | "registerCommand" | "registerTool" | "sendMessage";
/** What newer or fuller hosts offer, and is used where it is there. */
type Offered = "getAllTools" | "getCommands" | "getSessionName" | "registerMessageRenderer";

/** Pi, as far as mail uses it. */
export type Host = Pick<ExtensionAPI, Promised> & Partial<Pick<ExtensionAPI, Offered>>;

/** A moment of a session. Goes stale when Pi replaces the session, so it is never kept beyond that. */
export interface HostContext {
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly mode?: ExtensionContext["mode"];
  readonly signal?: AbortSignal | undefined;
  readonly isIdle?: () => boolean;
  readonly sessionManager: Pick<ExtensionContext["sessionManager"], "getSessionId"> &
    Partial<Pick<ExtensionContext["sessionManager"], "getBranch" | "getEntries" | "getSessionName">>;
  readonly ui: Pick<ExtensionContext["ui"], "notify" | "setStatus"> &
    Partial<Pick<ExtensionContext["ui"], "select" | "editor">>;
}

/** Oldest Pi whose runs tell when they have settled. */
const OLDEST_PI = [0, 80, 4] as const;
/** First Pi on which a message for no turn, sent during a run, really costs none. */
const FIRST_QUIET_PI = [1, 0, 0] as const;

export const OLDEST_PI_TEXT = OLDEST_PI.join(".");

export interface HostTraits {
  /** False: runs do not tell when they settle, so nothing can be answered. */
  readonly tellsSettled: boolean;
  /** Mail for no turn may be handed over during a run; otherwise it has to wait until the run has settled. */
  readonly staysQuietInRun: boolean;
}

/** @param version of Pi, such as "1.6.0"; a text that is no version counts as current. */
export function hostTraits(version: string): HostTraits {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  return {
    tellsSettled: numbers === undefined || isAtLeast(numbers, OLDEST_PI),
    staysQuietInRun: numbers === undefined || isAtLeast(numbers, FIRST_QUIET_PI),
  };
}

function isAtLeast(version: readonly number[], wanted: readonly number[]): boolean {
  for (const [at, number] of wanted.entries()) {
    const difference = (version[at] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
