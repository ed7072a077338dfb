import { expect, test } from "vitest";
import { footerText } from "../../src/mail/footer.ts";

test.for([
  [0, 0, 0, undefined],
  [1, 2, 3, "✉ 1 pending · 2 read · 3 awaiting"],
  [1, 0, 0, "✉ 1 pending"],
  [0, 2, 0, "✉ 2 read"],
  [0, 0, 3, "✉ 3 awaiting"],
  [1, 2, 0, "✉ 1 pending · 2 read"],
  [1, 0, 3, "✉ 1 pending · 3 awaiting"],
  [0, 2, 3, "✉ 2 read · 3 awaiting"],
  [12, 3456, 100, "✉ 12 pending · 3456 read · 100 awaiting"],
] as const)("M-19: with %i pending, %i read and %i awaiting the footer is %s", ([pending, read, awaiting, text]) => {
  expect(footerText({ pending, read, awaiting })).toBe(text);
});
