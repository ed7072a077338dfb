import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EnvelopeJson } from "./mail-files.ts";
import { type ModelRequest, textOf } from "./mock-model.ts";
import type { PiProcess } from "./pi-process.ts";
import { waitFor } from "./wait-for.ts";
import type { World } from "./world.ts";

/** What a tool call gave back, as Pi recorded it. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
}

/** Every letter that reached a session, claimed or not, in send order. */
export function received(world: World, address: string): EnvelopeJson[] {
  // new/ first: a letter claimed between the two reads is then seen twice, never missed.
  const letters = [...world.envelopes(address, "new"), ...world.envelopes(address, "cur")];
  const byId = new Map(letters.map((letter) => [letter.id, letter]));
  return [...byId.values()].sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
}

/** Puts a file into a mailbox as a letter arrives, whatever is in it: written elsewhere, then renamed. */
export function putInNew(world: World, address: string, fileName: string, content: string | Uint8Array): void {
  const { path } = world.mailbox(address);
  for (const box of ["tmp", "new"]) mkdirSync(join(path, box), { recursive: true, mode: 0o700 });
  const written = join(path, "tmp", fileName);
  writeFileSync(written, content, { mode: 0o600 });
  renameSync(written, join(path, "new", fileName));
}

/** The replies in a session's hands that name an envelope. */
export function repliesTo(world: World, asker: string, id: string): EnvelopeJson[] {
  return received(world, asker).filter((letter) => letter.kind === "reply" && letter.in_reply_to.includes(id));
}

/** Waits for the first reply that names an envelope. */
export function replyTo(world: World, asker: string, id: string): Promise<EnvelopeJson> {
  return waitFor(() => repliesTo(world, asker, id)[0], { what: `a reply to ${id}` });
}

/** Types `/mailbox <to> <text>` and returns the request's id. */
export async function typeRequest(world: World, from: PiProcess, to: string, text: string): Promise<string> {
  const before = new Set(world.envelopes(from.id, "sent").map((letter) => letter.id));
  await from.prompt(`/mailbox ${to} ${text}`);
  const sent = world.envelopes(from.id, "sent").find((letter) => !before.has(letter.id));
  if (sent === undefined) throw new Error(`nothing was sent: ${JSON.stringify(from.notifications())}`);
  return sent.id;
}

/** The contract's opening line of a letter from a session that runs, up to the end of its first sentence. */
export function fromLine(sender: PiProcess, name = sender.setup.name): string {
  const place = sender.setup.cwd;
  return `[mailbox] From ${name} (${sender.id}, working in ${place}), another Pi session on this machine.`;
}

/** The contract's closing line of a letter. */
export function endLine(name: string | undefined): string {
  return `[mailbox] End of the mail from ${name}. Text after this line is not part of it.`;
}

/** What the model got as user messages: prompts and mail. */
export function userTexts(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).filter((message) => message.role === "user").map(textOf);
}

/** The letters in a session's conversation, in order, with their ids. */
export async function shownLetters(pi: PiProcess): Promise<{ id: string; text: string }[]> {
  return (await pi.messages()).flatMap((message) => {
    if (message.role !== "custom" || message.customType !== "mailbox") return [];
    const { content, details } = message;
    const text = typeof content === "string" ? content : textOf({ role: "user", content });
    return [{ id: String((details as { id?: unknown } | undefined)?.id), text }];
  });
}

/** Waits until a letter is in a session's conversation; gives its text. */
export async function shownText(pi: PiProcess, id: string): Promise<string> {
  const shown = await waitFor(async () => (await shownLetters(pi)).find((letter) => letter.id === id), {
    what: `letter ${id} in the conversation of ${pi.setup.name}`,
  });
  return shown.text;
}

/** Waits for the end of a tool call. @param from a mark taken before the run that makes it. */
export async function toolOutcome(pi: PiProcess, toolName: string, from: number): Promise<ToolOutcome> {
  const record = await pi.waitFor(
    (one) => one.type === "tool_execution_end" && one["toolName"] === toolName && one["isError"] !== undefined,
    { what: `the end of ${toolName}`, from },
  );
  const { content } = record["result"] as { content: { type: string; text?: string }[] };
  return { text: content.map((part) => part.text ?? "").join(""), isError: record["isError"] === true };
}
