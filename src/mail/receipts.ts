import { isAddress } from "./address.ts";
import { KINDS, type Kind } from "./envelope.ts";

/** What can happen to an envelope in its receiver's hands; team mail adds `delivered` and `acknowledged`. */
export const RECEIPT_STEPS = ["claimed", "read", "answered", "held", "delivered", "acknowledged"] as const;
export type ReceiptStep = (typeof RECEIPT_STEPS)[number];

/**
 * One line of `<address>/receipts.jsonl`.
 * @see docs/wire-format.md (Receipts)
 */
export interface Receipt {
  /** ISO time of the step. */
  readonly ts: string;
  /** Id of the envelope; "" for a file that could not be read as one. */
  readonly id: string;
  readonly step: ReceiptStep;
  /** claimed: file name of the envelope in `cur/`. */
  readonly name?: string;
  /** claimed: who sent it. */
  readonly from?: string;
  /** claimed: its kind. */
  readonly kind?: Kind;
  /** claimed: its hops. */
  readonly hops?: number;
  /** claimed: why it was set aside; absent for mail that was readable. */
  readonly reason?: string;
  /** read: a listener took it over, so the conversation need not hold it. */
  readonly handled?: boolean;
  /** answered: id of the reply; absent when no reply was needed or the sender got it before. */
  readonly reply?: string;
  /** answered: status of the reply. */
  readonly status?: string;
}

export function formatReceipt(receipt: Receipt): string {
  return `${JSON.stringify(receipt)}\n`;
}

/** Reads a receipts file. A line that is not a receipt (a crash can leave half a line) is passed over. */
export function parseReceipts(text: string): Receipt[] {
  const receipts: Receipt[] = [];
  for (const line of text.split("\n")) {
    const receipt = line === "" ? undefined : parseLine(line);
    if (receipt !== undefined) receipts.push(receipt);
  }
  return receipts;
}

/** Where one envelope stands, as all its receipts say. */
export interface Standing {
  readonly id: string;
  readonly name: string | undefined;
  readonly from: string | undefined;
  readonly kind: Kind | undefined;
  readonly hops: number;
  /** ISO time of the first claim; "" when there is none. */
  readonly claimedAt: string;
  readonly read: boolean;
  readonly held: boolean;
  readonly answered: boolean;
  /** A listener took it over. */
  readonly handled: boolean;
}

/** The standing of every envelope in the receipts, in the order of their first lines. Files that were set aside are left out. */
export function standings(receipts: readonly Receipt[]): Map<string, Standing> {
  const all = new Map<string, Standing>();
  for (const receipt of receipts) {
    if (receipt.id === "") continue;
    const known = all.get(receipt.id) ?? NOTHING_YET;
    all.set(receipt.id, {
      id: receipt.id,
      // The first: a process that lost the race for a letter has noted a name that nothing came to lie under.
      name: known.name ?? receipt.name,
      from: receipt.from ?? known.from,
      kind: receipt.kind ?? known.kind,
      hops: receipt.hops ?? known.hops,
      claimedAt: known.claimedAt === "" && receipt.step === "claimed" ? receipt.ts : known.claimedAt,
      read: known.read || receipt.step === "read" || receipt.step === "held",
      held: known.held || receipt.step === "held",
      answered: known.answered || receipt.step === "answered",
      handled: known.handled || receipt.handled === true,
    });
  }
  return all;
}

const NOTHING_YET: Omit<Standing, "id"> = {
  name: undefined,
  from: undefined,
  kind: undefined,
  hops: 0,
  claimedAt: "",
  read: false,
  held: false,
  answered: false,
  handled: false,
};

function parseLine(line: string): Receipt | undefined {
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof raw !== "object" || raw === null) return undefined;
  const { ts, id, step, name, from, kind, hops, reason, handled, reply, status } = raw as Record<string, unknown>;
  if (typeof id !== "string" || !(RECEIPT_STEPS as readonly unknown[]).includes(step)) return undefined;
  return {
    ts: typeof ts === "string" ? ts : "",
    id,
    step: step as ReceiptStep,
    ...(typeof name === "string" && isFileName(name) ? { name } : {}),
    ...(isAddress(from) ? { from } : {}),
    ...((KINDS as readonly unknown[]).includes(kind) ? { kind: kind as Kind } : {}),
    ...(typeof hops === "number" && Number.isSafeInteger(hops) && hops >= 0 ? { hops } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(handled === true ? { handled } : {}),
    ...(typeof reply === "string" ? { reply } : {}),
    ...(typeof status === "string" ? { status } : {}),
  };
}

/** A name that can only be a file of the folder it is looked for in. */
function isFileName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\\\u0000]/.test(name);
}
