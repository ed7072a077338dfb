import type { BoxName, EnvelopeJson } from "../test/support/mail-files.ts";
import type { World } from "../test/support/world.ts";

/** An envelope and the name of its file, which stays the same from box to box. */
export interface LetterFile {
  readonly envelope: EnvelopeJson;
  readonly fileName: string;
}

/** The first letter in a box that has all the wanted values; undefined when none has. */
export function findLetter(
  world: World,
  address: string,
  box: BoxName,
  wanted: Partial<EnvelopeJson>,
): LetterFile | undefined {
  const fits = (envelope: EnvelopeJson) =>
    Object.entries(wanted).every(([key, value]) => envelope[key as keyof EnvelopeJson] === value);
  const mailbox = world.mailbox(address);
  const envelope = mailbox.envelopes(box).find(fits);
  const fileName = mailbox.names(box).find((name) => name.endsWith(`-${envelope?.id}.json`));
  return envelope === undefined || fileName === undefined ? undefined : { envelope, fileName };
}

/** Every letter of these mailboxes once, whatever its box, in the order of sending. */
export function allLetters(world: World, addresses: readonly string[]): EnvelopeJson[] {
  const byName = new Map<string, EnvelopeJson>();
  for (const address of addresses) {
    for (const box of ["new", "cur", "sent"] as const) {
      for (const envelope of world.envelopes(address, box)) byName.set(`${envelope.ts} ${envelope.id}`, envelope);
    }
  }
  return [...byName.keys()].sort().flatMap((key) => byName.get(key) ?? []);
}

/** `001764537662123-daccd52f-….json` as `0017…-daccd52f.json`. */
export function shortFileName(name: string): string {
  return name.replace(/^(\d{4})\d+-([0-9a-f]{8})[0-9a-f-]+\.json$/, "$1…-$2.json");
}

/** A text with its full ids cut to their first 8 characters. */
export function shortIds(text: string): string {
  return text.replace(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "$1…");
}
