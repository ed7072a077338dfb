/** A session that writes to another one and answers it, in no order, until it is killed. */
import { setTimeout as pause } from "node:timers/promises";
import { seeded } from "../seeded.ts";
import { SavedHost, type SavedHostOptions } from "./saved-host.ts";

export interface CorrespondOrder extends SavedHostOptions {
  readonly other: string;
  readonly seed: number;
}

const ASK_PATIENCE_MS = 200;
const { other, seed, ...options } = JSON.parse(process.argv[2] ?? "") as CorrespondOrder;
const random = seeded(seed);
// What the person who is told of a failed send would do belongs to no test of kills.
const tell = (error: unknown) => process.stderr.write(`${error}\n`);

/** A run in which the model asks, and has the answer or the refusal as its tool's result. */
async function ask(host: SavedHost): Promise<void> {
  await host.begin();
  const patience = AbortSignal.timeout(ASK_PATIENCE_MS);
  const call = host.callTool("session_mail_ask", { to: other, message: "?" }, patience);
  const result = await call.catch((error: Error) => ({ content: [{ type: "text", text: error.message }] }));
  await host.messageEnd({ role: "toolResult", toolName: "session_mail_ask", ...result });
  await host.read();
  await host.assistant("asked");
  await host.settle();
}

async function stopRun(host: SavedHost): Promise<void> {
  await host.begin();
  await host.assistant("half an answer", "aborted");
  await host.settle({ aborted: true });
}

// Whoever started it has ended without a word.
process.once("disconnect", () => process.exit());
process.send?.("ready");
let host = new SavedHost(options);
await host.start();
for (;;) {
  const dice = random();
  await host.input("next");
  if (dice < 0.3) await host.runCommand("mailbox", `${other} a request`);
  else if (dice < 0.45) await host.callTool("session_mail_send", { to: other, message: "a message" });
  else if (dice < 0.55) await ask(host);
  else if (dice < 0.6) await stopRun(host);
  else if (dice < 0.65) {
    await host.begin();
    await host.shutdown();
    host.errors.map(tell);
    host = new SavedHost(options);
    await host.start();
  }
  await host.work(dice > 0.95);
  host.errors.splice(0).map(tell);
  await pause(random() * 6);
}
