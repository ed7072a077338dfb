import { expect, test } from "vitest";
import { checkBobsMail, leaveMailForBob, liveAsBob, recoverBob } from "./bobs-mail.ts";
import { killEverywhere } from "./kill-points.ts";
import type { Saves } from "./programs/saved-host.ts";

test.for([
  ["saves its conversation at once", "before", {}],
  ["saves its conversation a moment later", "after", { durable: true }],
  ["was killed before it saved anything", "never", {}],
] as const satisfies [string, Saves, object][])(
  "R-1, M-12: killed at any step of taking in, reading and answering mail, a session that %s loses and doubles nothing",
  async ([, saves, settings]) => {
    const kills = await killEverywhere({
      prepare: (home) => leaveMailForBob(home, settings),
      act: (home, killAt) => liveAsBob(home, saves, ["start", "work", "quit"], killAt),
      recover: (home, random) => recoverBob(home, saves, random),
      check: (home) => checkBobsMail(home, saves),
    });
    // Otherwise little was shown.
    expect(kills).toBeGreaterThan(60);
  },
);

test("R-1, M-12, M-14: killed at any step of a run that answers an ask at once, a session answers it once", async () => {
  const kills = await killEverywhere({
    prepare: (home) => leaveMailForBob(home),
    act: (home, killAt) => liveAsBob(home, "before", ["start", "begin", ["reply", "a-1"], "finish"], killAt),
    recover: (home, random) => recoverBob(home, "before", random),
    check: (home) => checkBobsMail(home, "before"),
  });
  expect(kills).toBeGreaterThan(60);
});
