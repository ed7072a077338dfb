import { MIN_ID_PREFIX, shortId } from "../mail/address.ts";
import { ageText } from "../mail/age.ts";
import { MailroomError } from "../mail/errors.ts";
import { type ChainLink, type ChainMail, hopChain } from "../mail/hop-chain.ts";
import { plainExcerpt, plainLine, quoted } from "../mail/plain-text.ts";
import { peekRunning } from "../maildir/running.ts";
import { surveyMail } from "../maildir/survey.ts";
import { inSteps } from "./in-steps.ts";
import { sessionLabels } from "./list-tool.ts";

type ReadMail = ChainMail & { readonly body: string };

const EDGE = { start: "", answers: "└─ ", woken: "└╌ " } as const satisfies Record<ChainLink["edge"], string>;
const EXCERPT = 50;

/**
 * The chain of letters round one, as a tree with its hops.
 * @param wanted an id, or its first 8 or more characters.
 * @throws MailroomError mail/unknown, mail/ambiguous
 */
export async function chainText(root: string, wanted: string, hopLimit: number, nowMs: number): Promise<string> {
  const all = new Map<string, ReadMail>();
  for (const { envelope, sentMs } of await inSteps(surveyMail(root))) {
    if (envelope !== undefined && !all.has(envelope.id)) all.set(envelope.id, { ...envelope, sentMs });
  }
  const id = findId([...all.keys()], wanted);
  const labels = sessionLabels(peekRunning(root));
  const named = (address: string): string => labels.get(address) ?? plainLine(shortId(address));
  const lines = hopChain([...all.values()], id).map(({ mail, depth, edge }) => {
    const here = mail.id === id ? " ← here" : "";
    const limit = mail.hops >= hopLimit - 1 ? " LIMIT: what it wakes may not send" : "";
    const body = plainExcerpt(all.get(mail.id)?.body ?? "", EXCERPT);
    return `${"   ".repeat(Math.max(0, depth - 1))}${EDGE[edge]}${mail.kind} ${mail.hops}/${hopLimit} ${named(mail.from)} → ${named(mail.to)}, ${ageText(mail.sentMs, nowMs)}, ${plainLine(mail.id)}: ${body}${limit}${here}`;
  });
  return [...lines, "─ answers (certain), ╌ woke that turn (inferred from receiver, hops and order)"].join("\n");
}

function findId(ids: readonly string[], wanted: string): string {
  if (ids.includes(wanted)) return wanted;
  const begins = wanted.length < MIN_ID_PREFIX ? [] : ids.filter((id) => id.startsWith(wanted));
  const [only, ...others] = begins;
  if (only === undefined) {
    throw new MailroomError(
      "mail/unknown",
      `No mail has the id ${quoted(wanted)}.`,
      `Give a full id, or its first ${MIN_ID_PREFIX} or more characters.`,
    );
  }
  if (others.length > 0) {
    throw new MailroomError(
      "mail/ambiguous",
      `${quoted(wanted)} is the beginning of ${begins.length} ids: ${begins.slice(0, 5).map(plainLine).join(", ")}.`,
      "Give more of it.",
    );
  }
  return only;
}
