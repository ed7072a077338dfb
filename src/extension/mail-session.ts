import type { Address } from "../mail/address.ts";
import type { Answer } from "../mail/answers.ts";
import type { Envelope, Kind } from "../mail/envelope.ts";
import { plainLine, plainLines } from "../mail/plain-text.ts";
import { NOTHING_SEEN, type RunSightings } from "../mail/run-outcome.ts";
import type { Settings } from "../mail/settings.ts";
import { MailCounter } from "../maildir/mail-counter.ts";
import { mailRootPath } from "../maildir/mail-root.ts";
import { type Mailbox, mailboxAt } from "../maildir/mailbox.ts";
import { processStart } from "../maildir/process-start.ts";
import type { Post } from "../maildir/send.ts";
import { loadSettings } from "../maildir/settings-file.ts";
import type { InboxWatch } from "../maildir/watch-inbox.ts";
import { type Host, type HostContext, type HostTraits, hostTraits } from "./host.ts";
import { ReceiptBook } from "./receipt-book.ts";
import type { Surroundings } from "./surroundings.ts";

/** A claimed letter that is not done with: not read yet, or read and not answered. */
export interface OpenLetter {
  readonly envelope: Envelope;
  readonly path: string;
  isRead: boolean;
  /** The user stopped a run that had read it. */
  isHeld: boolean;
  /** It went to the tool call that waited for it, and is read once that call's result is in the conversation. */
  readonly isResult: boolean;
  /** Its sender waits for an answer of this session. */
  owes: boolean;
  /** How often it was handed to the host. */
  shown: number;
}

/** The ask that this session waits for. */
export interface WaitingAsk {
  readonly id: string;
  readonly to: Address;
  answer(envelope: Envelope, path: string): void;
  /** Ends the wait without an answer. */
  stop(): void;
}

/** A reply that could not be written yet. */
export interface UnsentReply {
  readonly answer: Answer;
  readonly hops: number;
}

/** The current turn of the model. */
export interface Turn {
  hops: number;
  isRunning: boolean;
  seen: RunSightings;
  /** Ids of letters in the host's queue: not read yet, and not lost. Undefined while the host has not told. */
  queued: Set<string> | undefined;
  /** Letters put into the conversation since the last settle: the footer counts them as pending until then. */
  shown: number;
}

/** Everything that one session's mail is made of, from its start to its shutdown. */
export class MailSession {
  readonly host: Host;
  readonly around: Surroundings;
  readonly traits: HostTraits;
  readonly address: Address;
  /** Start-time token of this process. */
  readonly started: string | undefined;
  ctx: HostContext;
  /** False once the session has shut down: from then on neither host nor context may be used. */
  isActive = true;
  name: string | undefined;
  readonly turn: Turn = { hops: 0, isRunning: false, seen: NOTHING_SEEN, queued: undefined, shown: 0 };
  readonly open = new Map<string, OpenLetter>();
  /** Kind of every letter that reached this session, in this life or an earlier one, by id: it is not shown again. */
  readonly received = new Map<string, Kind>();
  /** What earlier lives claimed and did not show, as the receipts say. */
  readonly receivedBefore = new Map<string, Kind>();
  readonly answered = new Set<string>();
  /** Names in `cur/` that a claim was noted for. */
  readonly claimsNoted = new Set<string>();
  readonly unsent: UnsentReply[] = [];
  /** Quiet replies that wait for the run to settle, on hosts where they would cost a turn before. */
  readonly quietLater: (() => void)[] = [];
  /** Files set aside that may have been unfinished, by path, as they were then. */
  readonly unfinished = new Map<string, string>();
  readonly counter: MailCounter;
  readonly receipts: ReceiptBook;
  ask: WaitingAsk | undefined;
  watch: InboxWatch | undefined;
  footer: string | undefined;
  readonly #warned = new Set<string>();

  constructor(host: Host, around: Surroundings, ctx: HostContext, address: Address) {
    this.host = host;
    this.around = around;
    this.ctx = ctx;
    this.address = address;
    this.started = processStart(around.pid, around.platform);
    this.traits = hostTraits(around.hostVersion);
    this.counter = new MailCounter(this.mailbox());
    this.receipts = new ReceiptBook(this);
  }

  root(): string {
    return mailRootPath(this.around.env, this.around.home());
  }

  mailbox(): Mailbox {
    return mailboxAt(this.root(), this.address);
  }

  /** The settings as they are now; what is wrong with them is said once. */
  settings(): Settings {
    const { settings, problems } = loadSettings(this.around.env, this.around.home());
    for (const problem of problems) this.warnOnce(problem, problem);
    return settings;
  }

  post(): Post {
    const { now, uuid } = this.around;
    return { root: this.root(), now, uuid, durable: this.settings().durable };
  }

  nowText(): string {
    return new Date(this.around.now()).toISOString();
  }

  notify(text: string, type: "info" | "warning" | "error" = "info"): void {
    if (!this.isActive) return;
    try {
      if (this.ctx.hasUI) this.ctx.ui.notify(plainLines(text), type);
    } catch {
      // A context that has just gone stale has nobody to tell.
    }
  }

  /** Says something once a session. @param key what makes it the same thing. */
  warnOnce(key: string, text: string): void {
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.notify(plainLine(text), "warning");
  }
}
