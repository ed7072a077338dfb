import { type Address, shortId } from "./address.ts";
import { type Envelope, isStatus } from "./envelope.ts";
import { plainLine } from "./plain-text.ts";
import { utf8Prefix } from "./utf8.ts";

/** Bytes of a body that are put into the conversation. */
export const BODY_LIMIT = 32 * 1024;
/** Bytes of an answered request that are quoted. */
export const QUOTE_LIMIT = 2 * 1024;

/** UTF-16 units of a name, id, path or status that a label shows: longer than any real one. */
const FIELD_LIMIT = 1024;

/** Opens each line of ours round a letter. */
const FRAME = "[mailbox]";

/** Who wrote a letter, as far as the running records tell. */
export interface Sender {
  readonly address: Address;
  /** Absent when the sender is not running or has no name. */
  readonly name?: string;
  /** Absent when the sender is not running. */
  readonly cwd?: string;
}

/** One id that a reply answers, with the copy of what was sent when this session still has it. */
export interface AnsweredMail {
  readonly id: string;
  readonly copy?: { readonly envelope: Envelope; readonly path: string };
}

/** A letter to be shown to a model. */
export interface Letter {
  readonly envelope: Envelope;
  readonly sender: Sender;
  /** Where the envelope lies, for a body that is cut. */
  readonly path: string;
  /** What a reply answers; empty for other kinds. */
  readonly answers: readonly AnsweredMail[];
  /** A reply to an ask that nobody waits for any more. */
  readonly isLateAnswer: boolean;
  /** Shown before, in a run that did not keep it. */
  readonly isRepeated: boolean;
}

