import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ABSENT, leaveMail, timesShown } from "../support/absent-sender.ts";
import { received } from "../support/letters.ts";
import { piCommand, piEnv } from "../support/pi-command.ts";
import { makeWorld } from "../support/world.ts";

test("M-12, M-24: pi -p with waiting mail runs its prompt first, reads the mail in the same run and answers before it ends", async () => {
  await using world = await makeWorld();
  const setup = world.setup({ name: "alice", extraArgs: ["say hello"] });
  const request = leaveMail(world, setup.id, { kind: "request", body: "how many?" });
  const { file, args } = piCommand(setup, ["-p"]);
  const run = promisify(execFile)(file, args, { cwd: setup.cwd, env: piEnv(setup) });
  run.child.stdin?.end();
  await run;

  const [first] = world.model.requests;
  expect(timesShown(first, "say hello")).toBe(1);
  expect(timesShown(world.model.requests.at(-1), "how many?")).toBe(1);
  expect(received(world, ABSENT)).toMatchObject([{ kind: "reply", in_reply_to: [request], status: "done" }]);
  expect(world.running()).toEqual([]);
});
