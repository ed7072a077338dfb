import { userTexts } from "./letters.ts";
import type { ModelRequest, Step } from "./mock-model.ts";
import type { Answer } from "./openai-stream.ts";

/** Steps of the scripted model that use the mail tools. */

export const list: Answer = { tool: { name: "session_mail_list" } };

export function ask(to: string, message: string): Answer {
  return { tool: { name: "session_mail_ask", args: { to, message } } };
}

export function send(to: string, message: string): Answer {
  return { tool: { name: "session_mail_send", args: { to, message } } };
}

/** Replies to the latest ask that the model was shown, or to the given one. */
export function reply(message: string, id?: string): Step {
  return (request) => ({
    tool: { name: "session_mail_reply", args: { ask: id ?? askIdSeen(request), message } },
  });
}

/** The id that the label of the latest ask in the conversation gives; "" when it shows none. */
function askIdSeen(request: ModelRequest): string {
  const ids = userTexts(request).map((text) => /^\[mailbox\] From .*\bask with the id (\S+),/.exec(text)?.[1] ?? "");
  return ids.findLast((id) => id !== "") ?? "";
}
