import { connect } from "../../src/extension/index.ts";
import { FakeHost } from "./fake-host.ts";
import { surroundingsIn } from "./surroundings-in.ts";

/** What the test tells a child, and what it hears of it. */
export type ToChild = { readonly ask: string; readonly atMs: number } | { readonly end: true };
export type FromChild =
  | { readonly ready: true }
  | { readonly ended: true }
  /** The refusal's message; "" for an ask that was written and waits. */
  | { readonly refused: string };

const [address = "", stateHome = ""] = process.argv.slice(2);
const tell = (message: FromChild) => void process.send?.(message);

/** A session in a process of its own, which asks when it is told to. */
const host = new FakeHost({ sessionId: address, cwd: stateHome, hasUI: false });
await host.load((pi) => connect(pi, surroundingsIn(stateHome)));
await host.sessionStart();

let wait: { readonly stop: AbortController; readonly over: Promise<unknown> } | undefined;

async function ask(to: string, atMs: number): Promise<void> {
  const stop = new AbortController();
  // A person types: the asks that come in would else reach the hop limit.
  await host.input("?");
  // Both children spin up to the same moment, so that their asks cross within microseconds.
  while (Date.now() < atMs);
  let refused = "";
  const over = host.callTool("session_mail_ask", { to, message: "?" }, stop.signal).catch((error: Error) => {
    refused = error.message;
  });
  wait = { stop, over };
  await new Promise((resolve) => setImmediate(resolve));
  tell({ refused });
}

async function end(): Promise<void> {
  wait?.stop.abort();
  await wait?.over;
  tell({ ended: true });
}

process.on("message", (message: ToChild) => void ("ask" in message ? ask(message.ask, message.atMs) : end()));
process.on("disconnect", () => process.exit());
tell({ ready: true });
