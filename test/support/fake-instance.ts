import { EventEmitter } from "node:events";
import type {
  EventBus,
  ExtensionAPI,
  ExtensionContext,
  RegisteredCommand,
  ToolDefinition,
} from "@mariozechner/pi-coding-agent";
import type { FakeHost } from "./fake-host.ts";

export type FakeTool = ToolDefinition & { sourcePath: string };
export type FakeCommand = Omit<RegisteredCommand, "name" | "sourceInfo"> & { sourcePath: string };
export type Handler = (event: object, ctx: ExtensionContext) => unknown;

/** What one load of the extensions gets: `pi`, `ctx` and what was registered with them. /new and /reload make another,
 *  and this one then throws on every use, as Pi's does. */
export interface FakeInstance {
  readonly pi: ExtensionAPI;
  readonly ctx: ExtensionContext;
  readonly handlers: Map<string, Handler[]>;
  readonly tools: Map<string, FakeTool>;
  readonly commands: Map<string, FakeCommand>;
  readonly renderers: Map<string, unknown>;
  /** The extension that is loading now; undefined once loading is over. */
  loading: string | undefined;
  /** The extension whose code runs, for who registered what. */
  source: string;
  retire(): void;
}

/** A bus like Pi's: emit calls the listeners at once, in order, and what they throw reaches `onError`, never emit. */
export function makeBus(onError: (error: unknown) => void): EventBus {
  const emitter = new EventEmitter();
  return {
    emit: (channel, payload) => void emitter.emit(channel, payload),
    on(channel, handler) {
      const safely = async (payload: unknown) => {
        try {
          await handler(payload);
        } catch (error) {
          onError(error);
        }
      };
      emitter.on(channel, safely);
      return () => emitter.off(channel, safely);
    },
  };
}

/** Makes the `pi` and `ctx` of one load. A minimal host gets only what every host is promised to have. */
export function makeInstance(host: FakeHost, minimal: boolean): FakeInstance {
  let stale = false;
  const unsubscribes: (() => void)[] = [];
  const instance: FakeInstance = {
    handlers: new Map(),
    tools: new Map(),
    commands: new Map(),
    renderers: new Map(),
    loading: undefined,
    source: "",
    pi: {} as ExtensionAPI,
    ctx: {} as ExtensionContext,
    retire() {
      stale = true;
      for (const unsubscribe of unsubscribes) unsubscribe();
    },
  };
  const assertActive = () => {
    if (stale) throw new Error("This extension ctx is stale after session replacement or reload.");
  };
  const assertLoaded = () => {
    if (instance.loading !== undefined) throw new Error("Action methods cannot be called during extension loading.");
  };
  const sourceInfo = (path: string) => ({ path, source: path, scope: "temporary", origin: "top-level" });

  const basicPi = {
    events: {
      emit: (channel: string, payload: unknown) => host.events.emit(channel, payload),
      on(channel: string, handler: (payload: unknown) => void) {
        const unsubscribe = host.events.on(channel, handler);
        unsubscribes.push(unsubscribe);
        return unsubscribe;
      },
    },
    on(event: string, handler: Handler) {
      const list = instance.handlers.get(event) ?? [];
      instance.handlers.set(event, list);
      const { source } = instance;
      const asSource: Handler = (fields, ctx) => {
        instance.source = source;
        return handler(fields, ctx);
      };
      list.push(asSource);
      return () => {
        const at = list.indexOf(asSource);
        if (at >= 0) list.splice(at, 1);
      };
    },
    registerTool(tool: ToolDefinition) {
      const owner = instance.tools.get(tool.name)?.sourcePath;
      if (instance.loading !== undefined && owner !== undefined && owner !== instance.source) {
        throw new Error(`Tool "${tool.name}" conflicts with ${owner}`);
      }
      instance.tools.set(tool.name, { ...tool, sourcePath: instance.source });
    },
    registerCommand(name: string, command: Omit<FakeCommand, "sourcePath">) {
      instance.commands.set(name, { ...command, sourcePath: instance.source });
    },
    sendMessage(message: Parameters<ExtensionAPI["sendMessage"]>[0], options?: object) {
      assertLoaded();
      host.receive(message, options);
    },
  };
  const fullPi = {
    getAllTools() {
      assertLoaded();
      return [...instance.tools.values()].map((tool) => ({ ...tool, sourceInfo: sourceInfo(tool.sourcePath) }));
    },
    getCommands() {
      assertLoaded();
      return [...instance.commands].map(([name, { description, sourcePath }]) => {
        return { name, description, source: "extension", sourceInfo: sourceInfo(sourcePath) };
      });
    },
    getSessionName() {
      assertLoaded();
      return host.name;
    },
    registerMessageRenderer: (type: string, renderer: unknown) => void instance.renderers.set(type, renderer),
    appendEntry: (customType: string, data?: unknown) => host.addEntry({ type: "custom", customType, data }),
  };
  const basicUi = {
    notify: (message: string, type = "info") => void host.notifications.push({ message, type }),
    setStatus: (key: string, text: string | undefined) => {
      host.statusHistory.push({ key, text });
      if (text === undefined) host.statuses.delete(key);
      else host.statuses.set(key, text);
    },
  };
  const fullUi = {
    select: async (title: string, options: string[]) => host.dialog("select", title, options),
    confirm: async (title: string, message: string) => host.dialog("confirm", title, message) ?? false,
    input: async (title: string, placeholder?: string) => host.dialog("input", title, placeholder),
    editor: async (title: string, prefill?: string) => host.dialog("editor", title, prefill),
  };
  const basicContext = () => ({
    cwd: host.cwd,
    hasUI: host.hasUI,
    ui: minimal ? basicUi : guard({ ...basicUi, ...fullUi }, assertActive),
    sessionManager: { getSessionId: () => host.sessionId },
  });
  const fullContext = () => ({
    ...basicContext(),
    mode: host.hasUI ? "tui" : "print",
    isIdle: () => !host.busy,
    abort: () => host.abort(),
    sessionManager: guard(
      {
        getSessionId: () => host.sessionId,
        getSessionName: () => host.name,
        getCwd: () => host.cwd,
        getEntries: () => [...host.entries],
        getBranch: () => [...host.entries],
      },
      assertActive,
    ),
  });
  const pi = minimal ? basicPi : { ...basicPi, events: guard(basicPi.events, assertActive), ...fullPi };
  const ctx = minimal
    ? basicContext()
    : Object.defineProperty(fullContext(), "signal", { get: () => host.signal, enumerable: true });
  const active = (target: object) => (minimal ? target : guard(target, assertActive));
  // The fakes hold the part of Pi's API that extensions under test use; the cast stands for the rest.
  return Object.assign(instance, { pi: active(pi) as ExtensionAPI, ctx: active(ctx) as ExtensionContext });
}

/** Every use of a property first asks whether it is still allowed. */
function guard<T extends object>(target: T, assertAllowed: () => void): T {
  return new Proxy(target, {
    get(object, property, receiver) {
      assertAllowed();
      return Reflect.get(object, property, receiver);
    },
  });
}
