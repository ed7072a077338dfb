import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Compiled TypeScript is kept here between runs: these programs start by the hundred. */
const COMPILED = new URL("../../node_modules/.cache/test-programs", import.meta.url);

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly process: ChildProcess;
  /** Resolves when the program has ended, however it did. */
  readonly ended: Promise<ProgramEnd>;
  /** Resolves with the next thing the program tells by `process.send`. @throws Error when it ends before that. */
  heard(): Promise<unknown>;
}

/**
 * Runs a TypeScript file as a process of its own, on the node that runs this one.
 * @param argument what the program finds as JSON in `process.argv[2]`.
 */
export function startProgram(file: URL, argument: unknown, options: { execArgv?: string[] } = {}): Program {
  const child = fork(file, [JSON.stringify(argument)], {
    execArgv: ["--disable-warning=ExperimentalWarning", ...(options.execArgv ?? [])],
    env: { ...process.env, NODE_OPTIONS: "", NODE_COMPILE_CACHE: fileURLToPath(COMPILED) },
    silent: true,
  });
  const heard: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.on("message", (message) => {
    const next = waiting.shift();
    if (next === undefined) heard.push(message);
    else next(message);
  });
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    process: child,
    ended,
    heard() {
      if (heard.length > 0) return Promise.resolve(heard.shift());
      return Promise.race([
        new Promise((resolve) => waiting.push(resolve)),
        ended.then(({ code, signal }) => {
          throw new Error(`${file.pathname} ended (${code ?? signal}) before it told anything:\n${stdout}${stderr}`);
        }),
      ]);
    },
  };
}

/** Runs a program to its end. @throws Error with its output unless it exits with 0. */
export async function runProgram(file: URL, argument: unknown): Promise<ProgramEnd> {
  const end = await startProgram(file, argument).ended;
  if (end.code === 0) return end;
  throw new Error(`${file.pathname} ended with ${end.code ?? end.signal}:\n${end.stdout}${end.stderr}`);
}
