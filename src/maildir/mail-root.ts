import { chmodSync, mkdirSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { MailroomError } from "../mail/errors.ts";

/** Environment variables, read each time they are used. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Folder of the mail root inside the state folder. Shared with other programs: never rename it. */
const ROOT_NAME = "pi-session-mail";

/**
 * `$XDG_STATE_HOME/pi-session-mail`, or `<home>/.local/state/pi-session-mail` when the variable is unset or relative.
 * @param home the user's home folder.
 */
export function mailRootPath(env: Environment, home: string): string {
  const state = env["XDG_STATE_HOME"];
  return join(state !== undefined && isAbsolute(state) ? state : join(home, ".local", "state"), ROOT_NAME);
}

/** Makes the mail root, or closes it to other users (0700) if it was there. @throws MailroomError root/unusable */
export function openMailRoot(root: string): void {
  try {
    const found = statSync(root, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true) mkdirSync(root, { recursive: true, mode: 0o700 });
    if (found === undefined || (found.mode & 0o7777) !== 0o700) chmodSync(root, 0o700);
  } catch (cause) {
    throw new MailroomError(
      "root/unusable",
      `The mail root ${root} can not be used: ${cause instanceof Error ? cause.message : String(cause)}.`,
      "Make it a folder that you own and can write, or point XDG_STATE_HOME somewhere else.",
      { cause },
    );
  }
}

/** True when other users may enter or read a folder. A folder that is not there is not open. */
export function isOpenToOthers(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o077) !== 0;
}
