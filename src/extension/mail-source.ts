import type { MailSession } from "./mail-session.ts";
import type { Surroundings } from "./surroundings.ts";

/** What tools, commands and hooks ask of the extension, at the moment they run. */
export interface MailSource {
  /** The session that mail is sent for; undefined before it starts and after it shuts down. */
  session(): MailSession | undefined;
  /** The mail root as it is now. */
  root(): string;
  readonly around: Surroundings;
}
