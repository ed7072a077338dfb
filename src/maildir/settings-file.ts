import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readSettings, SETTINGS_FILE, type SettingsReading } from "../mail/settings.ts";
import { isErrno } from "./errno.ts";
import type { Environment } from "./mail-root.ts";

/** Pi's agent folder: `$PI_CODING_AGENT_DIR`, where `~` is the home folder, or `<home>/.pi/agent`. */
export function agentFolder(env: Environment, home: string): string {
  const configured = env["PI_CODING_AGENT_DIR"];
  if (configured === undefined || configured === "") return join(home, ".pi", "agent");
  return configured === "~" || configured.startsWith("~/") ? join(home, configured.slice(1)) : configured;
}

/** The settings in force now. A file that can not be read means the defaults, and is one of the problems. */
export function loadSettings(env: Environment, home: string): SettingsReading {
  const path = join(agentFolder(env, home), SETTINGS_FILE);
  try {
    return readSettings(readFileSync(path, "utf8"), path);
  } catch (error) {
    const { settings } = readSettings(undefined, path);
    if (isErrno(error, "ENOENT", "ENOTDIR")) return { settings, problems: [] };
    const why = error instanceof Error ? error.message : String(error);
    return {
      settings,
      problems: [`${path} can not be read (${why}); the defaults are used: ${JSON.stringify(settings)}.`],
    };
  }
}
