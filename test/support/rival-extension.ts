import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";

const TOOLS = ["session_mail_list", "session_mail_ask", "session_mail_reply", "session_mail_send"];

/** Stands in for another mailbox extension: it owns the names of the tools and the command, and answers the hooks, from
 *  the moment it is loaded. It touches no mail. */
export default function rival(pi: ExtensionAPI): void {
  for (const name of TOOLS) {
    pi.registerTool({
      name,
      label: name,
      description: "Answers that the other extension served the call.",
      parameters: Type.Object({}, { additionalProperties: true }),
      execute: async () => ({ content: [{ type: "text", text: `the rival's ${name}` }], details: {} }),
    });
  }
  pi.registerCommand("mailbox", {
    description: "Says who serves it",
    handler: async (_words, ctx) => ctx.ui.notify("the rival's /mailbox"),
  });
  pi.events.on("message:send", (payload) => {
    (payload as { error?: string }).error = "the rival sends nothing";
  });
  pi.events.on("message:scan", (payload) => {
    (payload as { scanned?: boolean }).scanned = true;
  });
}
