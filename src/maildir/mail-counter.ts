import { statSync } from "node:fs";
import { join } from "node:path";
import { type Envelope, expectsAnswer } from "../mail/envelope.ts";
import { readEnvelopeName } from "../mail/envelope-name.ts";
import { type Box, boxEntries, boxPath, type Mailbox } from "./mailbox.ts";
import { readEnvelope } from "./read-envelope.ts";

/** What a mailbox holds. `awaiting` is undefined until every file was looked at once. */
export interface MailboxCounts {
  readonly waiting: number;
  readonly read: number;
  readonly awaiting: number | undefined;
}

/** A sent letter that this session still has its copy of. */
export interface SentCopy {
  readonly envelope: Envelope;
  readonly path: string;
}

const NONE: readonly string[] = [];

/**
 * Counts of one mailbox that are kept up to date step by step: a letter costs the same however many there are. Each file
 * of `cur/` and `sent/` is read once, `budget` files a call, and again only when somebody else changed the folder.
 */
export class MailCounter {
  readonly #mailbox: Mailbox;
  /** Names in `cur/`, with the ids that each answers; undefined: not read yet. */
  readonly #claimed = new Map<string, readonly string[] | undefined>();
  /** Names in `sent/`, with the id of a request or ask, "" for other mail; undefined: not read yet. */
  readonly #sent = new Map<string, { readonly id: string; readonly expects: boolean } | undefined>();
  /** How many claimed envelopes name an id. */
  readonly #answers = new Map<string, number>();
  /** Names of copies by the id in them: one, unless somebody copied a file. */
  readonly #copies = new Map<string, readonly string[]>();
  /** Names of copies by the id in the name, which is only a hint at the one in the file. */
  readonly #named = new Map<string, string>();
  readonly #stamps = new Map<Box, string>();
  #unread: { readonly box: "cur" | "sent"; readonly name: string }[] = [];
  #awaiting = 0;

  constructor(mailbox: Mailbox) {
    this.#mailbox = mailbox;
  }

  counts(): MailboxCounts {
    return {
      waiting: boxEntries(this.#mailbox, "new").filter((entry) => entry.isFile()).length,
      read: this.#claimed.size,
      awaiting: this.#unread.length > 0 ? undefined : this.#awaiting,
    };
  }

  /** Does a change of this process in a box, so that it is told from what others changed there before. */
  ownChange<T>(box: "cur" | "sent", change: () => T): T {
    const isUpToDate = this.#stamps.get(box) === this.#stamp(box);
    const outcome = change();
    if (isUpToDate) this.#stamps.set(box, this.#stamp(box));
    return outcome;
  }

  /** Takes in a letter that this process has just claimed. */
  noteClaimed(name: string, envelope: Envelope | undefined): void {
    this.#addClaimed(name, envelope?.inReplyTo ?? NONE);
  }

  /** Takes in a copy that this process has just written. */
  noteSent(name: string, envelope: Envelope): void {
    this.#addSent(name, envelope);
  }

  /**
   * Takes in what others changed, and reads up to `budget` files that were not read yet.
   * @returns true when there is more to read.
   */
  catchUp(budget: number): boolean {
    for (const box of ["cur", "sent"] as const) this.#relistIfChanged(box);
    for (const { box, name } of this.#unread.splice(0, budget)) this.#read(box, name);
    return this.#unread.length > 0;
  }

  /** The copy of a sent letter. Found by its file name while the copies were not all read yet. */
  sentCopy(id: string): SentCopy | undefined {
    if (!this.#copies.has(id)) this.#relistIfChanged("sent");
    const name = this.#copies.get(id)?.[0] ?? this.#named.get(id);
    if (name === undefined) return undefined;
    const path = join(boxPath(this.#mailbox, "sent"), name);
    const reading = readEnvelope(path);
    return reading.type === "envelope" && reading.envelope.id === id ? { envelope: reading.envelope, path } : undefined;
  }

  #relistIfChanged(box: "cur" | "sent"): void {
    const stamp = this.#stamp(box);
    if (stamp === this.#stamps.get(box)) return;
    this.#relist(box);
    this.#stamps.set(box, stamp);
  }

  #relist(box: "cur" | "sent"): void {
    const known = box === "cur" ? this.#claimed : this.#sent;
    const present = new Set<string>();
    for (const entry of boxEntries(this.#mailbox, box)) if (entry.isFile()) present.add(entry.name);
    for (const name of [...known.keys()]) {
      if (present.has(name)) continue;
      if (box === "cur") this.#removeClaimed(name);
      else this.#removeSent(name);
    }
    for (const name of present) {
      if (known.has(name)) continue;
      known.set(name, undefined);
      const id = box === "sent" ? readEnvelopeName(name)?.id : undefined;
      if (id !== undefined) this.#named.set(id, name);
      this.#unread.push({ box, name });
    }
  }

  #read(box: "cur" | "sent", name: string): void {
    const known = box === "cur" ? this.#claimed : this.#sent;
    if (!known.has(name) || known.get(name) !== undefined) return;
    const reading = readEnvelope(join(boxPath(this.#mailbox, box), name));
    const envelope = reading.type === "envelope" ? reading.envelope : undefined;
    if (box === "cur") this.#addClaimed(name, envelope?.inReplyTo ?? NONE);
    else if (envelope !== undefined) this.#addSent(name, envelope);
    else this.#sent.set(name, { id: "", expects: false });
  }

  #addClaimed(name: string, answered: readonly string[]): void {
    this.#removeClaimed(name);
    this.#claimed.set(name, answered.length === 0 ? NONE : answered);
    for (const id of new Set(answered)) {
      const count = this.#answers.get(id) ?? 0;
      this.#answers.set(id, count + 1);
      if (count === 0) this.#awaiting -= this.#expecting(id);
    }
  }

  #removeClaimed(name: string): void {
    for (const id of new Set(this.#claimed.get(name) ?? NONE)) {
      const count = (this.#answers.get(id) ?? 1) - 1;
      if (count > 0) this.#answers.set(id, count);
      else this.#answers.delete(id);
      if (count === 0) this.#awaiting += this.#expecting(id);
    }
    this.#claimed.delete(name);
  }

  #addSent(name: string, { id, kind }: Envelope): void {
    this.#removeSent(name);
    const expects = expectsAnswer(kind);
    this.#sent.set(name, { id, expects });
    this.#copies.set(id, [...(this.#copies.get(id) ?? NONE), name]);
    if (expects && !this.#answers.has(id)) this.#awaiting += 1;
  }

  #removeSent(name: string): void {
    const known = this.#sent.get(name);
    this.#sent.delete(name);
    const id = readEnvelopeName(name)?.id;
    if (id !== undefined && this.#named.get(id) === name) this.#named.delete(id);
    if (known === undefined) return;
    const others = (this.#copies.get(known.id) ?? NONE).filter((other) => other !== name);
    if (others.length > 0) this.#copies.set(known.id, others);
    else this.#copies.delete(known.id);
    if (known.expects && !this.#answers.has(known.id)) this.#awaiting -= 1;
  }

  /** How many copies with this id expect an answer. */
  #expecting(id: string): number {
    return (this.#copies.get(id) ?? NONE).filter((name) => this.#sent.get(name)?.expects === true).length;
  }

  #stamp(box: Box): string {
    const stats = statSync(boxPath(this.#mailbox, box), { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? "none" : `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs}`;
  }
}
