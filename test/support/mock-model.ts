import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { type Answer, writeAnswer } from "./openai-stream.ts";

export interface ChatMessage {
  role: string;
  content?: string | null | readonly { type: string; text?: string }[];
}

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** Names of the tools offered to the model. */
  readonly tools: readonly string[];
  /** True once the connection is gone. With `finished` still false: the client aborted. */
  closed: boolean;
  /** True once the whole answer was written. */
  finished: boolean;
}

export type Step = Answer | ((request: ModelRequest) => Answer | Promise<Answer>);

export interface MockModel {
  /** Base URL for models.json. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[];
  requestsOf(model: string): ModelRequest[];
  /** Queues answers for one model id; a request that finds none gets the text `ok(<model>)`. */
  push(model: string, ...steps: Step[]): void;
  /** Content of a models.json that declares these ids under the provider `mock`. */
  modelsJson(ids: Iterable<string>): object;
  close(): Promise<void>;
}

/** A promise opened from outside, to hold an answer back until the test has looked around. */
export function gate(): { promise: Promise<void>; open: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** The text of one chat message, whichever form its content has; "" when it has none. */
export function textOf(message: ChatMessage): string {
  if (typeof message.content === "string") return message.content;
  return (message.content ?? []).map((part) => part.text ?? "").join("");
}

/** Everything the model was shown in one request, system prompt included, a newline between messages. */
export function transcript(request: ModelRequest): string {
  return request.messages.map(textOf).join("\n");
}

/** Starts a scripted model that speaks OpenAI's streaming chat protocol on a loopback port.
 *  One server serves many sessions: the model id in the request names the script. */
export async function startMockModel(): Promise<MockModel> {
  const scripts = new Map<string, Step[]>();
  const requests: ModelRequest[] = [];

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.url !== "/v1/chat/completions") {
      response.writeHead(404).end();
      return;
    }
    const body = JSON.parse(await readText(incoming)) as {
      model: string;
      messages: ChatMessage[];
      tools?: { function?: { name: string } }[];
    };
    const tools = (body.tools ?? []).map((tool) => tool.function?.name ?? "");
    const request: ModelRequest = { ...body, tools, closed: false, finished: false };
    requests.push(request);
    const gone = gate();
    response.on("close", () => {
      request.closed = true;
      gone.open();
    });
    const step = scripts.get(body.model)?.shift() ?? {};
    const scripted = typeof step === "function" ? await step(request) : step;
    const context = { model: body.model, number: requests.length, gone: gone.promise };
    request.finished = await writeAnswer(response, scripted, context);
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      const message = `the scripted step failed: ${String(error)}`;
      if (response.headersSent) response.destroy();
      else response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

  return {
    url,
    requests,
    requestsOf: (model) => requests.filter((request) => request.model === model),
    push: (model, ...steps) => scripts.set(model, [...(scripts.get(model) ?? []), ...steps]),
    modelsJson: (ids) => ({
      providers: {
        mock: { baseUrl: url, api: "openai-completions", apiKey: "mock-key", models: [...ids].map(declareModel) },
      },
    }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function declareModel(id: string): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { id, name: id, reasoning: false, input: ["text"], cost, contextWindow: 128_000, maxTokens: 4096 };
}
