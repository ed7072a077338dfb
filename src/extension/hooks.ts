import { isAddress } from "../mail/address.ts";
import { wireEnvelope } from "../mail/envelope.ts";
import { quoted } from "../mail/plain-text.ts";
import type { Host } from "./host.ts";
import { scanInbox } from "./inbox.ts";
import type { MailSession } from "./mail-session.ts";
import type { MailSource } from "./mail-source.ts";
import { sendFrom } from "./sending.ts";

/** What the hooks ask of the extension. */
export interface HookSource extends Pick<MailSource, "session"> {
  /** True while another provider is being looked for: ours keeps silent then. */
  isSilent(): boolean;
}

/**
 * Answers `message:send` and `message:scan`, wholly before `emit` returns.
 * @returns ends both.
 * @see docs/hooks.md
 */
export function provideHooks(host: Host, source: HookSource): () => void {
  const ends = [
    host.events.on("message:send", (payload) => {
      if (!source.isSilent() && isRecord(payload)) answerSend(payload, source.session());
    }),
    host.events.on("message:scan", (payload) => {
      if (source.isSilent() || !isRecord(payload)) return;
      const session = source.session();
      if (session !== undefined) scanInbox(session);
      payload["scanned"] = true;
    }),
  ];
  return () => {
    for (const end of ends) if (typeof end === "function") end();
  };
}

function answerSend(payload: Record<string, unknown>, session: MailSession | undefined): void {
  // Another provider was first.
  if (payload["envelope"] !== undefined || payload["error"] !== undefined) return;
  try {
    payload["envelope"] = wireEnvelope(sendRequest(payload, session));
  } catch (error) {
    payload["error"] = error instanceof Error ? error.message : String(error);
  }
}

function sendRequest({ to, body }: Record<string, unknown>, session: MailSession | undefined) {
  if (session?.isActive !== true)
    throw new Error("No session is active, so nothing was sent. Send once it has started.");
  if (!isAddress(to)) {
    throw new Error(`\`to\` is ${shown(to)}, not an address. Give a session's full id; names are not looked up here.`);
  }
  if (to === session.address) throw new Error("`to` is this session, which can not send mail to itself.");
  if (typeof body !== "string" || body.trim() === "") {
    throw new Error(`\`body\` is ${shown(body)}, not a text with something in it.`);
  }
  const { turn } = session;
  return sendFrom(session, { to, kind: "request", hops: turn.isRunning ? turn.hops : 0, body });
}

function shown(value: unknown): string {
  return typeof value === "string" ? quoted(value) : typeof value;
}

function isRecord(payload: unknown): payload is Record<string, unknown> {
  return typeof payload === "object" && payload !== null;
}
