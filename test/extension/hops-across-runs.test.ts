import { expect, test } from "vitest";
import { MailHome, STRANGER } from "../support/mail-host.ts";

test("M-16: a letter that came as one run settled counts for the next run, which it starts", async () => {
  await using home = new MailHome();
  const host = await home.open();
  await host.input("work");
  await host.agentStart();
  await host.assistant("done");
  host.arrive({ from: STRANGER, kind: "message", hops: 4 });
  await host.settle();
  await host.agentStart();
  await host.read();
  expect(await host.refusal("send", { to: STRANGER, message: "on and on" })).toMatch(/5 times.*hop limit is 5/);
  await host.assistant("so be it");
  await host.settle();

  await host.agentStart();
  await host.tool("send", { to: STRANGER, message: "a new chain" });
  expect(home.inbox(STRANGER)).toMatchObject([{ body: "a new chain", hops: 0 }]);
});