/** Text for a conversation. `bodyStart` and `bodyEnd` delimit the letter's own text in it, in UTF-16 units. */
export interface Framed {
  readonly text: string;
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

/** The letter between its label and the end line, with quotes of what it answers. */
export function frameLetter(letter: Letter): Framed {
  const { envelope, sender, answers, path } = letter;
  const sentences = [fromLine(sender), ...kindSentences(letter)];
  if (letter.isRepeated) sentences.push("It is shown again, since an earlier run may not have seen it.");
  return assemble([sentences.join(" "), ...answers.map(quote)], envelope.body, path, sender);
}

/** The answer to an ask, as the result of the tool call that waited for it. */
export function frameAnswer(letter: Letter): Framed {
  const { envelope, sender, path } = letter;
  const sentences = [fromLine(sender), `This is the answer to ask ${cleanIds(envelope.inReplyTo)}.`];
  sentences.push(...statusSentences(envelope.status));
  return assemble([sentences.join(" ")], envelope.body, path, sender);
}

/** The name that a session is called by in a label: its Pi name, else the beginning of its id. */
export function senderName(sender: Sender): string {
  return shownName(sender.name) ?? shortId(sender.address);
}

/** A session's Pi name where it can begin a line; undefined when it has none, or none that can be seen. */
export function shownName(name: string | undefined): string | undefined {
  const shown = clean(name ?? "");
  return shown.trim() === "" ? undefined : shown;
}

function fromLine(sender: Sender): string {
  const place = sender.cwd === undefined ? "" : `, working in ${clean(sender.cwd)}`;
  return `${FRAME} From ${senderName(sender)} (${sender.address}${place}), another Pi session on this machine.`;
}

function endLine(sender: Sender): string {
  return `${FRAME} End of the mail from ${senderName(sender)}. Text after this line is not part of it.`;
}

function kindSentences(letter: Letter): string[] {
  const { envelope, isLateAnswer, answers } = letter;
  switch (envelope.kind) {
    case "request":
      return ["It is a request: your final answer this turn goes back to the sender automatically."];
    case "ask":
      return [
        `It is an ask with the id ${clean(envelope.id)}, and its sender is waiting for the answer: give it with session_mail_reply.`,
        "Otherwise this run's last message is sent as the answer.",
      ];
    case "message":
      return [
        `It is a message that expects no answer; if one is wanted, session_mail_send to ${envelope.from} sends it.`,
      ];
    case "reply": {
      const ids = cleanIds(envelope.inReplyTo);
      if (isLateAnswer) {
        return [
          `It is the answer to ask ${ids}, which stopped waiting before it came.`,
          ...strangerSentence(letter),
          ...statusSentences(envelope.status),
        ];
      }
      const isUsers = answers.some(
        (answered) => answered.copy === undefined || answered.copy.envelope.kind === "request",
      );
      return [
        ids === "" ? "It is a reply that names no request." : `It is a reply to ${isUsers ? "request" : "ask"} ${ids}.`,
        ...(isUsers ? ["The user made that request."] : []),
        ...strangerSentence(letter),
        ...statusSentences(envelope.status),
      ];
    }
    default:
      return envelope.kind satisfies never;
  }
}

/** Anyone can name an id that this session sent to somebody else. */
function strangerSentence({ envelope, answers }: Letter): string[] {
  const asked = answers.find((answered) => answered.copy !== undefined && answered.copy.envelope.to !== envelope.from);
  return asked?.copy === undefined
    ? []
    : [`It does not come from ${clean(asked.copy.envelope.to)}, the session that was asked.`];
}

function statusSentences(status: string): string[] {
  if (status === "" || status === "done") return [];
  const how = isStatus(status) && status === "stopped" ? "the user stopped the run" : "the run did not do the job";
  return [`Its status is ${clean(status)} (${how}), so it is not an answer.`];
}

function quote({ id, copy }: AnsweredMail): string {
  if (copy === undefined) return `${FRAME} Of ${clean(id)} this session has no copy.`;
  const { kind, body } = copy.envelope;
  const shown = utf8Prefix(body, QUOTE_LIMIT);
  const cut = shown.length < body.length ? " (the beginning)" : "";
  const lines = shown.split(LINE_BREAK).map((line) => `> ${line}`);
  return [`${FRAME} The ${kind} ${clean(id)}${cut}, kept at ${clean(copy.path)}:`, ...lines].join("\n");
}

function assemble(head: readonly string[], body: string, path: string, sender: Sender): Framed {
  const start = `${head.join("\n\n")}\n\n`;
  const kept = utf8Prefix(body, BODY_LIMIT);
  const shown = quoteFrameLines(kept);
  const cut =
    kept.length < body.length
      ? `\n\n${FRAME} The mail is longer than 32 KiB and cut here; the whole is at ${clean(path)}.`
      : "";
  return {
    text: `${start}${shown}${cut}\n\n${endLine(sender)}`,
    bodyStart: start.length,
    bodyEnd: start.length + shown.length,
  };
}

const LINE_BREAK = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/;
const LINE_BREAKS = /(\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029])/;
/** What a reader does not see: white space, marks, and every invisible character (the blank braille pattern too). */
const UNSEEN = /[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A line of a letter that would pass for one of ours becomes a quoted line. */
function quoteFrameLines(body: string): string {
  return body
    .split(LINE_BREAKS)
    .map((part, at) => (at % 2 === 0 && passesForFrame(part) ? `> ${part}` : part))
    .join("");
}

/** Seen as a reader sees it: without what is invisible, whatever the width or case of its letters. */
function passesForFrame(line: string): boolean {
  const visible = line.replace(UNSEEN, "").normalize("NFKD").replace(UNSEEN, "").toLowerCase();
  return visible.startsWith(FRAME);
}

function cleanIds(ids: readonly string[]): string {
  return ids.map(clean).join(", ");
}

/** A value inside one of our lines: one line, and no opening of a frame line. */
function clean(text: string): string {
  const shown = plainLine(text.slice(0, FIELD_LIMIT));
  return (text.length > FIELD_LIMIT ? `${shown}…` : shown).replace(/\[\s*mailbox\s*\]/gi, "(mailbox)");
}
