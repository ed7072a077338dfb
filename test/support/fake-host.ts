import { randomUUID } from "node:crypto";
import type {
  AgentToolResult,
  EventBus,
  ExtensionAPI,
  ExtensionCommandContext,
  ExtensionContext,
  ExtensionFactory,
  ExtensionToolContext,
  SessionShutdownEvent,
  SessionStartEvent,
} from "@mariozechner/pi-coding-agent";
import { type FakeCommand, type FakeInstance, type FakeTool, makeBus, makeInstance } from "./fake-instance.ts";
import { FakeRecords, type SendOptions, type SentMessage } from "./fake-records.ts";

export interface FakeHostOptions {
  sessionId: string;
  cwd: string;
  name?: string;
  /** Default: true. */
  hasUI?: boolean;
  /** Only the API every host is promised to have, and no check for stale use. */
  minimal?: boolean;
  /** Deliver what is sent with triggerTurn as Pi does: start a run if idle, then message_end, on a microtask. */
  autoRead?: boolean;
}

export interface FakeMessage {
  role: string;
  [key: string]: unknown;
}

/** An in-process Pi for fast tests of an extension: the test plays the run (agentStart, messageEnd, settle) and looks
 *  at what the extension did. Handlers run in order, up to their first await before the call returns; what they throw
 *  lands in `errors`, as Pi swallows it too. */
export class FakeHost extends FakeRecords {
  sessionId: string;
  name: string | undefined;
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly events: EventBus;
  busy = false;
  readonly #minimal: boolean;
  readonly #autoRead: boolean;
  readonly #factories: { factory: ExtensionFactory; path: string }[] = [];
  #instance: FakeInstance;
  #run: AbortController | undefined;
  #deliveries: Promise<void> = Promise.resolve();

  constructor(options: FakeHostOptions) {
    super();
    this.sessionId = options.sessionId;
    this.name = options.name;
    this.cwd = options.cwd;
    this.hasUI = options.hasUI ?? true;
    this.#minimal = options.minimal ?? false;
    this.#autoRead = options.autoRead ?? false;
    this.events = makeBus((error) => this.errors.push(error));
    this.#instance = makeInstance(this, this.#minimal);
  }

  get pi(): ExtensionAPI {
    return this.#instance.pi;
  }
  get ctx(): ExtensionContext {
    return this.#instance.ctx;
  }
  get tools(): ReadonlyMap<string, FakeTool> {
    return this.#instance.tools;
  }
  get commands(): ReadonlyMap<string, FakeCommand> {
    return this.#instance.commands;
  }
  get renderers(): ReadonlyMap<string, unknown> {
    return this.#instance.renderers;
  }
  /** The signal of the run; undefined while idle. */
  get signal(): AbortSignal | undefined {
    return this.#run?.signal;
  }

  /** Loads an extension. @param path where it claims to come from. @throws what its factory throws: fatal in Pi. */
  async load(factory: ExtensionFactory, path = "/extensions/under-test.ts"): Promise<void> {
    this.#factories.push({ factory, path });
    await this.#runFactory(factory, path);
  }

  async sessionStart(reason: SessionStartEvent["reason"] = "startup"): Promise<void> {
    await this.emit("session_start", { reason });
  }

  async shutdown(reason: SessionShutdownEvent["reason"] = "quit"): Promise<void> {
    await this.emit("session_shutdown", { reason });
  }

