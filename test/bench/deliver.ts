import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FakeHost } from "../support/fake-host.ts";
import { originalEnvelope, writeOriginalRecord } from "../support/original-form.ts";
import { waitFor } from "../support/wait-for.ts";
import { type MailFolder, mailFolder, startSession } from "./bench-session.ts";
import { fillMailbox, mailBody, seededRandom } from "./corpus.ts";
import { type Figure, median, ratioFigure } from "./figure.ts";

const OWNER = "owner";
const SENDER = "sender";
const KINDS = ["request", "message", "reply"] as const;
type Kind = (typeof KINDS)[number];

/** A session whose mailbox holds so much read and as much sent mail. */
class Scenario {
  readonly size: number;
  readonly hasUI: boolean;
  readonly host: FakeHost;
  /** Time of one delivery, ms: the median of each run, by kind. */
  readonly times: Record<Kind, number[]> = { request: [], message: [], reply: [] };
  /** Time to read every file in `cur/` and `sent/` once, ms, by run. */
  readonly readings: number[] = [];
  readonly #inRun: Record<Kind, number[]> = { request: [], message: [], reply: [] };
  readonly #folder: MailFolder;
  readonly #random = seededRandom(7);

  private constructor(folder: MailFolder, size: number, hasUI: boolean, host: FakeHost) {
    this.#folder = folder;
    this.size = size;
    this.hasUI = hasUI;
    this.host = host;
  }

  static async open(parent: string, size: number, hasUI: boolean): Promise<Scenario> {
    const folder = mailFolder(parent, `deliver-${size}-${hasUI ? "footer" : "bare"}`);
    fillMailbox(folder.root, OWNER, SENDER, size, size);
    writeOriginalRecord(folder.root, { address: SENDER, name: "sender", cwd: folder.state, pid: process.pid });
    const host = await startSession(folder, OWNER, hasUI);
    if (hasUI && size > 0) {
      await waitFor(() => host.statuses.get("mailbox")?.startsWith(`✉ ${size} read`), {
        what: `the count of ${size} letters`,
        deadlineMs: 60_000,
      });
    }
    return new Scenario(folder, size, hasUI, host);
  }

  /** One letter of each kind. */
  async step(): Promise<void> {
    for (const kind of KINDS) this.#inRun[kind].push(await this.#deliver(kind));
  }

  /** Ends a run. @param counts a warm-up does not */
  endRun(counts: boolean): void {
    for (const kind of KINDS) {
      const times = this.#inRun[kind].splice(0);
      if (counts) this.times[kind].push(median(times));
    }
    if (counts && this.hasUI) this.readings.push(this.#readEverything());
  }

  /** What counting costs that keeps nothing from one letter to the next. */
  #readEverything(): number {
    const startMs = performance.now();
    for (const box of ["cur", "sent"]) {
      const folder = join(this.#folder.root, OWNER, box);
      for (const name of readdirSync(folder)) JSON.parse(readFileSync(join(folder, name), "utf8"));
    }
    return performance.now() - startMs;
  }

  /** From the rename into `new/` until the letter is in the conversation and, with a UI, counted in the footer. */
  async #deliver(kind: Kind): Promise<number> {
    const { host } = this;
    const inReplyTo = kind === "reply" ? [this.#request()] : [];
    const file = originalEnvelope({ from: SENDER, to: OWNER, kind, inReplyTo, body: mailBody(this.#random) });
    const path = (box: string) => join(this.#folder.root, OWNER, box, file.fileName);
    writeFileSync(path("tmp"), file.text, { mode: 0o600 });
    await eventsHandled();
    const shown = host.sent.length;
    const counted = host.statusHistory.length;
    const isDone = () => host.sent.length > shown && (!this.hasUI || host.statusHistory.length > counted);

    const startMs = performance.now();
    renameSync(path("tmp"), path("new"));
    while (!isDone()) await nextTurn();
    const took = performance.now() - startMs;

    await this.#answer();
    return took;
  }

  #request(): string {
    const payload: { to: string; body: string; envelope?: { id: string }; error?: string } = { to: SENDER, body: "?" };
    this.host.events.emit("message:send", payload);
    if (payload.envelope === undefined) throw new Error(payload.error ?? "nobody answers message:send");
    return payload.envelope.id;
  }

  async #answer(): Promise<void> {
    await this.host.agentStart();
    await this.host.read();
    await this.host.assistant("done");
    await this.host.settle();
    await eventsHandled();
  }
}

/** What the last step's own file changes set off is over before the next one is timed. */
async function eventsHandled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

/** One letter delivered in a full mailbox against the same in an empty one, with and without a footer. */
export async function deliverFigures(
  parent: string,
  { sizes, runs, letters }: { sizes: readonly number[]; runs: number; letters: number },
): Promise<Figure[]> {
  const scenarios: Scenario[] = [];
  for (const hasUI of [true, false]) {
    for (const size of [0, ...sizes]) scenarios.push(await Scenario.open(parent, size, hasUI));
  }
  let turn = 0;
  for (let run = -1; run < runs; run += 1) {
    for (let letter = 0; letter < letters; letter += 1) {
      turn += 1;
      for (let at = 0; at < scenarios.length; at += 1) await scenarios[(turn + at) % scenarios.length]?.step();
    }
    for (const scenario of scenarios) scenario.endRun(run >= 0);
  }
  for (const { host } of scenarios) {
    await host.shutdown();
    if (host.errors.length > 0) throw new AggregateError(host.errors, "a handler of the extension threw");
  }
  return scenarios.flatMap((scenario) => figuresOf(scenario, scenarios));
}

function figuresOf({ size, hasUI, times, readings }: Scenario, all: readonly Scenario[]): Figure[] {
  const empty = all.find((other) => other.size === 0 && other.hasUI === hasUI)?.times;
  if (size === 0 || empty === undefined) return [];
  const figures = KINDS.map((kind) =>
    ratioFigure({
      name: `deliver ${kind}, ${short(size)} + ${short(size)}${hasUI ? "" : ", no footer"}`,
      unit: "ms",
      values: times[kind],
      floors: empty[kind],
      ...(hasUI ? { goal: 1.5 } : {}),
    }),
  );
  if (!hasUI) return figures;
  const name = `read ${short(size)} + ${short(size)} files each time`;
  return [...figures, ratioFigure({ name, unit: "ms", values: readings, floors: empty.message })];
}

function short(size: number): string {
  return size < 1_000 ? String(size) : `${size / 1_000}k`;
}
