import { expect, test } from "vitest";
import { waitFor } from "./wait-for.ts";

test("the first truthy value is returned, and errors before it do not count", async () => {
  let calls = 0;
  const value = await waitFor(
    () => {
      calls += 1;
      if (calls === 1) throw new Error("not there");
      return calls === 3 && { calls };
    },
    { what: "the third call" },
  );
  expect(value.calls).toBe(3);
});

test("a deadline names what was awaited and the last error", async () => {
  const never = () => {
    throw new Error("no such file");
  };
  const waiting = waitFor(never, { what: "the letter", deadlineMs: 50 });
  await expect(waiting).rejects.toThrow("waited 50 ms for the letter; last error: Error: no such file");
});
