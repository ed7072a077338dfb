import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AgentToolResult, ExtensionAPI, SessionStartEvent } from "@mariozechner/pi-coding-agent";
import { connect } from "../../src/extension/index.ts";
import type { Surroundings } from "../../src/extension/surroundings.ts";
import { FakeHost, type FakeHostOptions } from "./fake-host.ts";
import { type BoxName, type EnvelopeJson, type ReceiptJson, type RunningJson, readReceipts } from "./mail-files.ts";
import { MailFolders } from "./mail-folders.ts";
import type { OriginalFile, OriginalLetter } from "./original-form.ts";

export interface MailHostOptions extends Partial<Omit<FakeHostOptions, "sessionId">> {
  /** The session's id, so its address. Default: a new UUID. */
  id?: string;
  /** Default: the one that the tests' Pi has. */
  hostVersion?: string;
  /** Of the first session_start. Default: startup. */
  reason?: SessionStartEvent["reason"];
  /** The saved conversation that the session is started with. */
  entries?: FakeHost["entries"];
  /** False: loaded, but no session_start yet. */
  isStarted?: boolean;
  /** Changes what the extension takes from outside itself. */
  around?: Partial<Surroundings>;
  /** Loaded before the extension. */
  before?: (pi: ExtensionAPI) => void;
  /** Loaded after the extension. */
  after?: (pi: ExtensionAPI) => void;
}

/** One session of the extension on a fake host, with its mail on the real disk. */
export class MailHost extends FakeHost {
  readonly home: MailHome;
  /** Read by the extension whenever it uses a variable. */
  readonly env: Record<string, string>;
  /** Unix epoch, ms; undefined: the real time. */
  clockMs: number | undefined;

  constructor(home: MailHome, options: MailHostOptions) {
    const { id = randomUUID(), cwd = "/work", ...others } = options;
    super({ ...others, cwd, sessionId: id });
    this.home = home;
    this.env = { XDG_STATE_HOME: home.stateHome, PI_CODING_AGENT_DIR: home.agentDir };
    this.entries.push(...(options.entries ?? []));
  }

  get address(): string {
    return this.sessionId;
  }

  /** Loads the extension, as `open` does, or once more as if it was installed twice. */
  loadMailroom(path: string, options: MailHostOptions): Promise<void> {
    return this.load((pi) => connect(pi, surroundingsOf(this, options)), path);
  }

  /** Has the extension look into the inbox now, as its watcher would. */
  scan(): void {
    this.events.emit("message:scan", {});
  }

  /** A letter arrives, and is delivered before this returns. */
  arrive(letter: Partial<OriginalLetter> & { from: string }): OriginalFile {
    const file = this.home.put({ ...letter, to: this.address });
    this.scan();
    return file;
  }

  /** Plays a whole run that reads what it was handed. */
  async run(answer: string, stopReason = "stop", errorMessage?: string): Promise<void> {
    await this.agentStart();
    await this.read();
    await this.assistant(answer, stopReason, errorMessage);
    await this.settle();
  }

  /** Texts handed to the host, oldest first. */
  texts(): string[] {
    return this.sent.map(({ message }) => message.content);
  }

  /** Ids of the letters handed to the host, oldest first. */
  shownIds(): unknown[] {
    return this.sent.map(({ message }) => message.details?.["id"]);
  }

  warnings(): string[] {
    return this.notifications.filter(({ type }) => type !== "info").map(({ message }) => message);
  }

  notices(): string[] {
    return this.notifications.map(({ message }) => message);
  }

  footer(): string | undefined {
    return this.statuses.get("mailbox");
  }

  box(box: BoxName): EnvelopeJson[] {
    return this.home.box(this.address, box);
  }

  receipts(): ReceiptJson[] {
    return readReceipts(this.home.mailRoot, this.address);
  }

  /** Steps written of one letter, in order. */
  steps(id: string): string[] {
    return this.receipts().flatMap((receipt) => (receipt.id === id ? [receipt.step] : []));
  }

  record(): RunningJson | undefined {
    return this.home.running().find(({ address }) => address === this.address);
  }

  /** The text of a tool's result. @throws what the tool throws */
  async tool(name: string, params: object = {}): Promise<string> {
    return resultText(await this.callTool(`session_mail_${name}`, params));
  }

  /** The message of the error that a tool call ends with. */
  async refusal(name: string, params: object = {}): Promise<string> {
    try {
      await this.callTool(`session_mail_${name}`, params);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    throw new Error(`session_mail_${name} was not refused`);
  }

  /** Types a command; what it tells the person. */
  async command(words: string, name = "mailbox"): Promise<string> {
    const before = this.notifications.length;
    await this.runCommand(name, words);
    return this.notices().slice(before).join("\n");
  }

  /** Ends the session as a killed process does: nothing it does from now on reaches the mail or the host's records. */
  crash(): FakeHost["entries"] {
    this.env["XDG_STATE_HOME"] = join(this.home.path, "nowhere");
    return [...this.entries];
  }
}

/** A mail root in which several sessions of one process have their mail. */
export class MailHome extends MailFolders {
  readonly #hosts: MailHost[] = [];

  /** Starts a session and waits until it has taken up what waits for it. */
  async open(options: MailHostOptions = {}): Promise<MailHost> {
    const host = new MailHost(this, options);
    this.#hosts.push(host);
    if (options.before) await host.load(options.before, "/extensions/before.ts");
    await host.loadMailroom("/extensions/mailroom.ts", options);
    if (options.after) await host.load(options.after, "/extensions/after.ts");
    if (options.isStarted === false) return host;
    await host.sessionStart(options.reason ?? "startup");
    await immediates();
    return host;
  }

  /** Ends every session. @throws Error when a handler of the extension threw in one of them */
  async dispose(): Promise<void> {
    for (const host of this.#hosts) await host.shutdown();
    const errors = this.#hosts.flatMap((host) => host.errors);
    this.remove();
    if (errors.length > 0) throw new AggregateError(errors, `handlers threw: ${errors.map(String).join("; ")}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

/** Lets what was put off with setImmediate run, and what that puts off in turn. */
export async function immediates(rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The text parts of a tool's result. */
export function resultText(result: AgentToolResult<unknown>): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function surroundingsOf(host: MailHost, { hostVersion = "1.6.0", around = {} }: MailHostOptions): Surroundings {
  return {
    env: host.env,
    home: () => host.home.path,
    now: () => host.clockMs ?? Date.now(),
    uuid: randomUUID,
    pid: process.pid,
    platform: process.platform,
    hostVersion,
    ...around,
  };
}

/** An address that no session runs: the test writes its mail and reads what comes back to it. */
export const STRANGER = "57a46e00-0000-4000-8000-000000000001";
/** Another one. */
export const NEIGHBOUR = "4e16b000-0000-4000-8000-000000000002";
