import { expect, test } from "vitest";
import { MailHome, type MailHost } from "../support/mail-host.ts";

/** A session that was killed just after the answer to its ask had come. */
async function answeredAndKilled(home: MailHome): Promise<{ anna: MailHost; reply: string; result: unknown }> {
  const anna = await home.open({ name: "anna" });
  const bob = await home.open({ name: "bob" });
  await anna.input("ask bob");
  await anna.agentStart();
  const result = anna.callTool("session_mail_ask", { to: "bob", message: "how far?" });
  const id = anna.box("sent")[0]?.id ?? "";
  const reply = anna.arrive({ from: bob.address, kind: "reply", inReplyTo: [id], body: "5 miles" });
  return { anna, reply: reply.id, result: await result };
}

function toolResult(result: unknown, toolName = "session_mail_ask"): Record<string, unknown> & { role: string } {
  return { role: "toolResult", toolName, isError: false, ...(result as object) };
}

test("M-9, M-12: the answer to an ask is read once the tool's result is in the conversation", async () => {
  await using home = new MailHome();
  const { anna, reply, result } = await answeredAndKilled(home);
  expect(anna.steps(reply)).toEqual(["claimed"]);
  await anna.messageEnd(toolResult(result, "another_tool"));
  expect(anna.steps(reply)).toEqual(["claimed"]);
  await anna.messageEnd(toolResult(result));
  expect(anna.steps(reply)).toEqual(["claimed", "read"]);
});

test("M-9: an answer whose result no event told of counts as read once the run has settled, and is never shown again", async () => {
  await using home = new MailHome();
  const { anna, reply } = await answeredAndKilled(home);
  await anna.assistant("5 miles it is");
  await anna.settle();
  expect(anna.steps(reply)).toEqual(["claimed", "read"]);
  await anna.agentStart();
  await anna.settle({ aborted: true });
  expect(anna.sent).toEqual([]);
});

test("M-12: the answer to an ask that a kill kept from the conversation is shown after it and wakes the session", async () => {
  await using home = new MailHome();
  const { anna, reply } = await answeredAndKilled(home);
  const again = await home.open({ id: anna.address, entries: anna.crash() });
  expect(again.shownIds()).toEqual([reply]);
  expect(again.sent[0]?.options).toMatchObject({ triggerTurn: true });
  expect(again.texts()[0]).toMatch(/answer to ask .* stopped waiting/);
  expect(again.texts()[0]).toContain("\n\n5 miles\n\n");
});

test("M-12: the answer to an ask that the saved conversation holds is not shown again", async () => {
  await using home = new MailHome();
  const { anna, result } = await answeredAndKilled(home);
  anna.addEntry({ type: "message", message: toolResult(result) });
  const again = await home.open({ id: anna.address, entries: anna.crash() });
  expect(again.sent).toEqual([]);
});

test("M-12: an ask that a kill left without an answer waits for nobody, and its answer wakes the session", async () => {
  await using home = new MailHome();
  const anna = await home.open();
  const bob = await home.open({ name: "bob" });
  void anna.tool("ask", { to: "bob", message: "how far?" });
  const id = anna.box("sent")[0]?.id ?? "";
  const again = await home.open({ id: anna.address, entries: anna.crash() });
  expect(again.record()).toMatchObject({ waitingOn: "" });
  bob.scan();
  await bob.run("5 miles");
  again.scan();
  expect(again.sent).toMatchObject([{ options: { triggerTurn: true } }]);
  expect(again.texts()[0]).toContain(id);
});
