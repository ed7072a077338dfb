import { randomUUID } from "node:crypto";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export type SendOptions = NonNullable<Parameters<ExtensionAPI["sendMessage"]>[1]>;

export interface SentMessage {
  message: { customType: string; content: string; display: boolean; details: Record<string, unknown> | undefined };
  options: SendOptions;
  /** Whether it wakes or steers. What does not is in the conversation at once, and extensions see no message_end. */
  costsTurn: boolean;
  /** Whether its message_end has been emitted. */
  read: boolean;
}

/** What an extension did to the fake host: its messages, footer texts, notices, dialogs and saved entries. */
export class FakeRecords {
  /** Every sendMessage, oldest first. */
  readonly sent: SentMessage[] = [];
  /** Footer texts shown now, by key. */
  readonly statuses = new Map<string, string>();
  readonly statusHistory: { key: string; text: string | undefined }[] = [];
  readonly notifications: { message: string; type: string }[] = [];
  readonly errors: unknown[] = [];
  /** The saved conversation: `custom_message`, `message` and `custom` entries. */
  readonly entries: { type: string; [key: string]: unknown }[] = [];
  /** Dialogs the extension opened, and the answers they get, first come first served (none: cancelled). */
  readonly dialogs: { kind: string; title: string; content: unknown }[] = [];
  readonly answers: (string | boolean)[] = [];

  addEntry(entry: { type: string; [key: string]: unknown }): void {
    this.entries.push({ id: randomUUID().slice(0, 8), timestamp: new Date().toISOString(), ...entry });
  }

  /** What a dialog of ctx.ui does here. */
  dialog(kind: string, title: string, content: unknown): string | boolean | undefined {
    this.dialogs.push({ kind, title, content });
    return this.answers.shift();
  }
}