  /** What /new, /resume, /fork and /reload do: shutdown, the old pi and ctx go stale, the factories run again. */
  async replace(reason: Exclude<SessionStartEvent["reason"], "startup">, session: { id?: string; name?: string } = {}) {
    await this.shutdown(reason);
    this.#instance.retire();
    if (reason !== "reload") {
      this.sessionId = session.id ?? randomUUID();
      this.name = session.name;
      this.entries.length = 0;
    }
    this.#instance = makeInstance(this, this.#minimal);
    for (const { factory, path } of this.#factories) await this.#runFactory(factory, path);
    await this.sessionStart(reason);
  }

  async rename(name: string): Promise<void> {
    this.name = name;
    await this.emit("session_info_changed", { name });
  }

  /** The person, or a program over RPC, types. Starts no run: that is agentStart(). */
  async input(text: string, source: "interactive" | "rpc" | "extension" = "interactive"): Promise<void> {
    await this.emit("input", { text, source });
  }

  async agentStart(): Promise<void> {
    this.busy = true;
    this.#run ??= new AbortController();
    await this.emit("agent_start", {});
  }

  /** A message enters the conversation. */
  async messageEnd(message: FakeMessage): Promise<void> {
    const { role, ...fields } = message;
    this.addEntry(role === "custom" ? { type: "custom_message", ...fields } : { type: "message", message });
    await this.emit("message_end", { message });
  }

  /** The model answers. @param stopReason Pi's: stop, toolUse, error, aborted. */
  async assistant(text: string, stopReason = "stop", errorMessage?: string): Promise<void> {
    const content = text === "" ? [] : [{ type: "text", text }];
    await this.messageEnd({ role: "assistant", content, stopReason, ...(errorMessage ? { errorMessage } : {}) });
  }

  /** Delivers what was sent to wake or steer and is not read yet: its message_end, oldest first. */
  async read(): Promise<void> {
    for (const sent of this.sent) await this.#deliver(sent);
  }

  /** The run's signal aborts; settle({ aborted: true }) ends it. */
  abort(): void {
    this.#run?.abort();
  }

  /** An aborted run goes on with another signal, as on a Pi before 1.0 that finds mail in its queue. */
  endAborted(): void {
    this.#run = undefined;
  }

  /** Ends the run. @param options.toldByEvent false plays a Pi before 1.3, whose event does not say `aborted`. */
  async settle(options: { aborted?: boolean; toldByEvent?: boolean } = {}): Promise<void> {
    const { aborted = this.signal?.aborted ?? false, toldByEvent = true } = options;
    if (aborted && !this.signal?.aborted) {
      this.abort();
      await this.assistant("", "aborted", "Request was aborted");
    }
    await this.emit("agent_end", { messages: [] });
    this.busy = false;
    this.#run = undefined;
    await this.emit("agent_settled", toldByEvent ? { aborted } : {});
  }

  /** Calls a tool as the model would. @throws what the tool throws: an error result for the model. */
  async callTool(name: string, params: object = {}, signal?: AbortSignal): Promise<AgentToolResult<unknown>> {
    const tool = this.tools.get(name);
    if (!tool) throw new Error(`no tool ${name}; there are: ${[...this.tools.keys()].join(", ")}`);
    const used = signal ?? this.signal ?? new AbortController().signal;
    return tool.execute(`call-${randomUUID()}`, params, used, undefined, this.ctx as ExtensionToolContext);
  }

  async runCommand(name: string, args = ""): Promise<void> {
    const command = this.commands.get(name);
    if (!command) throw new Error(`no command /${name}; there are: ${[...this.commands.keys()].join(", ")}`);
    await command.handler(args, this.ctx as ExtensionCommandContext);
  }

  /** Values offered for a command's arguments; [] when there are none. @param prefix all that was typed after it. */
  async complete(name: string, prefix: string): Promise<string[]> {
    const items = await this.commands.get(name)?.getArgumentCompletions?.(prefix);
    return (items ?? []).map((item) => item.value);
  }

  /** Resolves when everything autoRead had to deliver is delivered. */
  async delivered(): Promise<void> {
    await this.#deliveries;
  }

  /** Runs the handlers of one Pi event. The lifecycle methods above call it; tests may for other events. */
  async emit(type: string, fields: object): Promise<void> {
    for (const handler of [...(this.#instance.handlers.get(type) ?? [])]) {
      try {
        const result = handler({ type, ...fields }, this.ctx);
        if (result instanceof Promise) await result;
      } catch (error) {
        this.errors.push(error);
      }
    }
  }

  /** What pi.sendMessage does here. */
  receive(message: Parameters<ExtensionAPI["sendMessage"]>[0], options: SendOptions = {}): void {
    // Busy, a message without triggerTurn is queued and costs a turn all the same: only `false` keeps it quiet.
    const costsTurn = options.triggerTurn ?? (this.busy && options.deliverAs !== "nextTurn");
    const sent: SentMessage = { message: message as SentMessage["message"], options, costsTurn, read: false };
    this.sent.push(sent);
    if (!costsTurn) {
      this.addEntry({ type: "custom_message", ...message });
    } else if (this.#autoRead) {
      const starts = !this.busy;
      this.busy = true;
      this.#run ??= new AbortController();
      this.#deliveries = this.#deliveries.then(async () => {
        if (starts) await this.agentStart();
        await this.#deliver(sent);
      });
    }
  }

  async #deliver(sent: SentMessage): Promise<void> {
    if (sent.read || !sent.costsTurn) return;
    sent.read = true;
    await this.messageEnd({ role: "custom", ...sent.message, timestamp: Date.now() });
  }

  async #runFactory(factory: ExtensionFactory, path: string): Promise<void> {
    this.#instance.source = path;
    this.#instance.loading = path;
    try {
      await factory(this.pi);
    } finally {
      this.#instance.loading = undefined;
    }
  }
}

export function makeFakeHost(options: FakeHostOptions): FakeHost {
  return new FakeHost(options);
}
