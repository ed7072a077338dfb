import type { HostContext } from "./host.ts";
import { MAIL_CUSTOM_TYPE } from "./mail-renderer.ts";

/** Ids of the letters that the saved conversation holds; undefined on a host that does not show its conversation. */
export function lettersInConversation(ctx: HostContext): Set<string> | undefined {
  const { sessionManager } = ctx;
  const entries = sessionManager.getBranch?.() ?? sessionManager.getEntries?.();
  if (entries === undefined) return undefined;
  return new Set(
    entries.flatMap((entry) => {
      if (entry.type === "custom_message") return letterId(entry) ?? [];
      return entry.type === "message" ? (resultLetterId(entry.message) ?? []) : [];
    }),
  );
}

/** The id of the letter that an ask's result holds; undefined for any other message. */
export function resultLetterId(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { role, toolName, details } = message as { role?: unknown; toolName?: unknown; details?: unknown };
  if (role !== "toolResult" || toolName !== "session_mail_ask") return undefined;
  if (typeof details !== "object" || details === null) return undefined;
  const { reply } = details as { reply?: unknown };
  return typeof reply === "string" ? reply : undefined;
}

/** The id of the letter in a custom message of ours; undefined for any other message. */
export function letterId(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { customType, details } = message as { customType?: unknown; details?: unknown };
  if (customType !== MAIL_CUSTOM_TYPE || typeof details !== "object" || details === null) return undefined;
  const { id } = details as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}
