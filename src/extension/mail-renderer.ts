import {
  cellsOf,
  cleanLine,
  expandHint,
  type KeyNames,
  paintRow,
  type Rows,
  type RowTheme,
  rowsOf,
  type Span,
  shortId,
  wrapText,
} from "./text-rows.ts";

/** `customType` of every message that brings mail into a conversation. */
export const MAIL_CUSTOM_TYPE = "mailbox";

/** Rows of a folded body. */
const FOLDED_ROWS = 8;

/** The `details` of a mailbox message. A message of an older version, or of another copy, has only `id`. */
export interface MailDetails {
  /** Id of the envelope. */
  id: string;
  kind?: "request" | "reply" | "message" | "ask";
  /** Address of the sender. */
  from?: string;
  /** Name of the sender, or its short id; cleaned. */
  sender?: string;
  hops?: number;
  hopLimit?: number;
  /** Of a reply only. */
  status?: "done" | "stopped" | "failed";
  /** A word on this delivery: "late answer", "again". */
  note?: string;
  /** Where the body alone starts and ends in the message's `content`, in UTF-16 units. */
  bodyStart?: number;
  bodyEnd?: number;
}

/** What the renderer reads of Pi's custom message. */
export interface MailMessage {
  content?: unknown;
  details?: unknown;
}

export interface MailRenderOptions extends KeyNames {
  expanded?: boolean;
  /** Columns to leave free at the left; hosts before this option leave one. */
  outputPad?: number;
}

export type MailRenderer = (message: MailMessage, options: MailRenderOptions, theme: RowTheme) => Rows | undefined;

const KIND_LOOK = {
  request: { glyph: "✉", word: "Request" },
  ask: { glyph: "?", word: "Ask" },
  message: { glyph: "✉", word: "Message" },
  reply: { glyph: "←", word: "Reply" },
} as const;

const STATUS_COLOR = { done: "success", stopped: "warning", failed: "error" } as const;

/** Makes mail look good in Pi's terminal. A host without message renderers shows the message its own way. */
export function registerMailRenderer(pi: {
  registerMessageRenderer?: (customType: string, renderer: MailRenderer) => void;
}): void {
  pi.registerMessageRenderer?.(MAIL_CUSTOM_TYPE, renderMail);
}

/** Draws one piece of mail: a head line, then the body, folded unless expanded. The lines that frame the body are for
 *  the model and are left out.
 *  @returns undefined when the details do not say where the body is: Pi then shows the message as it stands. */
export function renderMail(message: MailMessage, options: MailRenderOptions, theme: RowTheme): Rows | undefined {
  const { content, details } = message;
  if (typeof content !== "string" || !isMailDetails(details)) return undefined;
  const { bodyStart, bodyEnd } = details;
  if (bodyStart === undefined || bodyEnd === undefined || bodyStart > bodyEnd || bodyEnd > content.length) {
    return undefined;
  }
  const body = content.slice(bodyStart, bodyEnd);
  return rowsOf((width) => drawMail(details, body, options ?? {}, theme, width));
}

function drawMail(
  details: MailDetails,
  body: string,
  options: MailRenderOptions,
  theme: RowTheme,
  width: number,
): string[] {
  // A narrow screen has no room to spare for margins.
  const pad = width < 20 ? "" : " ".repeat(Math.min(Math.max(Math.floor(options.outputPad ?? 1) || 0, 0), 4));
  const room = width - pad.length;
  const bar: Span = { text: room < 8 ? "" : "│ ", color: "border" };
  const bodyRows = wrapText(body, room - bar.text.length);
  const shown = options.expanded ? bodyRows : bodyRows.slice(0, FOLDED_ROWS);
  const rows = [
    paintRow(theme, headSpans(details, room), room),
    ...shown.map((text) => paintRow(theme, [bar, { text, color: "customMessageText" }], room)),
  ];
  const hidden = bodyRows.length - shown.length;
  if (hidden > 0) rows.push(paintRow(theme, [{ text: foldText(hidden, options), color: "dim" }], room));
  return rows.map((row) => pad + row);
}

function foldText(hidden: number, options: MailRenderOptions): string {
  const hint = expandHint(options);
  return `… ${hidden} more ${hidden === 1 ? "line" : "lines"}${hint === "" ? "" : ` (${hint})`}`;
}

/** "✉ Request from alice · hops 2/5 · 3f2a9c1b"; what does not fit is left out from the end. */
function headSpans(details: MailDetails, room: number): Span[] {
  const { glyph, word } = details.kind === undefined ? { glyph: "✉", word: "Mail" } : KIND_LOOK[details.kind];
  const sender = cleanLine(details.sender ?? "").trim() || shortId(details.from ?? "");
  const spans: Span[] = [{ text: `${glyph} ${word}`, color: "customMessageLabel", bold: true }];
  if (sender !== "") spans.push({ text: " from " }, { text: sender, bold: true });
  for (const fact of headFacts(details)) {
    const longer = [...spans, { text: " · ", color: "dim" }, fact];
    if (longer.reduce((sum, span) => sum + cellsOf(span.text), 0) > room) break;
    spans.push({ text: " · ", color: "dim" }, fact);
  }
  return spans;
}

function headFacts({ kind, status, note, hops, hopLimit, id }: MailDetails): Span[] {
  const facts: Span[] = [];
  if (kind === "reply" && status !== undefined) facts.push({ text: status, color: STATUS_COLOR[status] });
  const noteText = cleanLine(note ?? "").trim();
  if (noteText !== "") facts.push({ text: noteText, color: "warning" });
  if (hops !== undefined && hops > 0) {
    facts.push({ text: hopLimit === undefined ? `hops ${hops}` : `hops ${hops}/${hopLimit}`, color: "muted" });
  }
  facts.push({ text: shortId(id), color: "dim" });
  return facts;
}

/** Details come out of a saved conversation, so any process may have written them. */
function isMailDetails(value: unknown): value is MailDetails {
  if (typeof value !== "object" || value === null) return false;
  const { id, kind, from, sender, status, note, ...rest } = value as Partial<Record<keyof MailDetails, unknown>>;
  const { hops, hopLimit, bodyStart, bodyEnd } = rest;
  return (
    typeof id === "string" &&
    (kind === undefined || (typeof kind === "string" && Object.hasOwn(KIND_LOOK, kind))) &&
    (status === undefined || (typeof status === "string" && Object.hasOwn(STATUS_COLOR, status))) &&
    [from, sender, note].every((text) => text === undefined || typeof text === "string") &&
    [hops, hopLimit, bodyStart, bodyEnd].every((count) => count === undefined || isCount(count))
  );
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
