import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { piCommand, piEnv } from "./pi-command.ts";
import { type ProbeLine, readProbeLog } from "./pi-process.ts";
import { waitFor } from "./wait-for.ts";
import type { PiOptions, World } from "./world.ts";

const run = promisify(execFile);

export interface TmuxOptions {
  file: string;
  args?: readonly string[];
  /** The whole environment of the command; TERM and tmux's own variables are added. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Columns, 110 by default. */
  width?: number;
  /** Rows, 32 by default. */
  height?: number;
}

/** Keeps the terminal after the command, so that its last screen can be read, and writes the exit code to $0.
 *  tmux's own remain-on-exit now and then misses the end of a command (3.3a). */
const KEEP_SCREEN = '"$@"; echo $? >"$0"; exec sleep 86400';

let terminals = 0;

/** A command in a terminal of its own: a private tmux server that reads no configuration. */
export class Terminal implements AsyncDisposable {
  readonly #socket = join(tmpdir(), `mailroom-${process.pid}-${++terminals}.sock`);
  readonly #env: Readonly<Record<string, string>>;
  readonly #exitFile = `${this.#socket}.exit`;
  /** Process group of the shell that runs the command. */
  #group = 0;

  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
  }

  async start(options: TmuxOptions): Promise<void> {
    const { file, args = [], cwd = process.cwd(), width = 110, height = 32 } = options;
    const size = ["-x", String(width), "-y", String(height)];
    const term = ["set", "-g", "default-terminal", "xterm-256color", ";"];
    // Pi warns about a tmux without them, some time after its start, in the middle of what a test looks at.
    const keys = ["set", "-s", "extended-keys", "on", ";"];
    const command = ["sh", "-c", KEEP_SCREEN, this.#exitFile, file, ...args];
    await this.#tmux(
      "start-server",
      ";",
      ...term,
      ...keys,
      "new-session",
      "-d",
      "-s",
      "test",
      ...size,
      "-c",
      cwd,
      ...command,
    );
    this.#group = Number((await this.#tmux("display-message", "-p", "-t", "test", "#{pane_pid}")).trim());
  }

  /** Presses keys by their tmux names: "Enter", "Escape", "M-Up", "C-c". */
  async send(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", "-t", "test", ...keys);
  }

  /** Types text as it is, without Enter. */
  async type(text: string): Promise<void> {
    await this.#tmux("send-keys", "-t", "test", "-l", "--", text);
  }

  /** Types a line and sends it, once it is on the screen. */
  async enter(line: string): Promise<void> {
    await this.type(line);
    await this.waitForText(line);
    await this.send("Enter");
  }

  /** The visible rows, trailing blanks cut. */
  screen(): Promise<string> {
    return this.#tmux("capture-pane", "-p", "-t", "test");
  }

  /** The visible rows with their escape sequences for colours. */
  screenWithColours(): Promise<string> {
    return this.#tmux("capture-pane", "-p", "-e", "-t", "test");
  }

  /** The title that the command gave its window; tmux's own when it gave none. */
  async title(): Promise<string> {
    return (await this.#tmux("display-message", "-p", "-t", "test", "#{pane_title}")).trim();
  }

  /** Waits until the screen shows the text. @returns that screen. @throws Error with the last screen. */
  async waitForText(pattern: string | RegExp, deadlineMs = 30_000): Promise<string> {
    let screen = "";
    const shown = async () => {
      screen = await this.screen();
      return (typeof pattern === "string" ? screen.includes(pattern) : pattern.test(screen)) && screen;
    };
    return waitFor(shown, { what: `${pattern} on the screen`, deadlineMs }).catch((cause: unknown) => {
      throw new Error(`${String(cause)}\nthe screen:\n${screen}`, { cause });
    });
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#tmux("resize-window", "-t", "test", "-x", String(width), "-y", String(height));
  }

  /** The exit code of the command once it has ended; 128 + n when signal n ended it. */
  async exitCode(deadlineMs = 30_000): Promise<number> {
    const written = () => /^(\d+)\n/.exec(readFileSync(this.#exitFile, "utf8"));
    return Number((await waitFor(written, { what: "the command to end", deadlineMs }))[1]);
  }

  /** Ends the server and waits until the command is gone (SIGKILL after 10 s). */
  async close(): Promise<void> {
    await this.#tmux("kill-server").catch(() => {});
    const gone = () => !this.#signal(0);
    await waitFor(gone, { what: "the command to end", deadlineMs: 10_000 }).catch(() => this.#signal("SIGKILL"));
    for (const path of [this.#socket, this.#exitFile]) rmSync(path, { force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #tmux(...args: string[]): Promise<string> {
    const { stdout } = await run("tmux", ["-u", "-S", this.#socket, "-f", "/dev/null", ...args], { env: this.#env });
    return stdout;
  }

  /** Signals the shell and the command. @returns false when neither is left. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#group > 0 && process.kill(-this.#group, signal);
    } catch {
      return false;
    }
  }
}

/** Runs a command in a terminal. Close it, or `await using` it. */
export async function startInTmux(options: TmuxOptions): Promise<Terminal> {
  const basic = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8" };
  const terminal = new Terminal({ ...basic, ...options.env });
  await terminal.start(options);
  return terminal;
}

export interface PiInTmux {
  readonly terminal: Terminal;
  readonly id: string;
  readonly model: string;
  /** What the probe extension logged: tells more surely than the screen what Pi has done. */
  probeLog(): ProbeLine[];
  /** Lets the probe's tool `probe_wait` return. */
  releaseProbe(): void;
}

/** Runs Pi's terminal UI with the same folders, flags and environment as `world.startPi()`; the world closes it. */
export async function startPiInTmux(
  world: World,
  options: PiOptions & Pick<TmuxOptions, "width" | "height"> = {},
): Promise<PiInTmux> {
  const { width = 110, height = 32, ...piOptions } = options;
  const setup = world.setup(piOptions);
  const terminal = await startInTmux({ ...piCommand(setup), env: piEnv(setup), cwd: setup.cwd, width, height });
  world.onDispose(() => terminal.close());
  return {
    terminal,
    id: setup.id,
    model: setup.model,
    probeLog: () => readProbeLog(setup),
    releaseProbe: () => writeFileSync(setup.env?.["PROBE_WAIT_FILE"] ?? "", ""),
  };
}
