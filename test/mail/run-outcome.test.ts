import fc from "fast-check";
import { expect, test } from "vitest";
import { NOTHING_SEEN, type RunSightings, runEnd } from "../../src/mail/run-outcome.ts";

const CASES: readonly (readonly [
  what: string,
  seen: Partial<RunSightings>,
  aborted: boolean | undefined,
  outcome: string,
])[] = [
  ["a normal end", { stopReason: "stop" }, false, "done"],
  ["a normal end on a host that does not say", { stopReason: "stop" }, undefined, "done"],
  ["an end at the token limit", { stopReason: "length" }, undefined, "done"],
  ["a run without an assistant message", {}, undefined, "done"],
  ["an error", { stopReason: "error", errorMessage: "overloaded" }, false, "failed"],
  ["an error on a host that does not say", { stopReason: "error" }, undefined, "failed"],
  ["an abort in the text", { stopReason: "aborted", sawAbort: true }, true, "stopped"],
  ["an abort in the text on a host that does not say", { stopReason: "aborted" }, undefined, "stopped"],
  ["an abort in a tool that reads as an error", { stopReason: "error", sawAbort: true }, undefined, "stopped"],
  ["an abort in a tool, said by the host", { stopReason: "error" }, true, "stopped"],
  [
    "an abort in a pause before a retry, said by the host",
    { stopReason: "error", errorMessage: "429" },
    true,
    "stopped",
  ],
  ["an abort whose signal alone was seen", { sawAbort: true }, undefined, "stopped"],
  ["an earlier abort that the host says did not end the run", { stopReason: "stop", sawAbort: true }, false, "done"],
];

test.for(CASES)("M-10: %s", ([, seen, aborted, outcome]) => {
  expect(runEnd({ ...NOTHING_SEEN, ...seen }, aborted).outcome).toBe(outcome);
});

test("M-10: the answer is the last message's text alone, the partial text the last there was, the error a failure's", () => {
  const seen = { sawAbort: false, stopReason: "error", errorMessage: "overloaded", lastText: "", lastTextSeen: "Half" };
  expect(runEnd(seen, false)).toEqual({ outcome: "failed", answer: "", partial: "Half", error: "overloaded" });
  expect(runEnd(seen, true)).toEqual({ outcome: "stopped", answer: "", partial: "Half", error: "" });
  expect(runEnd({ ...seen, stopReason: "stop", lastText: "All" }, false)).toEqual({
    outcome: "done",
    answer: "All",
    partial: "Half",
    error: "",
  });
});

test("M-10: what the host says of an abort counts more than what was seen", () => {
  const sightings = fc.record({
    sawAbort: fc.boolean(),
    stopReason: fc.constantFrom("", "stop", "error", "aborted", "toolUse", "length"),
    errorMessage: fc.string(),
    lastText: fc.string(),
    lastTextSeen: fc.string(),
  });
  fc.assert(
    fc.property(sightings, fc.boolean(), (seen, aborted) => {
      expect(runEnd(seen, aborted).outcome === "stopped").toBe(aborted);
    }),
  );
});
