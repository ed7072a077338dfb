import {
  cleanLine,
  cleanLines,
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

/** `details` of a `session_mail_list` result. */
export interface ListDetails {
  sessions: { address: string; name?: string; cwd: string; state: string; waitingOn: string; self: boolean }[];
}

/** `details` of a `session_mail_ask` result; `from` is who answered. */
export interface AskDetails {
  id: string;
  to: string;
  outcome: "done" | "stopped" | "failed" | "no answer yet" | "stopped running" | "stopped by user";
  from?: string;
  /** What the asked session is called. */
  name?: string;
  /** Id of the reply that is the answer. */
  reply?: string;
}

/** `details` of a `session_mail_reply` result; `ask` is the ask it answers, `to` who asked. */
export interface ReplyDetails {
  id: string;
  ask: string;
  to: string;
  /** What the asking session is called. */
  name?: string;
}

/** `details` of a `session_mail_send` result. */
export interface SendDetails {
  id: string;
  to: string;
  /** What the receiver is called. */
  name?: string;
  /** Whether the recipient was running, so that it has the message by now. */
  running: boolean;
}

/** What the rows read of a tool result; Pi shows thrown errors as a result, without our details. */
export interface RowResult {
  content?: readonly { type: string; text?: string }[];
  details?: unknown;
}

export interface RowOptions {
  expanded?: boolean;
  isPartial?: boolean;
}

export interface RowContext extends KeyNames {
  expanded?: boolean;
  isError?: boolean;
}

/** How Pi draws one tool; spread it into the tool's definition. */
export interface ToolRow {
  renderCall(args: unknown, theme: RowTheme, context?: RowContext): Rows;
  renderResult(result: RowResult, options: RowOptions, theme: RowTheme, context?: RowContext): Rows;
}

type Fields = Readonly<Record<string, unknown>>;

/** Compact rows for the four tools: one line for the call, one for its result, all of the text when expanded. */
export const toolRows = {
  list: toolRow({ glyph: "✉", verb: "list sessions", target: () => "" }, listSummary),
  ask: toolRow({ glyph: "?", verb: "ask", target: ({ to }) => nameOf(to) }, askSummary),
  reply: toolRow({ glyph: "←", verb: "answer ask", target: ({ ask }) => nameOf(ask) }, replySummary),
  send: toolRow({ glyph: "✉", verb: "send to", target: ({ to }) => nameOf(to) }, sendSummary),
} as const satisfies Record<string, ToolRow>;

interface CallLook {
  glyph: string;
  verb: string;
  /** Whom or what the call is about; its arguments may not have arrived yet. */
  target(args: Fields): string;
}

function toolRow(look: CallLook, summary: (details: Fields) => Span[] | undefined): ToolRow {
  return {
    renderCall: (args, theme, context) =>
      rowsOf((width) => drawCall(look, fieldsOf(args), theme, context?.expanded === true, width)),
    renderResult: (result, options, theme, context) =>
      rowsOf((width) => drawResult(result ?? {}, options ?? {}, summary, theme, context, width)),
  };
}

function drawCall(look: CallLook, args: Fields, theme: RowTheme, expanded: boolean, width: number): string[] {
  const target = look.target(args);
  const message = textOf(args["message"]);
  const head: Span[] = [{ text: `${look.glyph} ${look.verb}`, color: "toolTitle", bold: true }];
  if (target !== "") head.push({ text: ` ${target}`, color: "accent" });
  if (expanded) return [paintRow(theme, head, width), ...paintText(theme, message, "toolOutput", width)];
  const first = firstLine(message);
  if (first.text !== "") head.push({ text: `  ${first.text}${first.isAll ? "" : " …"}`, color: "muted" });
  return [paintRow(theme, head, width)];
}

function drawResult(
  result: RowResult,
  options: RowOptions,
  summary: (details: Fields) => Span[] | undefined,
  theme: RowTheme,
  context: RowContext | undefined,
  width: number,
): string[] {
  const text = (Array.isArray(result.content) ? result.content : []).map((part) => textOf(part?.text)).join("\n");
  const color = context?.isError ? "error" : options.isPartial ? "muted" : "toolOutput";
  const spans = context?.isError || options.isPartial ? undefined : summary(fieldsOf(result.details));
  if (options.expanded) {
    return [...(spans ? [paintRow(theme, spans, width)] : []), ...paintText(theme, text, color, width)];
  }
  const first = firstLine(text);
  const row: Span[] = spans ?? [{ text: first.text || (options.isPartial ? "…" : "(no text)"), color }];
  const hint = expandHint(context);
  const hasMore = spans ? first.text !== "" : !first.isAll;
  if (hasMore && hint !== "" && !options.isPartial) row.push({ text: ` (${hint})`, color: "dim" });
  return [paintRow(theme, row, width)];
}

function paintText(theme: RowTheme, text: string, color: string, width: number): string[] {
  return wrapText(text, width).map((row) => paintRow(theme, [{ text: row, color }], width));
}

function firstLine(text: string): { text: string; isAll: boolean } {
  const lines = cleanLines(text).filter((line) => line.trim() !== "");
  return { text: (lines[0] ?? "").trim(), isAll: lines.length <= 1 };
}

const ASK_OUTCOMES: Readonly<Record<AskDetails["outcome"], (who: string) => Span>> = {
  done: (who) => ({ text: `✓ ${who} answered`, color: "success" }),
  stopped: (who) => ({ text: `■ ${who} was stopped; this is no answer`, color: "warning" }),
  failed: (who) => ({ text: `✗ ${who} failed; this is no answer`, color: "error" }),
  "no answer yet": (who) => ({ text: `… no answer from ${who} yet`, color: "warning" }),
  "stopped running": (who) => ({ text: `✗ ${who} stopped running`, color: "error" }),
  "stopped by user": () => ({ text: "■ you stopped the wait", color: "warning" }),
};

function askSummary({ outcome, from, name, to }: Fields): Span[] | undefined {
  if (typeof outcome !== "string" || !Object.hasOwn(ASK_OUTCOMES, outcome)) return undefined;
  const who = nameOf(name) || nameOf(from) || nameOf(to) || "the session";
  return [ASK_OUTCOMES[outcome as AskDetails["outcome"]](who)];
}

function replySummary({ ask, name, to }: Fields): Span[] | undefined {
  if (nameOf(ask) === "" || nameOf(to) === "") return undefined;
  return [{ text: `✓ answered ${nameOf(name) || nameOf(to)}`, color: "success" }];
}

function sendSummary({ name, to, running }: Fields): Span[] | undefined {
  if (nameOf(to) === "" || typeof running !== "boolean") return undefined;
  const who = nameOf(name) || nameOf(to);
  if (running) return [{ text: `✓ delivered to ${who}`, color: "success" }];
  return [{ text: `✓ waits until ${who} runs again`, color: "warning" }];
}

function listSummary({ sessions }: Fields): Span[] | undefined {
  if (!Array.isArray(sessions)) return undefined;
  const rows = sessions.map(fieldsOf);
  if (rows.some(({ address }) => nameOf(address) === "")) return undefined;
  const labels = new Map(rows.map((row) => [row["address"], labelOf(row)]));
  const spans: Span[] = [{ text: `${rows.length} running`, color: "success" }];
  rows.forEach((row, index) => {
    spans.push({ text: index === 0 ? ": " : " · ", color: "dim" }, { text: labelOf(row), color: "toolOutput" });
    const waitsFor = labels.get(row["waitingOn"]) ?? nameOf(row["waitingOn"]);
    const state = waitsFor === "" ? nameOf(row["state"]) : `waits for ${waitsFor}`;
    const facts = [row["self"] === true ? "this session" : "", state].filter((fact) => fact !== "");
    if (facts.length > 0) spans.push({ text: ` (${facts.join(", ")})`, color: "muted" });
  });
  return spans;
}

function labelOf({ name, address }: Fields): string {
  return nameOf(name) || shortId(textOf(address));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A name as it is, a full id by its first 8 characters, "" for anything else. */
function nameOf(value: unknown): string {
  const text = cleanLine(textOf(value)).trim();
  return UUID.test(text) ? shortId(text) : text;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
