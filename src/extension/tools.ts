import { askTool } from "./ask-tool.ts";
import type { Host } from "./host.ts";
import { listTool } from "./list-tool.ts";
import type { MailSession } from "./mail-session.ts";
import { replyTool } from "./reply-tool.ts";
import { sendTool } from "./send-tool.ts";

/** What the tools ask of the extension. */
export interface ToolSource {
  /** The session that mail is sent for; undefined before it starts and after it shuts down. */
  session(): MailSession | undefined;
  /** The mail root as it is now. */
  root(): string;
}

export const TOOL_NAMES: readonly string[] = [
  "session_mail_list",
  "session_mail_ask",
  "session_mail_reply",
  "session_mail_send",
];

export function registerTools(host: Host, source: ToolSource): void {
  host.registerTool(listTool(source));
  host.registerTool(askTool(source));
  host.registerTool(replyTool(source));
  host.registerTool(sendTool(source));
}
