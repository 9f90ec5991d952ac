/**
 * Styled text before painting. Wrapping works on plain text and each line is painted separately, so styles never leak
 * into indentation and no code has to parse escape sequences.
 */

import { withoutTrailing } from '../../protocol/text/trimming.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';
import { graphemes, isAscii, textWidth, truncate } from './width.ts';

export interface Span {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

/** Wraps prose to `columns`; breaks a word only if it is wider than a line. Removes spaces at line ends. */
export function wrapSpans(spans: readonly Span[], columns: number): Span[][] {
  const width = Math.max(2, columns);
  const lines = new Lines(width);
  for (const unit of unitsOf(spans)) {
    if (unit.type === 'break') lines.next();
    else if (unit.type === 'space') {
      if (lines.fits(unit.width)) lines.addAll(unit.spans);
      else lines.wrap();
    } else {
      if (!lines.fits(unit.width)) lines.wrap();
      if (unit.width <= width) lines.addAll(unit.spans);
      else for (const span of unit.spans) lines.addBroken(span);
    }
  }
  return lines.all().map(trimEnd);
}

/** Wraps code and output: breaks anywhere and keeps every space. */
export function wrapColumns(spans: readonly Span[], columns: number): Span[][] {
  const lines = new Lines(Math.max(2, columns));
  for (const { text, paint } of spans) {
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.next();
      lines.addBroken({ text: part, paint });
    });
  }
  return lines.all();
}

/** Paints one line. */
export function paintLine(spans: readonly Span[]): string {
  return spans.map(({ text, paint }) => (paint === undefined || text === '' ? text : paint(text))).join('');
}

/** Wraps and paints plain text in one style. */
export function wrapText(text: string, columns: number, paint?: Paint): string[] {
  return wrapSpans([{ text, paint }], columns).map(paintLine);
}

/** Puts `first` before the first line and `rest` before the others. */
export function prefixLines(lines: readonly string[], first: string, rest = ' '.repeat(textWidth(first))) {
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

class Lines {
  readonly #width: number;
  readonly #lines: Span[][] = [[]];
  #used = 0;
  /** The current line continues a wrapped one, so it must not start with a space. */
  #wrapped = false;

  constructor(width: number) {
    this.#width = width;
  }

  all(): Span[][] {
    return this.#lines;
  }

  fits(columns: number): boolean {
    return this.#used + columns <= this.#width;
  }

  next(): void {
    this.#lines.push([]);
    this.#used = 0;
    this.#wrapped = false;
  }

  /** Starts a new line unless the current one is empty. */
  wrap(): void {
    if (this.#used === 0) return;
    this.next();
    this.#wrapped = true;
  }

  addAll(spans: readonly Span[]): void {
    for (const span of spans) {
      if (this.#wrapped && this.#used === 0 && /^ +$/.test(span.text)) continue;
      this.#add(span, textWidth(span.text));
    }
  }

  /** Breaks between any two graphemes, and within one that is wider than a line. */
  addBroken({ text, paint }: Span): void {
    if (!isAscii(text)) {
      const parts = graphemes(text).flatMap((part) => (textWidth(part) <= this.#width ? part : [...part]));
      for (const part of parts) {
        const columns = textWidth(part);
        if (!this.fits(columns)) this.wrap();
        this.#add({ text: part, paint }, columns);
      }
      return;
    }
    let rest = text;
    while (rest !== '') {
      if (!this.fits(1)) this.wrap();
      const part = rest.slice(0, this.#width - this.#used);
      this.#add({ text: part, paint }, part.length);
      rest = rest.slice(part.length);
    }
  }

  #add(span: Span, columns: number): void {
    const line = this.#lines.at(-1) ?? [];
    const before = line.at(-1);
    if (before !== undefined && before.paint === span.paint)
      line[line.length - 1] = { text: before.text + span.text, paint: span.paint };
    else if (span.text !== '') line.push(span);
    this.#used += columns;
  }
}

function trimEnd(line: readonly Span[]): Span[] {
  const spans = [...line];
  for (let last = spans.pop(); last !== undefined; last = spans.pop()) {
    const text = withoutTrailing(last.text, ' ');
    if (text !== '') return [...spans, { text, paint: last.paint }];
  }
  return [];
}

// Line breaks: at spaces, and between Chinese and Japanese characters according to their usual rules.

/** A unit that stays on one line if the line is long enough. */
interface Unit {
  readonly type: 'word' | 'space' | 'break';
  readonly spans: Span[];
  width: number;
  /** Text that follows without a space still belongs to this unit. */
  open: boolean;
}

/** Splits styled text into units, in order; a word may span several styles. */
function unitsOf(spans: readonly Span[]): Unit[] {
  const units: Unit[] = [];
  for (const { text, paint } of spans) {
    const plain = isAscii(text.replaceAll('\n', ''));
    for (const [chunk] of text.matchAll(plain ? asciiChunks : mixedChunks)) {
      if (chunk === '\n') units.push({ type: 'break', spans: [], width: 0, open: false });
      else if (chunk.startsWith(' '))
        units.push({ type: 'space', spans: [{ text: chunk, paint }], width: chunk.length, open: false });
      else addWord(units, { text: chunk, paint }, !plain && startsWide.test(chunk));
    }
  }
  return units;
}

function addWord(units: Unit[], span: Span, wide: boolean): void {
  const before = units.at(-1);
  const width = textWidth(span.text);
  if (
    before?.type === 'word' &&
    ((before.open && !wide) || closing.test(span.text) || opening.test(before.spans.at(-1)?.text ?? ''))
  ) {
    before.spans.push(span);
    before.width += width;
    before.open = !wide;
  } else units.push({ type: 'word', spans: [span], width, open: !wide });
}

const asciiChunks = /\n| +|[^ \n]+/g;
const wide =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\u30fb\\u30fc\\uff00-\\uff60';
const mixedChunks = new RegExp(`\\n| +|[${wide}][\\p{M}\\ufe00-\\ufe0f]*|[^ \\n${wide}]+`, 'gu');
const startsWide = new RegExp(`^[${wide}]`, 'u');
// Characters that must not start a line, and characters that must not end one.
const closing = /^[、。，．：；！？）］｝」』】〉》〕’”…ー々・％]|^[,.;:!?)\]}%]+$/;
const opening = /[（［｛「『【〈《〔‘“]$/;

/** A horizontal rule with a title in it. */
export function titledRule(title: string, width: number, theme: Theme): string {
  const text = truncate(title, Math.max(1, width - 4));
  return `${theme.accent('─ ')}${theme.strong(text)}${theme.accent(` ${'─'.repeat(Math.max(0, width - 3 - textWidth(text)))}`)}`;
}
