import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { waitFor } from "../support/wait-for.ts";
import { mailFolder, startSession } from "./bench-session.ts";
import { countFigure, type Figure, ratioFigure } from "./figure.ts";

const SENDER_PROCESS = fileURLToPath(new URL("sender-process.ts", import.meta.url));
const OWNER = "owner";

export interface CrowdSize {
  readonly runs: number;
  readonly senders: number;
  readonly letters: number;
}

/** Many processes send to one inbox while its owner claims: every letter has to arrive once. */
export async function crowdFigures(parent: string, size: CrowdSize): Promise<Figure[]> {
  const all = size.senders * size.letters;
  const arrived: number[] = [];
  const times: number[] = [];
  const floors: number[] = [];
  for (let run = 0; run < size.runs; run += 1) {
    const bareMs = async () => floors.push(await sendBare(parent, run, size));
    const servedMs = async () => {
      const served = await sendToSession(parent, run, size);
      arrived.push(served.once);
      times.push(served.tookMs / all);
    };
    for (const way of run % 2 === 0 ? [bareMs, servedMs] : [servedMs, bareMs]) await way();
  }
  const who = `${size.senders} senders x ${size.letters}`;
  return [
    countFigure({ name: `${who}, arrived once each`, unit: "ids", runs: arrived, goal: all }),
    ratioFigure({ name: `${who}, per letter`, unit: "ms", values: times, floors }),
  ];
}

/** Time of one letter's bare file operations, ms. A fifth of the letters tells it, and is sooner removed again. */
async function sendBare(parent: string, run: number, { senders, letters, ...size }: CrowdSize): Promise<number> {
  const { root } = mailFolder(parent, `crowd-bare-${run}`);
  const each = Math.ceil(letters / 5);
  const goMs = await startSenders(root, { ...size, senders, letters: each }, "bare");
  return (performance.now() - goMs) / (senders * each);
}

async function sendToSession(
  parent: string,
  run: number,
  size: CrowdSize,
): Promise<{ readonly once: number; readonly tookMs: number }> {
  const folder = mailFolder(parent, `crowd-${run}`);
  const host = await startSession(folder, OWNER, true);
  const goMs = await startSenders(folder.root, size, "mail");
  await waitFor(() => readdirSync(join(folder.root, OWNER, "new")).length === 0, {
    what: "the owner to claim all",
    deadlineMs: 120_000,
  });
  const tookMs = performance.now() - goMs;
  await host.shutdown();

  const shown = new Map<unknown, number>();
  for (const { message } of host.sent) {
    const id = message.details?.["id"];
    shown.set(id, (shown.get(id) ?? 0) + 1);
  }
  return { once: [...shown.values()].filter((times) => times === 1).length, tookMs };
}

/** Has all senders start at once and waits for their ends. @returns when they started, ms */
async function startSenders(root: string, { senders, letters }: CrowdSize, way: "bare" | "mail"): Promise<number> {
  const children = Array.from({ length: senders }, (_, at) =>
    spawn(process.execPath, [SENDER_PROCESS, root, `sender-${at}`, OWNER, String(letters), way], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const ends = children.map((child) => once(child, "exit"));
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const goMs = performance.now();
  for (const child of children) child.stdin.write("go\n");
  for (const [code] of await Promise.all(ends)) {
    if (code !== 0) throw new Error(`a sender ended with ${code}`);
  }
  return goMs;
}
