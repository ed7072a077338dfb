import type { Kind } from "../src/mail/envelope.ts";
import { type ChainLink, type ChainMail, hopChain } from "../src/mail/hop-chain.ts";
import type { EnvelopeJson } from "../test/support/mail-files.ts";
import { allLetters } from "./letter-files.ts";
import type { Stage } from "./stage.ts";

const EDGE = { start: "", answers: "answers", woken: "woken" } as const satisfies Record<ChainLink["edge"], string>;

/** Shows the chain that a letter belongs to. @param expected each letter as kind and hops, from the top down. */
export function tellChain(stage: Stage, id: string, expected: readonly string[]): void {
  const chain = hopChain(allLetters(stage.world, stage.addresses).map(chainMail), id);
  const found = chain.map(({ mail }) => `${mail.kind} ${mail.hops}`);
  stage.check(`the chain ${expected.join(", ")}`, found.join() === expected.join(), () => found);
  stage.story.block(drawChain(chain, (address) => stage.nameOf(address)));
}

/** A chain as a tree, one letter a line: from whom to whom, kind, hops, and how it hangs on the letter above. */
export function drawChain(chain: readonly ChainLink[], nameOf: (address: string) => string): string[] {
  const routes = chain.map(({ mail }, at) => `${branchAt(chain, at)}${nameOf(mail.from)} -> ${nameOf(mail.to)}`);
  const width = Math.max(...routes.map((route) => route.length));
  return chain.map(({ mail, edge }, at) =>
    `${(routes[at] ?? "").padEnd(width)}  ${mail.kind.padEnd(7)}  hops ${mail.hops}  ${EDGE[edge]}`.trimEnd(),
  );
}

/** The lines of the tree to the left of one letter. */
function branchAt(chain: readonly ChainLink[], at: number): string {
  const depth = chain[at]?.depth ?? 0;
  let branch = "";
  for (let level = 1; level <= depth; level += 1) {
    const goesOn = hasSibling(chain, at, level);
    branch += level === depth ? (goesOn ? "├─ " : "└─ ") : goesOn ? "│  " : "   ";
  }
  return branch;
}

/** Whether a later letter hangs at `level` below the same letter. */
function hasSibling(chain: readonly ChainLink[], at: number, level: number): boolean {
  const next = chain.slice(at + 1).find((link) => link.depth <= level);
  return next?.depth === level;
}

function chainMail({ id, from, to, kind, hops, in_reply_to, ts }: EnvelopeJson): ChainMail {
  return { id, from, to, kind: kind as Kind, hops, inReplyTo: in_reply_to, sentMs: Date.parse(ts) };
}
