import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { RpcCommand } from "@mariozechner/pi-coding-agent";
import { type PiSetup, piCommand, piEnv } from "./pi-command.ts";
import { splitLines } from "./split-lines.ts";

/** One line of Pi's stdout. */
export interface PiRecord {
  type: string;
  [key: string]: unknown;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Answers a select, confirm, input or editor dialog; undefined cancels it. */
export type DialogHandler = (request: PiRecord) => { value: string } | { confirmed: boolean } | undefined;

type Distribute<T> = T extends unknown ? Omit<T, "id"> : never;
interface Pending {
  resolve: (answer: PiRecord) => void;
  reject: (error: Error) => void;
}

const STOP_DEADLINE_MS = 20_000;
const DIALOGS = new Set(["select", "confirm", "input", "editor"]);

/** A Pi process in RPC mode: its records, commands and end. What the commands mean is PiProcess's matter. */
export class RpcConnection {
  readonly setup: PiSetup;
  readonly id: string;
  readonly model: string;
  readonly pid: number;
  /** Everything Pi wrote to stdout, oldest first. `records.length` is a mark to wait from. */
  readonly records: PiRecord[] = [];
  stderr = "";
  onDialog: DialogHandler = () => undefined;
  /** Resolves when the process is gone; `exit` holds the same afterwards. */
  readonly exited: Promise<Exit>;
  exit: Exit | undefined;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #pending = new Map<string, Pending>();
  readonly #watchers = new Set<() => void>();
  #commands = 0;

  constructor(setup: PiSetup) {
    this.setup = setup;
    this.id = setup.id;
    this.model = setup.model;
    const { file, args } = piCommand(setup, ["--mode", "rpc"]);
    this.#child = spawn(file, args, { cwd: setup.cwd, env: piEnv(setup), stdio: ["pipe", "pipe", "pipe"] });
    this.pid = this.#child.pid ?? 0;
    // Writing to a Pi that just died fails with EPIPE; the exit says it better.
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    splitLines(this.#child.stdout, (line) => this.#receive(line));
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit) => {
        this.exit = exit;
        for (const pending of this.#pending.values()) pending.reject(this.#failure("Pi exited before it answered"));
        for (const look of [...this.#watchers]) look();
        resolve(exit);
      };
      this.#child.on("error", (error) => {
        this.stderr += String(error);
        end({ code: null, signal: null });
      });
      this.#child.on("close", (code, signal) => end({ code, signal }));
    });
  }

  /** Sends an RPC command. @returns its `data`. @throws Error when Pi refuses it, exits, or takes over 60 s. */
  async send(command: Distribute<RpcCommand>): Promise<unknown> {
    if (this.exit) throw this.#failure(`sent ${command.type} to a Pi that has exited`);
    const id = `test-${++this.#commands}`;
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<PiRecord>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      timer = setTimeout(() => reject(this.#failure(`no answer to ${command.type} within 60 s`)), 60_000);
    });
    this.#child.stdin.write(`${JSON.stringify({ ...command, id })}\n`);
    try {
      const answer = await answered;
      if (answer["success"] !== true) throw new Error(`Pi refused ${command.type}: ${String(answer["error"])}`);
      return answer["data"];
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  /** The first record that fits, past or to come.
   *  @param options.from index to look from; 0 by default. For something that also happened earlier, pass a mark
   *  (`records.length`) taken before the action.
   *  @throws Error with Pi's stderr and last records when the deadline (30 s) passes or Pi exits. */
  waitFor(
    predicate: (record: PiRecord) => boolean,
    options: { what: string; from?: number; deadlineMs?: number },
  ): Promise<PiRecord> {
    const deadlineMs = options.deadlineMs ?? 30_000;
    let next = options.from ?? 0;
    let end = () => {};
    return new Promise<PiRecord>((resolve, reject) => {
      const fail = (why: string) => reject(this.#failure(`waited for ${options.what}: ${why}`));
      const look = () => {
        for (; next < this.records.length; next++) {
          const record = this.records[next];
          if (record && predicate(record)) return resolve(record);
        }
        if (this.exit) fail("Pi exited");
      };
      const timer = setTimeout(() => fail(`not within ${deadlineMs} ms`), deadlineMs);
      this.#watchers.add(look);
      end = () => {
        clearTimeout(timer);
        this.#watchers.delete(look);
      };
      look();
    }).finally(() => end());
  }

  /** Sends a signal and waits for the end. */
  async kill(signal: NodeJS.Signals = "SIGTERM"): Promise<Exit> {
    this.#child.kill(signal);
    return this.exited;
  }

  /** Ends Pi as a closing terminal does (end of stdin); SIGKILL after 20 s. */
  async stop(): Promise<Exit> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_DEADLINE_MS);
    return this.exited.finally(() => clearTimeout(timer));
  }

  #receive(line: string): void {
    let record: PiRecord;
    try {
      record = JSON.parse(line) as PiRecord;
    } catch {
      record = { type: "not-json", line };
    }
    this.records.push(record);
    if (record.type === "response") this.#pending.get(String(record["id"]))?.resolve(record);
    if (record.type === "extension_ui_request" && DIALOGS.has(String(record["method"]))) {
      const answer = this.onDialog(record) ?? { cancelled: true };
      const response = { type: "extension_ui_response", id: record["id"], ...answer };
      this.#child.stdin.write(`${JSON.stringify(response)}\n`);
    }
    for (const look of [...this.#watchers]) look();
  }

  #failure(message: string): Error {
    const last = this.records.slice(-12).map((record) => record.type);
    const exit = this.exit ? `\nexit: ${JSON.stringify(this.exit)}` : "";
    return new Error(`${this.model}: ${message}${exit}\nstderr: ${this.stderr}\nlast records: ${last.join(", ")}`);
  }
}
