/** Lives one or several lives of a session, and kills itself just before a given change of the disk. */
import { followFsSteps } from "../../support/fs-steps.ts";
import { SavedHost, type SavedHostOptions } from "./saved-host.ts";

export type Act =
  /** A new life of the session begins. */
  | "start"
  /** Runs read and answer what there is. */
  | "work"
  /** The person types, and the run completes. */
  | "prompt"
  /** A run starts and reads what there is. */
  | "begin"
  /** The run ends with an answer. */
  | "finish"
  /** The person stops the run. */
  | "stop"
  /** The session closes properly. */
  | "quit"
  /** The life ends without a word. */
  | "end"
  /** The model answers an ask at once. */
  | readonly ["reply", ask: string]
  /** The person sends a request; the model sends a message, and asks. */
  | readonly ["request" | "message" | "ask", to: string];

export interface SessionOrder extends SavedHostOptions {
  readonly acts: readonly Act[];
  /** Counted from 1; undefined: lives on to the end. */
  readonly killAt?: number | undefined;
}

export interface SessionReport {
  /** Changes of the disk that the acts made. */
  readonly steps: number;
  readonly errors: readonly string[];
}

const { acts, killAt, ...options } = JSON.parse(process.argv[2] ?? "") as SessionOrder;
const errors: unknown[] = [];
let steps = 0;
let host: SavedHost | undefined;

async function take(act: Act): Promise<void> {
  if (act === "start") {
    host?.abandon();
    host = new SavedHost(options);
    return host.start();
  }
  if (host === undefined) throw new Error("no life was started");
  if (typeof act === "object") return act[0] === "reply" ? reply(host, act[1]) : send(host, ...act);
  switch (act) {
    case "work":
      return host.work();
    case "prompt":
      await host.input("go on");
      return host.work(true);
    case "begin":
      return host.begin();
    case "finish":
      await host.assistant("the answer");
      return host.settle();
    case "stop":
      await host.assistant("half an answer", "aborted");
      return host.settle({ aborted: true });
    case "quit":
      return host.shutdown();
    case "end":
      errors.push(...host.errors);
      return host.abandon();
    default:
      return act satisfies never;
  }
}

async function reply(from: SavedHost, ask: string): Promise<void> {
  await from.callTool("session_mail_reply", { ask, message: "the answer" });
}

async function send(from: SavedHost, kind: "request" | "message" | "ask", to: string): Promise<void> {
  if (kind === "request") return from.runCommand("mailbox", `${to} a request`);
  const call = from.callTool(`session_mail_${kind === "ask" ? "ask" : "send"}`, { to, message: `a ${kind}` });
  // The answer to an ask is not waited for: it is on the disk when the call first gives way.
  if (kind === "message") await call;
  else call.catch((error: unknown) => errors.push(error));
}

followFsSteps(() => {
  steps += 1;
  if (steps === killAt) process.kill(process.pid, "SIGKILL");
});
for (const act of acts) await take(act);
errors.push(...(host?.errors ?? []));
process.send?.({ steps, errors: errors.map(String) } satisfies SessionReport, () => process.exit());
