import type { Receipt } from "../mail/receipts.ts";
import type { Settings } from "../mail/settings.ts";
import { isErrno } from "../maildir/errno.ts";
import { ensureBoxes, type Mailbox } from "../maildir/mailbox.ts";
import { appendReceipts, receiptsPath } from "../maildir/receipts-file.ts";

/** What the book needs of its session. */
interface Keeper {
  mailbox(): Mailbox;
  settings(): Settings;
  nowText(): string;
  warnOnce(key: string, text: string): void;
}

/** Writes a session's receipts. What can not be written is kept and written later: mail does not wait for it. */
export class ReceiptBook {
  readonly #keeper: Keeper;
  readonly #unwritten: Receipt[] = [];

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  write(...receipts: readonly Omit<Receipt, "ts">[]): void {
    const ts = this.#keeper.nowText();
    this.#unwritten.push(...receipts.map((receipt) => ({ ts, ...receipt })));
    this.flush();
  }

  /** Writes what could not be written before. */
  flush(): void {
    if (this.#unwritten.length === 0) return;
    const mailbox = this.#keeper.mailbox();
    const durable = this.#keeper.settings().durable;
    try {
      try {
        appendReceipts(mailbox, this.#unwritten, { durable });
      } catch (error) {
        if (!isErrno(error, "ENOENT")) throw error;
        ensureBoxes(mailbox);
        appendReceipts(mailbox, this.#unwritten, { durable });
      }
      this.#unwritten.length = 0;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#keeper.warnOnce(
        "receipts",
        `${receiptsPath(mailbox)} can not be written (${why}). Mail goes on; what this session owes is forgotten if it ends before that is mended.`,
      );
    }
  }
}
