import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The extension under test, as Pi loads it: the source, no build. */
export const PROJECT_EXTENSION = inProject("src/extension/index.ts");
/** Commands, a log and a waiting tool for tests that look at Pi from inside. */
export const PROBE_EXTENSION = inProject("test/support/probe-extension.ts");

const DEFAULT_CLI = inProject("node_modules/@mariozechner/pi-coding-agent/dist/bundle/cli.js");
const INSTALLED_NODE = inProject("node_modules/node/bin/node");

/** How one Pi session is run: enough to build its argv and environment. */
export interface PiSetup {
  /** Session id, passed as --session-id. */
  id: string;
  /** Pi session name; undefined runs without --name. */
  name: string | undefined;
  /** Model id under the provider `mock`. */
  model: string;
  extensions: readonly string[];
  /** Loads what the settings of the agent dir name too: packages with their extensions and skills. */
  discovers?: boolean | undefined;
  cwd: string;
  agentDir: string;
  sessionDir: string;
  stateDir: string;
  extraArgs?: readonly string[] | undefined;
  /** Added to the otherwise minimal environment. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Pi's cli.js: `dist/bundle/cli.js` in 1.x, `dist/cli.js` before. Default: the devDependency. */
  cli?: string | undefined;
  /** The node (or bun) binary. Default: this process's node if Pi can run on it, else the devDependency. */
  node?: string | undefined;
  /** Version of `cli`, to leave out flags it lacks. Default: current. */
  version?: string | undefined;
}

/** Program and arguments of a Pi that loads nothing but the given extensions, unless it discovers.
 *  @param modeArgs `["--mode", "rpc"]`, or nothing for the terminal UI. */
export function piCommand(setup: PiSetup, modeArgs: readonly string[] = []): { file: string; args: string[] } {
  const tooOldForSessionFlags = setup.version?.startsWith("0.73.") ?? false;
  const args = [setup.cli ?? DEFAULT_CLI, ...modeArgs, "--provider", "mock", "--model", setup.model];
  if (!tooOldForSessionFlags) {
    args.push("--session-id", setup.id);
    if (setup.name !== undefined) args.push("--name", setup.name);
    args.push("--no-approve");
  }
  if (setup.discovers !== true) args.push("--no-extensions", "--no-skills");
  args.push("--no-prompt-templates", "--no-themes", "--no-context-files");
  for (const extension of setup.extensions) args.push("-e", extension);
  args.push(...(setup.extraArgs ?? []));
  return { file: setup.node ?? nodeForPi(), args };
}

/** The whole environment of a test's Pi: nothing is inherited but PATH, so the tester's own Pi is not touched. */
export function piEnv(setup: PiSetup): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: setup.agentDir,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    PI_CODING_AGENT_DIR: setup.agentDir,
    PI_CODING_AGENT_SESSION_DIR: setup.sessionDir,
    XDG_STATE_HOME: setup.stateDir,
    PI_OFFLINE: "1",
    PI_SKIP_VERSION_CHECK: "1",
    PI_TELEMETRY: "0",
    ...setup.env,
  };
}

/** Pi 1.6.0 dies at start on Node 20, which a machine's own node may be. */
function nodeForPi(): string {
  const major = Number.parseInt(process.versions.node, 10);
  return major < 22 && existsSync(INSTALLED_NODE) ? INSTALLED_NODE : process.execPath;
}
