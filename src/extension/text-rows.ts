/**
 * Text as rows of terminal cells: cleaned, measured, wrapped, cut and coloured. Pi's TUI stops the whole program when
 * a row is wider than the screen, and the package that measures text for Pi can not be imported by an extension that
 * serves every supported Pi. So the measure here never says less than Pi's own: where Unicode leaves a doubt it says
 * two cells, and the worst that follows is a row that ends one cell early.
 */

/** What the rows use of Pi's theme; a host may offer less, or a stub. */
export interface RowTheme {
  fg?(color: string, text: string): string;
  bold?(text: string): string;
}

/** What the rows use of Pi's render options; older hosts offer no `keyText`. */
export interface KeyNames {
  keyText?(keybinding: string): string;
}

/** A Pi TUI component, as far as drawing goes. */
export interface Rows {
  render(width: number): string[];
  invalidate(): void;
}

/** A piece of a row. Its text has been through `cleanLines` or `cleanLine`, or is ours. */
export interface Span {
  text: string;
  color?: string;
  bold?: boolean;
}

interface Cluster {
  text: string;
  cells: number;
}

const ELLIPSIS: Cluster = { text: "…", cells: 1 };
const ASCII = /^[\x20-\x7e]*$/;
const COLOR_SEQUENCE = /\x1b\[[0-9;:]*m/g;
const LINE_END = /\r\n?|[\n\u2028\u2029]/;
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;
// Soft hyphen, zero-width space and no-break space, direction marks: they show nothing and mean little.
const UNSEEN = /[\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff]/g;
// Direction overrides, tag characters and their like can make text look different from what it says.
const DECEIVING = /(?![\u200c\u200d])[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const NO_CELL = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/u;
// Marks that terminals give a cell although Unicode calls them non-spacing.
const CELL_MARK = /[\u065f\u1033-\u1035\u103a\u103d\u103e]/;
const EMOJI = /\p{Emoji_Presentation}/u;
// TypeScript allows the v flag only from es2024 on; every supported node has it.
const UNICODE_SETS: string = "v";
// Made when the first text needs them: together they take longer to make than the rest of the extension to load.
const emojiSequence = once(() => new RegExp("^\\p{RGI_Emoji}$", UNICODE_SETS));
const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x1d3ff],
  [0x1d800, 0x3ffff],
];

/** The lines of a text, harmless to show: colours dropped, any other control character shown as a picture of itself,
 *  characters that reverse or hide text shown as `�`, tabs as three spaces (as Pi shows them). */
export function cleanLines(text: string): string[] {
  return text.replace(COLOR_SEQUENCE, "").split(LINE_END).map(cleanPart);
}

/** The same for a text that must stay on one line: each line end becomes a space. */
export function cleanLine(text: string): string {
  return cleanLines(text).join(" ");
}

function cleanPart(line: string): string {
  return line.replaceAll("\t", "   ").replace(CONTROL, controlPicture).replace(UNSEEN, "").replace(DECEIVING, "�");
}

function controlPicture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : "�";
}

/** Cells that a cleaned text takes at most. */
export function cellsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return sumCells(clustersOf(text));
}

function clustersOf(text: string): Cluster[] {
  if (ASCII.test(text)) return Array.from(text, (character) => ({ text: character, cells: 1 }));
  return Array.from(segmenter().segment(text), ({ segment }) => ({ text: segment, cells: clusterCells(segment) }));
}

function clusterCells(cluster: string): number {
  if (cluster.length > 1 && emojiSequence().test(cluster)) return 2;
  let cells = 0;
  for (const character of cluster) cells += characterCells(character);
  // Older Pis count some characters twice when a mark without a letter stands before them.
  return characterCells(String.fromCodePoint(cluster.codePointAt(0) ?? 0)) === 0 ? cells * 2 : cells;
}

