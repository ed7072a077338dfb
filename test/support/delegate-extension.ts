import { renameSync } from "node:fs";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";

interface Letter {
  id: string;
  kind: string;
  from: string;
  hops: number;
  in_reply_to: string[];
  status: string;
  body: string;
}

/** What the hooks' events carry, as their contract describes it. */
interface Inbound {
  envelope: Letter;
  path: string;
  requests: { envelope: Letter; path: string }[];
  handled: boolean;
}

/** Another extension beside ours, which knows it by its hooks alone.
 *
 *  `/delegate <address> <text>` and the tool `delegate {to, body}` send a request; replies to those, and letters that
 *  begin with "task:", it takes over and shows itself, with a turn. `/delegate-scan <from> <to>` renames a file into the
 *  inbox, scans at once, and notifies the ids that were emitted meanwhile. Every letter it hears of is notified as
 *  `inbound <json>`. */
export default function delegate(pi: ExtensionAPI): void {
  const sent = new Set<string>();
  const heard: string[] = [];
  let say = (_text: string): void => {};

  const sendRequest = (to: string, body: string): { envelope?: Letter; error?: string } => {
    const payload: { to: string; body: string; envelope?: Letter; error?: string } = { to, body };
    pi.events.emit("message:send", payload);
    if (payload.envelope) sent.add(payload.envelope.id);
    return payload;
  };

  pi.on("session_start", (_event, ctx) => {
    say = (text) => ctx.ui.notify(text);
  });

  pi.events.on("message:inbound", (payload) => {
    const inbound = payload as Inbound;
    heard.push(inbound.envelope.id);
    say(`inbound ${JSON.stringify(inbound)}`);
    const { envelope, requests } = inbound;
    const isMine = envelope.in_reply_to.some((id) => sent.has(id)) || envelope.body.startsWith("task:");
    if (!isMine || inbound.handled) return;
    inbound.handled = true;
    const asked = requests.map(({ envelope: request }) => request.body).join("; ");
    pi.sendMessage(
      { customType: "delegate", content: `delegate has ${envelope.body} for ${asked}`, display: true },
      { triggerTurn: true, deliverAs: "followUp" },
    );
  });

  pi.registerCommand("delegate", {
    description: "Send a request: <address> <text>",
    handler: async (args, ctx) => {
      const [to = "", ...words] = args.split(" ");
      ctx.ui.notify(`sent ${JSON.stringify(sendRequest(to, words.join(" ")))}`);
    },
  });
  pi.registerCommand("delegate-scan", {
    description: "Move a file into the inbox and have it claimed at once: <from> <to>",
    handler: async (args, ctx) => {
      const [from = "", to = ""] = args.split(" ");
      const before = heard.length;
      const payload: { scanned?: boolean } = {};
      renameSync(from, to);
      pi.events.emit("message:scan", payload);
      ctx.ui.notify(`scanned ${JSON.stringify({ ...payload, heard: heard.slice(before) })}`);
    },
  });
  pi.registerTool({
    name: "delegate",
    label: "Delegate",
    description: "Sends a request to another session.",
    parameters: Type.Object({ to: Type.String(), body: Type.String() }),
    async execute(_id, { to, body }) {
      const { error } = sendRequest(to, body);
      return { content: [{ type: "text", text: error ?? "delegated" }], details: {} };
    },
  });
}
