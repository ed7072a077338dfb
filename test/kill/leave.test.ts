import { expect, test } from "vitest";
import { checkBobsMail, leaveMailForBob, liveAsBob, recoverBob } from "./bobs-mail.ts";
import { killEverywhere } from "./kill-points.ts";

test.for([
  ["a run that the user stops, and of the next one", ["start", "begin", "stop", "prompt"]],
  ["closing with debts", ["start", "begin", "quit"]],
  ["closing with held requests", ["start", "begin", "stop", "quit"]],
] as const)(
  "R-1, M-10, M-12: killed at any step of %s, a session answers each request and ask once",
  async ([, acts]) => {
    const kills = await killEverywhere({
      prepare: (home) => leaveMailForBob(home),
      act: (home, killAt) => liveAsBob(home, "before", acts, killAt),
      recover: (home, random) => recoverBob(home, "before", random),
      check: (home) => checkBobsMail(home, "before"),
    });
    expect(kills).toBeGreaterThan(40);
  },
);
