import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gate, type MockModel, startMockModel, transcript } from "./mock-model.ts";
import { waitFor } from "./wait-for.ts";

let model: MockModel;
beforeEach(async () => {
  model = await startMockModel();
});
afterEach(() => model.close());

async function complete(name: string, signal?: AbortSignal): Promise<string> {
  const messages = [
    { role: "system", content: "be kind" },
    { role: "user", content: [{ type: "text", text: "hello" }] },
  ];
  const tools = [{ type: "function", function: { name: "wave" } }];
  const response = await fetch(`${model.url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: name, messages, tools, stream: true }),
    ...(signal ? { signal } : {}),
  });
  return response.text();
}

test("a model without a script answers ok(<model>), and the request is on record", async () => {
  const stream = await complete("alice");
  expect(stream).toContain('"content":"ok(alice)"');
  expect(stream).toContain('"finish_reason":"stop"');
  expect(stream.trimEnd().endsWith("data: [DONE]")).toBe(true);
  const [request] = model.requestsOf("alice");
  expect(request).toMatchObject({ model: "alice", tools: ["wave"], finished: true });
  expect(request && transcript(request)).toBe("be kind\nhello");
  expect(model.requestsOf("bob")).toEqual([]);
});

test("scripted steps are used in order, each model its own", async () => {
  model.push("alice", { text: "one two", slowMs: 1 }, { tool: { name: "wave", args: { at: "bob" }, id: "c1" } });
  model.push("bob", (request) => ({ text: `${request.model} saw ${request.messages.length}` }));
  expect(await complete("bob")).toContain("bob saw 2");
  const words = await complete("alice");
  expect(words).toContain('"content":"one "');
  expect(words).toContain('"content":"two"');
  const call = await complete("alice");
  expect(call).toContain(JSON.stringify(JSON.stringify({ at: "bob" })));
  expect(call).toContain('"finish_reason":"tool_calls"');
});

test("an error step answers with its status, a step that throws with its reason", async () => {
  model.push("alice", { error: "no such luck", status: 503 }, () => {
    throw new Error("bad script");
  });
  expect(await complete("alice")).toContain("no such luck");
  expect(await complete("alice")).toContain("bad script");
});

test("a gate holds the answer back, and a client that leaves is seen", async () => {
  const closed = gate();
  model.push("alice", { gate: closed.promise, text: "late" }, { text: "begun", hold: gate().promise });
  let answered = false;
  const late = complete("alice").then((stream) => {
    answered = true;
    return stream;
  });
  await waitFor(() => model.requests.length === 1, { what: "the request" });
  await sleep(50);
  expect(answered).toBe(false);
  closed.open();
  expect(await late).toContain("late");

  const controller = new AbortController();
  const aborted = complete("alice", controller.signal);
  await waitFor(() => model.requests.length === 2, { what: "the second request" });
  controller.abort();
  await expect(aborted).rejects.toThrow();
  await waitFor(() => model.requests[1]?.closed, { what: "the disconnect" });
  expect(model.requests[1]?.finished).toBe(false);
});
