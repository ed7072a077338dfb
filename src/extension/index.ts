import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { mailRootPath } from "../maildir/mail-root.ts";
import { provideHooks } from "./hooks.ts";
import { type Host, hostTraits, OLDEST_PI_TEXT } from "./host.ts";
import { registerMailRenderer } from "./mail-renderer.ts";
import type { MailSession } from "./mail-session.ts";
import { mailboxCommand } from "./mailbox-command.ts";
import { mailroomCommand } from "./mailroom-command.ts";
import { answersHooks, foreignTools } from "./rival.ts";
import { followRuns } from "./runs.ts";
import { closeSession, continueSession, guarded, openSession } from "./session-life.ts";
import { realSurroundings, type Surroundings } from "./surroundings.ts";
import { registerTools } from "./tools.ts";

const STEPS_BACK =
  "pi-mailroom does nothing in this session: another mailbox extension serves its mail already. Remove one of the two.";

/** Pi's entry: mail between the Pi sessions of this machine. */
export default function mailroom(pi: ExtensionAPI): void {
  connect(pi, realSurroundings());
}

/** Wires mail to a host. Nothing is started before `session_start`. */
export function connect(host: Host, around: Surroundings): void {
  if (!hostTraits(around.hostVersion).tellsSettled) {
    sayOnce(
      host,
      `pi-mailroom needs Pi ${OLDEST_PI_TEXT} or later, and this is ${around.hostVersion}: it does nothing here.`,
    );
    return;
  }
  if (answersHooks(host)) {
    sayOnce(host, STEPS_BACK);
    return;
  }
  let current: MailSession | undefined;
  let isSilent = false;
  let isOffered = false;
  let hasSteppedBack = false;
  let endHooks: (() => void) | undefined;
  const source = {
    around,
    session: () => (current?.isActive === true ? current : undefined),
    root: () => mailRootPath(around.env, around.home()),
    isSilent: () => isSilent,
  };

  endHooks = provideHooks(host, source);
  registerMailRenderer(host);
  /** Tools and commands, once: a name that two extensions register is fatal for a tool, and is neither's for a command. */
  const offer = (): void => {
    if (isOffered) return;
    isOffered = true;
    registerTools(host, source);
    host.registerCommand("mailbox", mailboxCommand(source));
    host.registerCommand("mailroom", mailroomCommand(source));
  };
  // Nobody can be told from ours by the names on such a host, so nothing is gained by waiting for the start.
  if (host.getAllTools === undefined) offer();

  /** Looks for another mailbox extension, which may have been loaded later. */
  const isRivaled = (): boolean => {
    isSilent = true;
    try {
      return (!isOffered && foreignTools(host).length > 0) || answersHooks(host);
    } finally {
      isSilent = false;
    }
  };

  host.on("session_start", (event, ctx) => {
    if (hasSteppedBack) return;
    if (current?.isActive === true && current.address === ctx.sessionManager.getSessionId()) {
      continueSession(current, ctx);
      return;
    }
    if (current?.isActive === true) closeSession(current, "new");
    if (isRivaled()) {
      hasSteppedBack = true;
      endHooks?.();
      if (ctx.hasUI) ctx.ui.notify(STEPS_BACK, "warning");
      return;
    }
    endHooks ??= provideHooks(host, source);
    offer();
    current = openSession(host, around, ctx, event?.reason ?? "startup");
  });
  host.on("session_shutdown", (event, ctx) => {
    if (hasSteppedBack) return;
    endHooks?.();
    endHooks = undefined;
    if (current?.isActive !== true) return;
    current.ctx = ctx;
    closeSession(current, event?.reason ?? "quit");
  });
  followRuns(host, (ctx, work) => {
    const session = source.session();
    if (session === undefined) return;
    session.ctx = ctx;
    guarded(session, () => work(session));
  });
}

function sayOnce(host: Host, text: string): void {
  let isSaid = false;
  host.on("session_start", (_event, ctx) => {
    if (!isSaid && ctx.hasUI) ctx.ui.notify(text, "warning");
    isSaid = true;
  });
}
