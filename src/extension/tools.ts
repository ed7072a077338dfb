import { askTool } from "./ask-tool.ts";
import type { Host } from "./host.ts";
import { listTool } from "./list-tool.ts";
import type { MailSource } from "./mail-source.ts";
import { replyTool } from "./reply-tool.ts";
import { sendTool } from "./send-tool.ts";

export const TOOL_NAMES: readonly string[] = [
  "session_mail_list",
  "session_mail_ask",
  "session_mail_reply",
  "session_mail_send",
];

export function registerTools(host: Host, source: MailSource): void {
  host.registerTool(listTool(source));
  host.registerTool(askTool(source));
  host.registerTool(replyTool(source));
  host.registerTool(sendTool(source));
}
