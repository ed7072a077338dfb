import { expect, test } from "vitest";
import { err, ok } from "../../src/mail/result.ts";

test("M-3: what is read is a value or a fault, told apart by `ok`, also when the value is nothing", () => {
  expect(ok(1)).toEqual({ ok: true, value: 1 });
  expect(err("why")).toEqual({ ok: false, error: "why" });
  expect([ok(undefined).ok, ok(false).ok, err(undefined).ok]).toEqual([true, true, false]);
});
