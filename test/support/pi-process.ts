import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { RpcSessionState, SessionEntry, SessionMessageEntry } from "@mariozechner/pi-coding-agent";
import type { PiSetup } from "./pi-command.ts";
import { type PiRecord, RpcConnection } from "./rpc-connection.ts";

export interface Notification {
  message: string;
  type: string;
}

/** A line of the probe extension's log. */
export interface ProbeLine {
  event: string;
  [key: string]: unknown;
}

/** A real Pi in RPC mode. Start it with `world.startPi()`, which gives it folders and stops it at the end. */
export class PiProcess extends RpcConnection {
  /** Resolves when every extension has handled session_start: only then does Pi answer. */
  async ready(): Promise<RpcSessionState> {
    return (await this.send({ type: "get_state" })) as RpcSessionState;
  }

  /** Types a prompt, or runs an extension's `/command`. Resolves when Pi took it, not when the run is over. */
  async prompt(message: string, streamingBehavior?: "steer" | "followUp"): Promise<void> {
    await this.send({ type: "prompt", message, ...(streamingBehavior ? { streamingBehavior } : {}) });
  }

  /** Types a prompt and waits for the run it starts to settle. */
  async run(message: string): Promise<void> {
    const from = this.records.length;
    await this.prompt(message);
    await this.settled(from);
  }

  /** Resolves when Pi is idle again. Queued steering mail may survive it; clearQueue() first is what Esc does. */
  async abort(): Promise<void> {
    await this.send({ type: "abort" });
  }

  async clearQueue(): Promise<void> {
    await this.send({ type: "clear_queue" });
  }

  async newSession(): Promise<void> {
    await this.send({ type: "new_session" });
  }

  async setName(name: string): Promise<void> {
    await this.send({ type: "set_session_name", name });
  }

  async entries(): Promise<SessionEntry[]> {
    return ((await this.send({ type: "get_entries" })) as { entries: SessionEntry[] }).entries;
  }

  async messages(): Promise<SessionMessageEntry["message"][]> {
    return ((await this.send({ type: "get_messages" })) as { messages: SessionMessageEntry["message"][] }).messages;
  }

  /** The end of a run. @param from a mark taken before the run was started. */
  settled(from: number): Promise<PiRecord> {
    return this.waitFor((record) => record.type === "agent_settled", { from, what: "agent_settled" });
  }

  notifications(): Notification[] {
    return this.#uiRequests("notify").map((record) => ({
      message: String(record["message"]),
      type: String(record["notifyType"] ?? "info"),
    }));
  }

  /** The latest footer text under a key; undefined when it was never set or was cleared. */
  status(key: string): string | undefined {
    const latest = this.#uiRequests("setStatus").findLast((record) => record["statusKey"] === key);
    return latest?.["statusText"] as string | undefined;
  }

  /** What the probe extension logged; [] when it is not loaded. */
  probeLog(): ProbeLine[] {
    return readProbeLog(this.setup);
  }

  /** Lets the probe's tool `probe_wait` return. */
  releaseProbe(): void {
    writeFileSync(this.setup.env?.["PROBE_WAIT_FILE"] ?? "", "");
  }

  #uiRequests(method: string): PiRecord[] {
    return this.records.filter((record) => record.type === "extension_ui_request" && record["method"] === method);
  }
}

/** Reads the probe extension's log of a session. */
export function readProbeLog(setup: PiSetup): ProbeLine[] {
  const path = setup.env?.["PROBE_LOG"];
  if (path === undefined || !existsSync(path)) return [];
  const complete = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return complete.map((line) => JSON.parse(line) as ProbeLine);
}
