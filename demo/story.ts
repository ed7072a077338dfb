import { plainLines } from "../src/mail/plain-text.ts";
import type { Paint } from "./paint.ts";

const WIDTH = 80;
const WHO_CELLS = 7;
const VERB_CELLS = 7;
const GUTTER = 2 + WHO_CELLS + VERB_CELLS;

/** Prints the story: whatever it is given becomes lines of at most 80 cells. Texts are one cell a character. */
export class Story {
  readonly #paint: Paint;
  readonly #write: (text: string) => void;
  /** Nothing was printed since the last heading. */
  #isAtHeading = true;

  constructor(paint: Paint, write: (text: string) => void) {
    this.#paint = paint;
    this.#write = write;
  }

  title(text: string): void {
    this.#line(this.#paint("heading", text));
    this.#isAtHeading = true;
  }

  chapter(number: number, title: string): void {
    this.#line("");
    this.title(`${number}. ${title}`);
  }

  /** The narrator, wrapped, apart from the events before. */
  narrate(text: string): void {
    if (!this.#isAtHeading) this.#line("");
    for (const line of wrapWords(text, WIDTH - 2)) this.#line(`  ${this.#paint.names(line)}`);
  }

  /** One event: who, does what, and the text of it, wrapped; its line feeds stay.
   *  @param who "" for nobody in particular. */
  event(who: string, verb: string, text: string, { mostLines = Number.POSITIVE_INFINITY } = {}): void {
    const paragraphs = text.trim().split("\n");
    const lines = paragraphs.flatMap((paragraph) => wrapWords(paragraph, WIDTH - GUTTER));
    const shown = lines.length <= mostLines ? lines : [...lines.slice(0, mostLines - 1), `${lines[mostLines - 1]} …`];
    this.exact(who, verb, shown);
  }

  /** One event whose lines keep their layout; a line that is too long is cut with `…`. */
  exact(who: string, verb: string, lines: readonly string[]): void {
    for (const [index, line] of lines.entries()) {
      this.#row(index === 0 ? who : "", index === 0 ? verb : "", cut(line, WIDTH - GUTTER));
    }
  }

  /** Lines with a layout of their own, such as a tree. */
  block(lines: readonly string[]): void {
    for (const line of lines) this.#line(`  ${this.#paint.names(cut(line, WIDTH - 2))}`);
  }

  good(text: string): void {
    this.#line(`  ${this.#paint("good", `✓ ${text}`)}`);
  }

  /** A text that may not be cut, such as a path to copy: the one thing that can be wider than 80 cells. */
  uncut(text: string): void {
    this.#line(`  ${this.#paint("quiet", text)}`);
  }

  failure(headline: string, facts: readonly (readonly [label: string, text: string])[]): void {
    this.#line("");
    for (const line of wrapWords(headline, WIDTH)) this.#line(this.#paint("bad", line));
    for (const [label, text] of facts) {
      const lines = plainLines(text)
        .split("\n")
        .flatMap((line) => wrapWords(line, WIDTH - 12));
      for (const [index, line] of lines.entries()) this.#line(`  ${(index === 0 ? label : "").padEnd(9)} ${line}`);
    }
  }

  #row(who: string, verb: string, text: string): void {
    const spaces = (used: string, cells: number) => " ".repeat(cells - used.length);
    const head = `  ${this.#paint.names(who)}${spaces(who, WHO_CELLS)}`;
    const rest = `${this.#paint("quiet", verb)}${spaces(verb, VERB_CELLS)}${this.#paint.names(text)}`;
    this.#line(`${head}${rest}`.trimEnd());
  }

  #line(text: string): void {
    this.#write(`${text}\n`);
    this.#isAtHeading = false;
  }
}

function cut(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** Breaks at spaces; a word that is wider than a line is broken. */
function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).flatMap((whole) => whole.match(new RegExp(`.{1,${width}}`, "g")) ?? [])) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
