import type { Kind } from "./envelope.ts";

/** What a chain needs to know of an envelope. `sentMs` is Unix epoch, ms. */
export interface ChainMail {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: Kind;
  readonly hops: number;
  readonly inReplyTo: readonly string[];
  readonly sentMs: number;
}

/** One letter in a chain, below the one that it answers or that woke its sender. */
export interface ChainLink {
  readonly mail: ChainMail;
  /** 0 for the first letter. */
  readonly depth: number;
  /** start: nothing before it; answers: it names the letter above (certain); woken: inferred, since no file says it. */
  readonly edge: "start" | "answers" | "woken";
}

/**
 * The chain that a letter belongs to, from its first letter on, depth first and in the order of sending. That a letter
 * woke the turn which sent another is not stored anywhere; it is taken from the receiver, the hops and the order.
 * @returns an empty list when no letter has that id.
 */
export function hopChain(all: readonly ChainMail[], id: string): ChainLink[] {
  const byId = new Map(all.map((mail) => [mail.id, mail]));
  const wakers = groupWakers(all);
  const parents = new Map(all.map((mail) => [mail.id, parentOf(mail, byId, wakers)]));
  if (!byId.has(id)) return [];

  let top = id;
  for (const seen = new Set<string>(); !seen.has(top); ) {
    seen.add(top);
    top = parents.get(top)?.id ?? top;
  }
  const children = new Map<string, ChainMail[]>();
  for (const mail of byId.values()) {
    const parent = parents.get(mail.id);
    if (parent === undefined) continue;
    const siblings = children.get(parent.id);
    if (siblings === undefined) children.set(parent.id, [mail]);
    else siblings.push(mail);
  }
  const links = new Map<string, ChainLink>();
  const open: { readonly id: string; readonly depth: number }[] = [{ id: top, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth } = next;
    const mail = byId.get(next.id);
    if (mail === undefined || links.has(mail.id)) continue;
    links.set(mail.id, { mail, depth, edge: depth === 0 ? "start" : (parents.get(mail.id)?.edge ?? "woken") });
    const below = (children.get(mail.id) ?? []).sort(inOrder).reverse();
    open.push(...below.map((child) => ({ id: child.id, depth: depth + 1 })));
  }
  return [...links.values()];
}

type Wakers = ReadonlyMap<string, readonly ChainMail[]>;

/** Mail that can have woken a turn, by its receiver and the hops that this turn's mail then carries, oldest first. */
function groupWakers(all: readonly ChainMail[]): Wakers {
  const groups = new Map<string, ChainMail[]>();
  for (const mail of all) {
    if (mail.kind === "reply") continue;
    const key = wakerKey(mail.to, mail.hops + 1);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [mail]);
    else group.push(mail);
  }
  for (const group of groups.values()) group.sort(inOrder);
  return groups;
}

function wakerKey(receiver: string, hops: number): string {
  return `${hops} ${receiver}`;
}

function parentOf(
  mail: ChainMail,
  byId: ReadonlyMap<string, ChainMail>,
  wakers: Wakers,
): { readonly id: string; readonly edge: "answers" | "woken" } | undefined {
  const answered = mail.inReplyTo.find((id) => id !== mail.id && byId.has(id));
  if (answered !== undefined) return { id: answered, edge: "answers" };
  if (mail.kind === "reply" || mail.hops === 0) return undefined;
  const waker = wakers
    .get(wakerKey(mail.from, mail.hops))
    ?.findLast((other) => other.sentMs <= mail.sentMs && other.id !== mail.id);
  return waker === undefined ? undefined : { id: waker.id, edge: "woken" };
}

function inOrder(a: ChainMail, b: ChainMail): number {
  return a.sentMs - b.sentMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
