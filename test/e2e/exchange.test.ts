import { expect, test } from "vitest";
import { transcript } from "../support/mock-model.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

test("M-7, M-10: a request typed in one session is answered by the other's run", async () => {
  await using world = await makeWorld();
  const [alice, bob] = await Promise.all([world.startReadyPi({ name: "alice" }), world.startReadyPi({ name: "bob" })]);
  world.model.push("bob", { text: "42" });
  const from = bob.records.length;
  await alice.prompt("/mailbox bob how many?");
  await bob.settled(from);
  const seen = world.model.requestsOf("bob").at(-1);
  expect(seen && transcript(seen)).toContain("how many?");
  const reply = await waitFor(
    () =>
      [...world.envelopes(alice.id, "new"), ...world.envelopes(alice.id, "cur")].find(
        (envelope) => envelope.kind === "reply",
      ),
    { what: "bob's reply" },
  );
  expect(reply).toMatchObject({ status: "done", body: "42" });
  await waitFor(async () => JSON.stringify(await alice.messages()).includes("42") && alice.messages(), {
    what: "the reply in alice's conversation",
  });
});
