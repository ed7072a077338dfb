import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface ToolCall {
  name: string;
  args?: Record<string, unknown>;
  /** The call id Pi reports; made up when absent. */
  id?: string;
}

/** One scripted answer of the model. Without text, tools or error it is the default reply. */
export interface Answer {
  /** Nothing is sent, not even headers, until this resolves. */
  gate?: Promise<unknown>;
  text?: string;
  /** Milliseconds between the words of `text`. */
  slowMs?: number;
  /** Keeps the stream open after the text (and before tool calls) until this resolves. */
  hold?: Promise<unknown>;
  tool?: ToolCall;
  tools?: readonly ToolCall[];
  /** Answers with an HTTP error instead. 400 (the default) ends the run; 503 is retried where retries are on. */
  error?: string;
  status?: number;
}

/** Writes one answer as an OpenAI chat completion stream.
 *  @param gone resolves when the client disconnects: an abort must not leave this waiting for its gate.
 *  @returns whether the whole answer was written. */
export async function writeAnswer(
  response: ServerResponse,
  answer: Answer,
  context: { model: string; number: number; gone: Promise<unknown> },
): Promise<boolean> {
  const until = (promise: Promise<unknown> | undefined) => promise && Promise.race([promise, context.gone]);
  await until(answer.gate);
  if (response.destroyed) return false;
  if (answer.error !== undefined) {
    response.writeHead(answer.status ?? 400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: answer.error, type: "invalid_request_error" } }));
    return true;
  }
  const chunk = (delta: object, finishReason: string | null = null, extra: object = {}) =>
    response.write(
      `data: ${JSON.stringify({
        id: `chatcmpl-${context.number}`,
        object: "chat.completion.chunk",
        created: 1,
        model: context.model,
        choices: [{ index: 0, delta, finish_reason: finishReason }],
        ...extra,
      })}\n\n`,
    );
  response.writeHead(200, { "content-type": "text/event-stream" });
  chunk({ role: "assistant", content: "" });
  const calls = answer.tools ?? (answer.tool ? [answer.tool] : []);
  const text = answer.text ?? (calls.length > 0 ? "" : `ok(${context.model})`);
  for (const part of answer.slowMs === undefined ? [text] : text.split(/(?<= )/)) {
    if (response.destroyed) return false;
    if (part !== "") chunk({ content: part });
    if (answer.slowMs !== undefined) await until(sleep(answer.slowMs));
  }
  await until(answer.hold);
  if (response.destroyed) return false;
  for (const [index, call] of calls.entries()) {
    const id = call.id ?? `call_${context.number}_${index}`;
    const fn = { name: call.name, arguments: JSON.stringify(call.args ?? {}) };
    chunk({ tool_calls: [{ index, id, type: "function", function: fn }] });
  }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  chunk({}, calls.length > 0 ? "tool_calls" : "stop", { usage });
  response.end("data: [DONE]\n\n");
  return true;
}