function characterCells(character: string): number {
  if (CELL_MARK.test(character)) return 1;
  if (NO_CELL.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  return EMOJI.test(character) || WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

function sumCells(clusters: readonly Cluster[]): number {
  return clusters.reduce((sum, cluster) => sum + cluster.cells, 0);
}

/** Breaks a cleaned line into rows of at most `width` (>= 1) cells, at spaces where it can. A character that is wider
 *  than a whole row shows as `…`. */
export function wrapLine(line: string, width: number): string[] {
  const rows: string[] = [];
  let row: Cluster[] = [];
  let used = 0;
  for (const cluster of clustersOf(line)) {
    const next = cluster.cells > width ? ELLIPSIS : cluster;
    if (next.text === " " && row.length === 0 && rows.length > 0) continue;
    while (used + next.cells > width) {
      const cut = next.text === " " ? row.length : breakPlace(row);
      rows.push(joined(row.slice(0, cut)).trimEnd());
      row = row.slice(cut);
      used = sumCells(row);
    }
    if (next.text === " " && row.length === 0 && rows.length > 0) continue;
    row.push(next);
    used += next.cells;
  }
  if (row.length > 0 || rows.length === 0) rows.push(joined(row).trimEnd());
  return rows;
}

/** Where to break a full row: after its last space, unless all before it is indentation. */
function breakPlace(row: readonly Cluster[]): number {
  const space = row.findLastIndex((cluster) => cluster.text === " ");
  return row.slice(0, space + 1).some((cluster) => cluster.text !== " ") ? space + 1 : row.length;
}

function joined(clusters: readonly Cluster[]): string {
  return clusters.map((cluster) => cluster.text).join("");
}

/** A cleaned text as rows of at most `width` cells; blank lines at its ends are left out. */
export function wrapText(text: string, width: number): string[] {
  const lines = cleanLines(text);
  const isFull = (line: string) => line.trim() !== "";
  return lines.slice(lines.findIndex(isFull), lines.findLastIndex(isFull) + 1).flatMap((line) => wrapLine(line, width));
}

/** One row of at most `width` cells from spans, cut with `…` where they do not fit. */
export function paintRow(theme: RowTheme | undefined, spans: readonly Span[], width: number): string {
  if (spans.reduce((sum, span) => sum + cellsOf(span.text), 0) <= width) return paintAll(theme, spans);
  const kept: Span[] = [];
  let room = width - ELLIPSIS.cells;
  for (const span of spans) {
    const clusters = clustersOf(span.text);
    let count = 0;
    for (; count < clusters.length && (clusters[count]?.cells ?? 0) <= room; count++)
      room -= clusters[count]?.cells ?? 0;
    kept.push({ ...span, text: joined(clusters.slice(0, count)) });
    if (count < clusters.length) {
      kept.push({ ...span, text: ELLIPSIS.text });
      break;
    }
  }
  return paintAll(theme, kept);
}

function paintAll(theme: RowTheme | undefined, spans: readonly Span[]): string {
  return spans.map((span) => paint(theme, span)).join("");
}

/** A theme that fails, is a stub, or changes more than colours is left out: the plain text shows. */
function paint(theme: RowTheme | undefined, { text, color, bold }: Span): string {
  if (text === "") return "";
  try {
    let painted = text;
    if (bold) painted = theme?.bold?.(painted) ?? painted;
    if (color !== undefined) painted = theme?.fg?.(color, painted) ?? painted;
    return painted.replace(COLOR_SEQUENCE, "") === text ? painted : text;
  } catch {
    return text;
  }
}

/** The key that unfolds a row, in words for a hint: "ctrl+o to expand"; "" when the person bound no key to it. */
export function expandHint(keys: KeyNames | undefined): string {
  try {
    const key = cleanLine(keys?.keyText?.("app.tools.expand") ?? "ctrl+o");
    return key === "" ? "" : `${key} to expand`;
  } catch {
    return "ctrl+o to expand";
  }
}

/** A component that draws once for each width; `invalidate` (a new theme) draws again. No width, no rows. */
export function rowsOf(draw: (width: number) => string[]): Rows {
  let drawn: { width: number; rows: string[] } | undefined;
  return {
    render(width) {
      if (!(width >= 1)) return [];
      if (drawn?.width !== width) drawn = { width, rows: draw(Math.floor(width)) };
      return drawn.rows;
    },
    invalidate() {
      drawn = undefined;
    },
  };
}

/** First 8 characters of an id, as sessions and mail are shown. */
export function shortId(id: string): string {
  return cleanLine(id).slice(0, 8);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
