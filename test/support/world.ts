import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BoxName,
  boxNames,
  type EnvelopeJson,
  type ReceiptJson,
  type RunningJson,
  readEnvelopes,
  readReceipts,
  readRunning,
} from "./mail-files.ts";
import { type MockModel, startMockModel } from "./mock-model.ts";
import { type PiSetup, PROJECT_EXTENSION } from "./pi-command.ts";
import { PiProcess } from "./pi-process.ts";
import type { DialogHandler } from "./rpc-connection.ts";

export interface WorldOptions {
  /** Merged into Pi's settings.json of the shared agent dir. */
  settings?: object;
}

/** How to start one session; every field has a default. */
export interface PiOptions
  extends Partial<Pick<PiSetup, "name" | "id" | "model" | "extensions" | "extraArgs" | "env" | "cwd">>,
    Pick<PiSetup, "cli" | "node" | "version" | "discovers"> {
  /** Pi settings of this session only: it then gets an agent dir of its own, with a copy of session-mail.json. */
  settings?: object;
  onDialog?: DialogHandler;
}

export interface Mailbox {
  readonly path: string;
  names(box: BoxName): string[];
  envelopes(box: BoxName): EnvelopeJson[];
}

const QUIET_SETTINGS = {
  enableInstallTelemetry: false,
  enableAnalytics: false,
  quietStartup: true,
  retry: { enabled: false },
  compaction: { enabled: false },
};

/** A temp folder with everything Pi sessions share in a test, and the sessions started in it. */
export class World implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), "mailroom-"));
  readonly agentDir = join(this.root, "agent");
  readonly sessionDir = join(this.root, "sessions");
  readonly stateDir = join(this.root, "state");
  /** Where mail lives. Not created: the extension, or a writer, does that. */
  readonly mailRoot = join(this.stateDir, "pi-session-mail");
  readonly model: MockModel;
  readonly #settings: object;
  readonly #models = new Set<string>();
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  constructor(model: MockModel, options: WorldOptions) {
    this.model = model;
    this.#settings = { ...QUIET_SETTINGS, ...options.settings };
    for (const folder of [this.sessionDir, this.stateDir, join(this.root, "probe")]) {
      mkdirSync(folder, { recursive: true });
    }
    this.#writeAgentDir(this.agentDir, {});
  }

  /** Starts Pi in RPC mode. Await `ready()` before anything that needs session_start to be over. */
  startPi(options: PiOptions = {}): PiProcess {
    const pi = new PiProcess(this.setup(options));
    if (options.onDialog) pi.onDialog = options.onDialog;
    this.onDispose(() => pi.stop());
    return pi;
  }

  /** Starts Pi in RPC mode and waits until it is ready. */
  async startReadyPi(options: PiOptions = {}): Promise<PiProcess> {
    const pi = this.startPi(options);
    await pi.ready();
    return pi;
  }

  /** Makes the folders of one session and declares its model; the rest of starting it is the caller's.
   *  The working folder and the model are named after the session, so the same options resume the same session. */
  setup(options: PiOptions = {}): PiSetup {
    const id = options.id ?? randomUUID();
    const slug = (options.name ?? id).toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
    const model = options.model ?? slug;
    this.#models.add(model);
    const agentDir = options.settings ? join(this.root, `agent-${slug}`) : this.agentDir;
    this.#writeAgentDir(agentDir, options.settings ?? {});
    const cwd = options.cwd ?? join(this.root, "work", slug);
    mkdirSync(cwd, { recursive: true });
    const probe = join(this.root, "probe", id);
    return {
      ...options,
      id,
      name: options.name,
      model,
      extensions: options.extensions ?? [PROJECT_EXTENSION],
      cwd,
      agentDir,
      sessionDir: this.sessionDir,
      stateDir: this.stateDir,
      env: { PROBE_LOG: `${probe}.jsonl`, PROBE_WAIT_FILE: `${probe}.go`, ...options.env },
    };
  }

  mailbox(address: string): Mailbox {
    return {
      path: join(this.mailRoot, address),
      names: (box) => boxNames(this.mailRoot, address, box),
      envelopes: (box) => readEnvelopes(this.mailRoot, address, box),
    };
  }

  envelopes(address: string, box: BoxName): EnvelopeJson[] {
    return readEnvelopes(this.mailRoot, address, box);
  }

  receipts(address: string): ReceiptJson[] {
    return readReceipts(this.mailRoot, address);
  }

  running(): RunningJson[] {
    return readRunning(this.mailRoot);
  }

  /** Writes the extension's settings file. @param settings an object, or the file's text to test a broken one. */
  writeSettings(settings: object | string, agentDir: string = this.agentDir): void {
    const text = typeof settings === "string" ? settings : JSON.stringify(settings, null, 2);
    writeFileSync(join(agentDir, "session-mail.json"), text);
  }

  /** Adds something to stop before the folder goes. */
  onDispose(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  /** Stops every session (SIGKILL after a deadline) and closes the model; the folder stays. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#cleanups.splice(0).map((cleanup) => cleanup()));
    await this.model.close();
  }

  /** Stops everything and removes the folder. */
  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** Replaces models.json by rename: another session may be starting, and reading it. */
  #writeAgentDir(agentDir: string, settings: object): void {
    mkdirSync(agentDir, { recursive: true });
    const put = (name: string, json: object) => {
      const path = join(agentDir, name);
      writeFileSync(`${path}.tmp`, JSON.stringify(json, null, 2));
      renameSync(`${path}.tmp`, path);
    };
    put("models.json", this.model.modelsJson(this.#models));
    if (!existsSync(join(agentDir, "settings.json"))) put("settings.json", { ...this.#settings, ...settings });
    const ours = join(this.agentDir, "session-mail.json");
    if (agentDir !== this.agentDir && existsSync(ours)) copyFileSync(ours, join(agentDir, "session-mail.json"));
  }
}

/** Makes a world; `await using` disposes it at the end of the test. */
export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  return new World(await startMockModel(), options);
}
