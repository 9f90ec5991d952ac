/** What an entry unfolds to: parts of bounded size, each laid out only when it comes into sight. */

import type { MarkdownRenderer } from '../print/markdown.ts';
import { sanitize } from '../print/sanitize.ts';
import { paintLine, prefixLines, wrapColumns, wrapText } from '../print/spans.ts';
import { splitFinished } from '../print/streaming.ts';
import type { Paint, Theme } from '../theme.ts';

export interface PartRoom {
  readonly width: number;
  readonly theme: Theme;
  readonly markdown: MarkdownRenderer;
}

/** Rows of a part, none wider than the room; an empty row at its end where the next thing is another one. */
export interface Part {
  rows(room: PartRoom): readonly string[];
}

/** Characters of one part: laid out within a few milliseconds. */
const PART_CHARACTERS = 16_384;

/** Rows that a renderer makes. */
export function block(render: (room: PartRoom) => string | undefined): Part {
  return {
    rows(room) {
      const text = render(room);
      return text === undefined || text === '' ? [] : [...text.split('\n'), ''];
    },
  };
}

export interface TextStyle {
  /** Before the first row; the others are indented as far. */
  readonly mark?: string;
  readonly indent?: string;
  /** Which role of the theme. */
  readonly paint?: 'dim' | 'error' | 'warning' | 'user';
  /** Prose is broken at words, output anywhere. */
  readonly isProse?: boolean;
}

/** Plain text, whatever its size, in parts that end where lines end. Blank text has none. */
export function textParts(text: string, style: TextStyle = {}): Part[] {
  if (text.trim() === '') return [];
  const pieces = cutAtLines(text.replace(/\s+$/, ''), PART_CHARACTERS);
  return pieces.map((piece, index) => ({
    rows: (room) => textRows(piece, style, room, index === 0, index === pieces.length - 1),
  }));
}

function textRows(
  text: string,
  { mark = '', indent = ' '.repeat(mark.length), paint, isProse = false }: TextStyle,
  { width, theme }: PartRoom,
  isFirst: boolean,
  isLast: boolean,
): string[] {
  const painter: Paint | undefined = paint === undefined ? undefined : theme[paint];
  const room = Math.max(2, width - indent.length);
  const clean = sanitize(text);
  const lines = isProse
    ? wrapText(clean, room, painter)
    : wrapColumns([{ text: clean, paint: painter }], room).map(paintLine);
  const rows = prefixLines(lines, isFirst ? theme.dim(mark) : indent, indent);
  return isLast ? [...rows, ''] : rows;
}

/** Markdown in parts that end where a block ends, as it is printed while it streams. */
export function markdownParts(text: string): Part[] {
  return cutMarkdown(text).map((piece) =>
    block(({ markdown, width, theme }) => markdown(piece, { width, theme })),
  );
}

function cutMarkdown(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  let size = PART_CHARACTERS;
  while (rest.length > size) {
    const { finished } = splitFinished(rest.slice(0, size));
    if (finished.trim() === '') {
      // One block that is longer: look further.
      size *= 2;
      continue;
    }
    pieces.push(finished);
    rest = rest.slice(finished.length);
    size = PART_CHARACTERS;
  }
  return [...pieces, rest].filter((piece) => piece.trim() !== '');
}

/** Pieces of at most `size` characters; a line that is longer is cut, never inside a surrogate pair. */
function cutAtLines(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    if (text.length - from <= size) {
      pieces.push(text.slice(from));
      break;
    }
    const newline = text.lastIndexOf('\n', from + size - 1);
    if (newline >= from) {
      pieces.push(text.slice(from, newline));
      from = newline + 1;
      continue;
    }
    const last = text.charCodeAt(from + size - 1);
    const to = from + size - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
