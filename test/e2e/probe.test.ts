import { expect, test } from "vitest";
import { gate, transcript } from "../support/mock-model.ts";
import { PROBE_EXTENSION } from "../support/pi-command.ts";
import { startPiInTmux } from "../support/tmux.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeWorld } from "../support/world.ts";

const probe = { name: "alice", extensions: [PROBE_EXTENSION] };

test("a prompt runs, a tool waits for the test, and the conversation is readable", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(probe);
  expect((await alice.ready()).sessionId).toBe(alice.id);
  world.model.push("alice", { tool: { name: "probe_wait" } }, { text: "all done" });
  const from = alice.records.length;
  await alice.prompt("please wait");
  await alice.waitFor((record) => record.type === "tool_execution_start", { what: "the tool", from });
  alice.releaseProbe();
  await alice.settled(from);
  const [first, second] = world.model.requestsOf("alice");
  expect(first && transcript(first)).toContain("please wait");
  expect(first?.tools).toContain("probe_wait");
  expect(second && transcript(second)).toContain("released");
  const roles = (await alice.messages()).map((message) => message.role).filter((role) => role !== "system");
  expect(roles.join(" ")).toBe("user assistant toolResult assistant");
  expect((await alice.entries()).length).toBeGreaterThan(3);
  expect(await alice.stop()).toEqual({ code: 0, signal: null });
  const events = alice.probeLog().map((line) => line.event);
  expect(events.join(" ")).toBe("session_start agent_start probe_wait probe_wait_end agent_settled session_shutdown");
});

test("an abort reaches a tool and a stream", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(probe);
  world.model.push("alice", { tool: { name: "probe_wait" } });
  let from = alice.records.length;
  await alice.prompt("wait");
  await waitFor(() => alice.probeLog().some((line) => line.event === "probe_wait"), { what: "the tool to run" });
  await alice.abort();
  await alice.settled(from);
  expect(alice.probeLog()).toContainEqual({ event: "probe_wait_end", text: "aborted" });
  expect(alice.probeLog()).toContainEqual({ event: "agent_settled", aborted: true });

  world.model.push("alice", { text: "half an answer", hold: gate().promise });
  from = alice.records.length;
  await alice.prompt("talk");
  await alice.waitFor((record) => record.type === "message_update", { what: "the first words", from });
  await alice.prompt("/probe-abort");
  await alice.settled(from);
  await waitFor(() => world.model.requests.at(-1)?.closed, { what: "the disconnect" });
  expect(world.model.requests.at(-1)?.finished).toBe(false);
});

test("an event of another extension, a reload, a new session and a rename", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi(probe);
  await alice.prompt('/probe-emit nobody:listens {"a": [1, 2]}');
  expect(alice.notifications()).toContainEqual({ message: '{"a":[1,2]}', type: "info" });
  await alice.setName("alice the second");
  expect((await alice.ready()).sessionName).toBe("alice the second");
  await alice.prompt("/probe-reload");
  await alice.newSession();
  const lifecycle = alice.probeLog().map((line) => `${line.event} ${line["reason"]}`);
  expect(lifecycle).toEqual([
    "session_start startup",
    "session_shutdown reload",
    "session_start reload",
    "session_shutdown new",
    "session_start new",
  ]);
  expect(await alice.kill()).toMatchObject({ code: 143 });
});

test("a dialog is answered by the test, and cancelled without an answer", async () => {
  await using world = await makeWorld();
  const alice = await world.startReadyPi({ ...probe, onDialog: (request) => ({ value: `${request["title"]} 42` }) });
  await alice.prompt("/probe-input how many?");
  await alice.waitFor((record) => record["statusText"] === "how many? 42", { what: "the status" });
  expect(alice.status("probe")).toBe("how many? 42");
  alice.onDialog = () => undefined;
  await alice.prompt("/probe-input again?");
  await waitFor(() => alice.status("probe") === undefined, { what: "the status to go" });
});

test("a session with settings of its own comes back under its id with its conversation", async () => {
  await using world = await makeWorld();
  const settings = { retry: { enabled: true, maxRetries: 1, baseDelayMs: 1 } };
  const first = await world.startReadyPi({ ...probe, settings });
  world.model.push("alice", { error: "busy", status: 503 }, { text: "first answer" });
  await first.run("first question");
  expect(first.records.some((record) => record.type === "auto_retry_start")).toBe(true);
  await first.stop();
  const second = await world.startReadyPi({ ...probe, settings, id: first.id });
  await second.run("second question");
  const last = world.model.requests.at(-1);
  expect(last && transcript(last)).toMatch(/first question[\s\S]*first answer[\s\S]*second question/);
});

test("a Pi that can not start says why", async () => {
  await using world = await makeWorld();
  const broken = world.startPi({ name: "broken", extensions: ["/nowhere/extension.ts"] });
  await expect(broken.ready()).rejects.toThrow(/nowhere/);
  expect((await broken.exited).code).toBe(1);
});

test("Pi's own screen runs the same session in a terminal", async () => {
  await using world = await makeWorld();
  const { terminal, probeLog } = await startPiInTmux(world, { ...probe, width: 100, height: 30 });
  await waitFor(() => probeLog().length > 0, { what: "session_start" });
  await terminal.waitForText("alice");
  world.model.push("alice", { text: "hello from the model" });
  await terminal.type("good morning");
  await terminal.waitForText("good morning");
  await terminal.send("Enter");
  await terminal.waitForText("hello from the model");
  await waitFor(() => probeLog().some((line) => line.event === "agent_settled"), { what: "the run to settle" });
});
