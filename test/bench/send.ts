import type { FakeHost } from "../support/fake-host.ts";
import { mailFolder, startSession } from "./bench-session.ts";
import { mailBody, seededRandom } from "./corpus.ts";
import { type Figure, median, ratioFigure } from "./figure.ts";
import { bareSend, plainSend, type Send } from "./send-ways.ts";

/** The whole way through the extension: the `message:send` hook, settings, receipts, counts and footer. */
function hookSend(host: FakeHost, to: string): Send {
  return (body) => {
    const payload: { to: string; body: string; error?: string } = { to, body };
    host.events.emit("message:send", payload);
    if (payload.error !== undefined) throw new Error(payload.error);
  };
}

/** One request sent, against its bare file operations. */
export async function sendFigures(
  parent: string,
  { runs, letters }: { runs: number; letters: number },
): Promise<Figure[]> {
  const folder = mailFolder(parent, "send");
  const host = await startSession(folder, "hook-from", true);
  const ways: { send: Send; inRun: number[]; times: number[] }[] = [
    bareSend(folder.root, "bare-from", "bare-to"),
    plainSend(folder.root, "plain-from", "plain-to"),
    hookSend(host, "hook-to"),
  ].map((send) => ({ send, inRun: [], times: [] }));
  const body = mailBody(seededRandom(1));

  for (let run = -1; run < runs; run += 1) {
    for (let letter = 0; letter < letters; letter += 1) {
      for (let at = 0; at < ways.length; at += 1) {
        const way = ways[(letter + at) % ways.length];
        const startMs = performance.now();
        way?.send(body);
        way?.inRun.push(performance.now() - startMs);
      }
    }
    for (const { inRun, times } of ways) {
      const ofRun = median(inRun.splice(0));
      if (run >= 0) times.push(ofRun);
    }
  }
  await host.shutdown();

  const [floors = [], plain = [], hook = []] = ways.map((way) => way.times);
  return [
    ratioFigure({ name: "send a request", unit: "ms", values: plain, floors, goal: 1.6 }),
    ratioFigure({ name: "send a request by message:send", unit: "ms", values: hook, floors }),
  ];
}
