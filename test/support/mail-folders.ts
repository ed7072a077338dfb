import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BoxName,
  boxNames,
  type EnvelopeJson,
  type RunningJson,
  readEnvelopes,
  readRunning,
} from "./mail-files.ts";
import { type OriginalFile, type OriginalLetter, writeOriginalEnvelope } from "./original-form.ts";

/** A mail root of its own in a temporary folder, with an agent folder beside it, and what a test does in them. */
export class MailFolders {
  readonly path = mkdtempSync(join(tmpdir(), "mail-home-"));
  readonly stateHome = join(this.path, "state");
  readonly mailRoot = join(this.stateHome, "pi-session-mail");
  readonly agentDir = join(this.path, "agent");
  #dropped = 0;

  constructor() {
    mkdirSync(this.agentDir, { recursive: true });
  }

  /** Sends a letter as another session would, with no session behind it. */
  put(letter: Partial<OriginalLetter> & { from: string; to: string }): OriginalFile {
    return writeOriginalEnvelope(this.mailRoot, letter);
  }

  /** Puts a file with exactly this in it into an inbox, as no sender of ours would. @returns its name */
  drop(address: string, content: object | string | Uint8Array): string {
    this.#dropped += 1;
    const name = `${String(this.#dropped).padStart(15, "0")}-${randomUUID()}.json`;
    const isRaw = typeof content === "string" || content instanceof Uint8Array;
    this.dropAs(address, name, isRaw ? content : JSON.stringify(content));
    return name;
  }

  /** Puts a file with this name and exactly this in it into an inbox. */
  dropAs(address: string, name: string, content: string | Uint8Array): void {
    mkdirSync(join(this.mailRoot, address, "new"), { recursive: true });
    writeFileSync(join(this.mailRoot, address, "new", name), content);
  }

  /** Puts a file where a mailbox is, so that nothing can be written there. @returns mends it */
  blockMailbox(address: string): () => void {
    const path = join(this.mailRoot, address);
    mkdirSync(path, { recursive: true });
    renameSync(path, `${path}.aside`);
    writeFileSync(path, "in the way");
    return () => {
      rmSync(path);
      renameSync(`${path}.aside`, path);
    };
  }

  box(address: string, box: BoxName): EnvelopeJson[] {
    return readEnvelopes(this.mailRoot, address, box);
  }

  names(address: string, box: BoxName): string[] {
    return boxNames(this.mailRoot, address, box);
  }

  /** What an address that nobody runs has got: replies above all. */
  inbox(address: string): EnvelopeJson[] {
    return this.box(address, "new");
  }

  running(): RunningJson[] {
    return readRunning(this.mailRoot);
  }

  settings(settings: object | string): void {
    const text = typeof settings === "string" ? settings : JSON.stringify(settings);
    writeFileSync(join(this.agentDir, "session-mail.json"), text);
  }

  text(...path: string[]): string {
    return readFileSync(join(this.mailRoot, ...path), "utf8");
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
