import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { connect } from "../../../src/extension/index.ts";
import { FakeHost, type FakeMessage } from "../../support/fake-host.ts";

/** When the host saves what enters the conversation: before or after it tells the extension, or never. */
export type Saves = "before" | "after" | "never";

export interface SavedHostOptions {
  /** Folder of the mail root, the settings and the conversations. */
  readonly home: string;
  readonly address: string;
  readonly saves: Saves;
}

export function conversationPath(home: string, address: string): string {
  return join(home, `conversation-${address}.jsonl`);
}

/** Entries of a saved conversation; a last line that was cut short is no entry. */
export function savedEntries(home: string, address: string): FakeHost["entries"] {
  const path = conversationPath(home, address);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as FakeHost["entries"][number]);
}

/** A session on a host that keeps its conversation on the disk, as Pi does: it survives the process. */
export class SavedHost extends FakeHost {
  readonly #options: SavedHostOptions;
  readonly #env: Record<string, string>;
  #unsaved = "";
  #isHolding = false;

  constructor(options: SavedHostOptions) {
    super({ sessionId: options.address, cwd: options.home });
    const { home, address } = options;
    this.#options = options;
    this.#env = { XDG_STATE_HOME: home, PI_CODING_AGENT_DIR: home };
    this.entries.push(...savedEntries(home, address));
    dropHalfLine(conversationPath(home, address));
  }

  async start(): Promise<void> {
    const home = () => this.#options.home;
    const { pid, platform } = process;
    await this.load((pi) =>
      connect(pi, { env: this.#env, home, now: Date.now, uuid: randomUUID, pid, platform, hostVersion: "1.6.0" }),
    );
    await this.sessionStart();
    await turns();
  }

  /** Starts a run and has it read what waits for it. */
  async begin(): Promise<void> {
    await this.agentStart();
    await this.read();
  }

  /** Plays runs until no mail waits to be read. @param atLeastOne as when the person types */
  async work(atLeastOne = false): Promise<void> {
    let isWanted = atLeastOne;
    for (let run = 0; run < 10; run += 1) {
      await turns();
      if (!isWanted && !this.sent.some(({ costsTurn, read }) => costsTurn && !read)) return;
      isWanted = false;
      await this.begin();
      await this.assistant("the answer");
      await this.settle();
    }
  }

  /** What the session does from now on reaches nobody, as if its process had been killed. */
  abandon(): void {
    this.#env["XDG_STATE_HOME"] = join(this.#options.home, "abandoned");
  }

  override addEntry(entry: FakeHost["entries"][number]): void {
    super.addEntry(entry);
    this.#unsaved += `${JSON.stringify(this.entries.at(-1))}\n`;
    if (!this.#isHolding) this.#save();
  }

  override async messageEnd(message: FakeMessage): Promise<void> {
    this.#isHolding = this.#options.saves === "after";
    await super.messageEnd(message);
    this.#isHolding = false;
    this.#save();
  }

  #save(): void {
    if (this.#unsaved === "") return;
    if (this.#options.saves !== "never") {
      appendFileSync(conversationPath(this.#options.home, this.#options.address), this.#unsaved);
    }
    this.#unsaved = "";
  }
}

/** What a kill left of a line at the end would spoil the next one. */
function dropHalfLine(path: string): void {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path);
  truncateSync(path, bytes.lastIndexOf("\n") + 1);
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
}
