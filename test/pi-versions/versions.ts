import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** An older Pi that the extension is held to. */
export interface OldPi {
  readonly version: string;
  /** Its packages ask for newer ones of each other that they can not run with. */
  readonly overrides: Readonly<Record<string, string>>;
  /** Where its program lies in the package. */
  readonly program: string;
  /** A program can clear the queue over RPC, as Esc and Alt+Up do in the terminal. */
  readonly clearsQueue: boolean;
}

const PACKAGE = "@earendil-works/pi-coding-agent";

/** The oldest one served that can be installed, the first that is quiet during a run, and one between it and the current. */
export const OLD_PIS: readonly OldPi[] = [
  {
    version: "0.80.6",
    overrides: sameVersion("0.80.6", "ai", "agent-core", "tui"),
    program: "dist/cli.js",
    clearsQueue: false,
  },
  {
    version: "1.0.3",
    overrides: {
      "@earendil-works/chord": "0.87.1",
      ...sameVersion("1.0.3", "ai", "agent-core", "tui", "codemode", "mcp"),
    },
    program: "dist/bundle/cli.js",
    clearsQueue: true,
  },
  { version: "1.3.0", overrides: {}, program: "dist/bundle/cli.js", clearsQueue: true },
];

/** Folder that a version is installed in. */
export function installFolder({ version }: OldPi): string {
  return fileURLToPath(new URL(`../../.cache/pi/${version}`, import.meta.url));
}

export function cliPath(pi: OldPi): string {
  return `${installFolder(pi)}/node_modules/${PACKAGE}/${pi.program}`;
}

export function isInstalled(pi: OldPi): boolean {
  return existsSync(cliPath(pi));
}

/** The package.json by which npm installs it. */
export function manifest({ version, overrides }: OldPi): object {
  return { private: true, dependencies: { [PACKAGE]: version }, overrides };
}

function sameVersion(version: string, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`@earendil-works/pi-${name}`, version]));
}
