import type { RunEnd } from "./answers.ts";

/** What was seen of a run: everything that tells how it ended, on hosts that say it and on hosts that do not. */
export interface RunSightings {
  /** The abort signal was seen aborted while the run's messages ended. */
  readonly sawAbort: boolean;
  /** Stop reason of the last assistant message; "" when the run had none. */
  readonly stopReason: string;
  /** Its error message; "" when it has none. */
  readonly errorMessage: string;
  /** Text of the last assistant message. */
  readonly lastText: string;
  /** Text of the last assistant message that has any. */
  readonly lastTextSeen: string;
}

export const NOTHING_SEEN: RunSightings = {
  sawAbort: false,
  stopReason: "",
  errorMessage: "",
  lastText: "",
  lastTextSeen: "",
};

/**
 * How a run ended. An abort is looked for before an error, since a tool that is aborted leaves an assistant message that
 * reads "error" on some hosts.
 * @param aborted what the settle event says; undefined on hosts whose event does not.
 */
export function runEnd(seen: RunSightings, aborted: boolean | undefined): RunEnd {
  const stopped = aborted ?? (seen.sawAbort || seen.stopReason === "aborted");
  const failed = !stopped && seen.stopReason === "error";
  return {
    outcome: stopped ? "stopped" : failed ? "failed" : "done",
    answer: seen.lastText,
    partial: seen.lastTextSeen,
    error: failed ? seen.errorMessage : "",
  };
}
