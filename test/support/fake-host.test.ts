import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { makeFakeHost } from "./fake-host.ts";

/** Logs what it hears, and offers one tool and one command. */
function listener(log: string[]) {
  return (pi: ExtensionAPI) => {
    pi.on("session_start", ({ reason }, ctx) => void log.push(`start ${reason} ${ctx.sessionManager.getSessionId()}`));
    pi.on("message_end", ({ message }, ctx) => void log.push(`end ${message.role} ${ctx.signal?.aborted}`));
    pi.on("agent_start", () => void log.push("agent_start"));
    pi.on("agent_settled", ({ aborted }, ctx) => void log.push(`settled ${aborted} idle ${ctx.isIdle?.()}`));
    pi.on("session_shutdown", ({ reason }) => void log.push(`shutdown ${reason}`));
    pi.on("input", () => {
      throw new Error("listener failed");
    });
    pi.events.on("ping", (payload) => {
      (payload as { answer?: string }).answer = "pong";
      throw new Error("ping failed");
    });
    pi.registerTool({
      name: "wave",
      label: "Wave",
      description: "Waves.",
      parameters: Type.Object({ at: Type.String() }),
      execute: async (_id, { at }) => ({ content: [{ type: "text", text: `waved at ${at}` }], details: {} }),
    });
    pi.registerCommand("hail", {
      getArgumentCompletions: (prefix) => [{ value: `${prefix}ice`, label: "alice" }],
      handler: async (args, ctx) => {
        ctx.ui.notify(`hail ${args}`, "warning");
        ctx.ui.setStatus("hail", args);
      },
    });
  };
}

const session = { sessionId: "s-1", cwd: "/work" };

test("the test plays a run, and the extension hears it", async () => {
  const log: string[] = [];
  const host = makeFakeHost(session);
  await host.load(listener(log));
  await host.sessionStart();
  await host.agentStart();
  await host.assistant("hi");
  await host.settle({ aborted: true });
  await host.shutdown();
  expect(log).toEqual([
    "start startup s-1",
    "agent_start",
    "end assistant false",
    "end assistant true",
    "settled true idle true",
    "shutdown quit",
  ]);
});

test("tools, commands, completions, notices and footer texts can be used and seen", async () => {
  const host = makeFakeHost(session);
  await host.load(listener([]));
  expect((await host.callTool("wave", { at: "bob" })).content).toEqual([{ type: "text", text: "waved at bob" }]);
  await host.runCommand("hail", "bob");
  expect(host.notifications).toEqual([{ message: "hail bob", type: "warning" }]);
  expect(host.statuses.get("hail")).toBe("bob");
  expect(await host.complete("hail", "al")).toEqual(["alice"]);
});

test("what a handler throws reaches neither the emitter nor the test, but is kept", async () => {
  const host = makeFakeHost(session);
  await host.load(listener([]));
  const payload: { answer?: string } = {};
  host.events.emit("ping", payload);
  expect(payload.answer).toBe("pong");
  await host.input("hello");
  expect(host.errors.map(String)).toEqual(["Error: ping failed", "Error: listener failed"]);
});

test("mail that wakes starts a run and is read; quiet mail is only appended", async () => {
  const log: string[] = [];
  const host = makeFakeHost({ ...session, autoRead: true });
  await host.load(listener(log));
  const mail = { customType: "mailbox", content: "hi", display: true };
  host.pi.sendMessage({ ...mail, details: { id: "m-1" } }, { triggerTurn: false });
  host.pi.sendMessage({ ...mail, details: { id: "m-2" } }, { triggerTurn: true, deliverAs: "steer" });
  expect(host.ctx.isIdle()).toBe(false);
  await host.delivered();
  expect(log).toEqual(["agent_start", "end custom false"]);
  expect(host.sent.map(({ read, costsTurn }) => [read, costsTurn])).toEqual([
    [false, false],
    [true, true],
  ]);
  expect(host.entries.map((entry) => entry["details"])).toEqual([{ id: "m-1" }, { id: "m-2" }]);
});

test("without autoRead the test says when mail is read", async () => {
  const log: string[] = [];
  const host = makeFakeHost(session);
  await host.load(listener(log));
  host.pi.sendMessage({ customType: "mailbox", content: "hi", display: true }, { triggerTurn: true });
  await host.agentStart();
  expect(log).toEqual(["agent_start"]);
  await host.read();
  await host.read();
  expect(log).toEqual(["agent_start", "end custom false"]);
});

test("a replaced session makes the old pi and ctx throw, and loads the extension again", async () => {
  const log: string[] = [];
  const host = makeFakeHost(session);
  await host.load(listener(log));
  const { pi, ctx } = host;
  await host.replace("new", { id: "s-2" });
  expect(log).toEqual(["shutdown new", "start new s-2"]);
  expect(() => pi.sendMessage({ customType: "x", content: "", display: true })).toThrow("stale");
  expect(() => ctx.cwd).toThrow("stale");
  expect(() => ctx.ui.notify("late")).toThrow("stale");
  expect(host.ctx.sessionManager.getSessionId()).toBe("s-2");
});

test("two extensions can not load the same tool, and the tools are not listed while loading", async () => {
  const host = makeFakeHost(session);
  await expect(host.load((pi) => void pi.getAllTools())).rejects.toThrow("during extension loading");
  await host.load(listener([]), "/one.ts");
  await expect(host.load(listener([]), "/two.ts")).rejects.toThrow('Tool "wave" conflicts with /one.ts');
  expect(host.pi.getAllTools().map((tool) => [tool.name, tool.sourceInfo.path])).toEqual([["wave", "/one.ts"]]);
});

test("a tool registered at session start belongs to the extension that registers it", async () => {
  const host = makeFakeHost(session);
  const parameters = Type.Object({});
  const execute = async () => ({ content: [], details: {} });
  const late = (name: string) => (pi: ExtensionAPI) => {
    const tool = { name, label: name, description: name, parameters, execute };
    pi.on("session_start", () => pi.registerTool(tool));
  };
  await host.load(late("first"), "/one.ts");
  await host.load(late("second"), "/two.ts");
  await host.sessionStart();
  expect([...host.tools.values()].map((tool) => tool.sourcePath)).toEqual(["/one.ts", "/two.ts"]);
});

test("a minimal host has nothing but what every host has", async () => {
  const host = makeFakeHost({ ...session, minimal: true });
  await host.load(listener([]));
  await host.sessionStart();
  expect(Object.keys(host.pi).sort()).toEqual(["events", "on", "registerCommand", "registerTool", "sendMessage"]);
  expect(Object.keys(host.ctx).sort()).toEqual(["cwd", "hasUI", "sessionManager", "ui"]);
  expect(Object.keys(host.ctx.ui).sort()).toEqual(["notify", "setStatus"]);
  expect(Object.keys(host.ctx.sessionManager)).toEqual(["getSessionId"]);
});
