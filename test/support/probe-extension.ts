import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";

/** A Pi extension for tests: what they can not reach over RPC, and a log of what Pi does.
 *
 *  `/probe-reload`, `/probe-abort`; `/probe-input <title>` shows the answer in the footer under the key `probe`;
 *  `/probe-emit <event> <json>` emits on pi.events and notifies the payload as the listeners left it; the tool
 *  `probe_wait` blocks until the file PROBE_WAIT_FILE exists or the run is aborted.
 *  PROBE_LOG names a file that gets one JSON line an event; that of session_start says whether PROBE_LOOK_AT is there. */
export default function probe(pi: ExtensionAPI): void {
  const log = (event: string, facts: object = {}) => {
    const path = process.env["PROBE_LOG"];
    if (path) appendFileSync(path, `${JSON.stringify({ event, ...facts })}\n`);
  };

  pi.on("session_start", ({ reason }, ctx) => {
    const looked = process.env["PROBE_LOOK_AT"];
    const facts = { reason, id: ctx.sessionManager.getSessionId() };
    log("session_start", looked === undefined ? facts : { ...facts, isThere: existsSync(looked) });
  });
  pi.on("session_shutdown", ({ reason }) => log("session_shutdown", { reason }));
  pi.on("agent_start", () => log("agent_start"));
  pi.on("agent_settled", ({ aborted }) => log("agent_settled", { aborted }));
  pi.on("message_end", ({ message }) => {
    if (message.role !== "custom") return;
    const id = (message.details as { id?: unknown } | undefined)?.id;
    log("message_end", { customType: message.customType, id });
  });

  pi.registerCommand("probe-reload", {
    description: "Reload Pi's extensions",
    handler: (_args, ctx) => ctx.reload(),
  });
  pi.registerCommand("probe-abort", {
    description: "Abort the run",
    handler: async (_args, ctx) => ctx.abort(),
  });
  pi.registerCommand("probe-emit", {
    description: "Emit an event: <event> <json>",
    handler: async (args, ctx) => {
      const [, event = "", json = ""] = /^(\S+)\s*(.*)$/s.exec(args) ?? [];
      const payload: unknown = json === "" ? {} : JSON.parse(json);
      pi.events.emit(event, payload);
      ctx.ui.notify(JSON.stringify(payload));
    },
  });
  pi.registerCommand("probe-input", {
    description: "Ask for a text and show it in the footer: <title>",
    handler: async (args, ctx) => ctx.ui.setStatus("probe", await ctx.ui.input(args)),
  });

  pi.registerTool({
    name: "probe_wait",
    label: "Wait",
    description: "Waits until the test lets it go.",
    parameters: Type.Object({}),
    async execute(_id, _params, signal) {
      log("probe_wait");
      while (!signal?.aborted && !existsSync(process.env["PROBE_WAIT_FILE"] ?? "/")) await sleep(20);
      const text = signal?.aborted ? "aborted" : "released";
      log("probe_wait_end", { text });
      return { content: [{ type: "text", text }], details: {} };
    },
  });
}
