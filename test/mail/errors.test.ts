import { expect, test } from "vitest";
import { type ErrorCode, EXIT_CODE, MailroomError } from "../../src/mail/errors.ts";

test("M-14: a refusal's message says what happened and then what to do, since a model sees nothing else", () => {
  const error = new MailroomError("send/hop-limit", "The chain has 5 hops.", "A person typing starts the count again.");
  expect(error.message).toBe("The chain has 5 hops. A person typing starts the count again.");
  expect(error).toMatchObject({
    code: "send/hop-limit",
    hint: "A person typing starts the count again.",
    name: "MailroomError",
  });
  expect(error).toBeInstanceOf(Error);
});

test("M-14: a refusal with nothing to do ends without a blank", () => {
  expect(new MailroomError("bug", "It broke.", "").message).toBe("It broke.");
});

test("R-8: a failure keeps the error of the system that it comes from", () => {
  const cause = new Error("ENOSPC");
  expect(new MailroomError("mail/not-written", "The disk is full.", "Make room.", { cause }).cause).toBe(cause);
  expect("cause" in new MailroomError("bug", "It broke.", "")).toBe(false);
});

test("M-14: every code ends a program with a number of sysexits, and only a bug with 70", () => {
  const codes = Object.entries(EXIT_CODE);
  expect(codes.length).toBeGreaterThan(10);
  for (const [code, exit] of codes) {
    expect(exit).toBeGreaterThanOrEqual(64);
    expect(exit).toBeLessThanOrEqual(78);
    expect(exit === 70).toBe(code === "bug");
    expect(code).toMatch(/^(bug|[a-z]+\/[a-z]+(-[a-z]+)*)$/);
  }
});

test.for([
  ["address/unknown", 67],
  ["address/ambiguous", 67],
  ["mail/empty", 65],
  ["mail/not-written", 73],
  ["send/hop-limit", 77],
  ["ask/cycle", 77],
  ["session/not-started", 75],
] as const satisfies readonly (readonly [ErrorCode, number])[])("M-14: %s ends a program with %i", ([code, exit]) => {
  expect(EXIT_CODE[code]).toBe(exit);
});
