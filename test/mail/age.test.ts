import { expect, test } from "vitest";
import { ageText, timeLeftText } from "../../src/mail/age.ts";

const NOW = Date.parse("2026-05-05T12:00:00Z");
const MINUTE = 60_000;

test.for([
  [59_999, "now"],
  [MINUTE, "1m"],
  [59 * MINUTE, "59m"],
  [60 * MINUTE, "1h"],
  [24 * 60 * MINUTE - 1, "23h"],
  [24 * 60 * MINUTE, "1d"],
  [400 * 24 * 60 * MINUTE, "400d"],
  [-10 * 365 * 24 * 60 * MINUTE, "now"],
] as const)("M-22, R-9: mail of %i ms ago is %s old", ([agoMs, text]) => {
  expect(ageText(NOW - agoMs, NOW)).toBe(text);
});

test("R-9: mail without a readable date says so", () => {
  expect(ageText(0, NOW)).toBe("no date");
});

test.for([
  [432_000, "7:12"],
  [600_000, "10:00"],
  [1, "0:01"],
  [0, "0:00"],
  [-5_000, "0:00"],
] as const)("M-22: %i ms left of an ask read %s", ([leftMs, text]) => {
  expect(timeLeftText(leftMs)).toBe(text);
});
