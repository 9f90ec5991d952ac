/** Search in the transcript: the current match, the next one, the number of matches, and marking them. */
import { stripVTControlCharacters } from 'node:util';
import type { Stroke } from '../keys/strokes.ts';
import { sanitizeInput } from '../print/sanitize.ts';
import { drawnWidth, graphemes, takeColumns } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { comparePositions, type RowPosition, type TranscriptDocument } from './transcriptDocument.ts';

export type Direction = 1 | -1;

/** A match: the `index`th of its part. */
export interface Match {
  readonly item: number;
  readonly part: number;
  readonly index: number;
}

interface SearchPorts {
  /** Loads an item's full text if the entry contains only part of it. */
  readonly readOriginal: (item: number) => Promise<void>;
  /** Loads the entries before the first item; resolves to false at the start of the session. */
  readonly pageIn: () => Promise<boolean>;
}

/** Yields if needed; resolves to false once the work was cancelled. */
export type ShouldContinue = () => Promise<boolean>;

export interface TranscriptSearch {
  /** Starts a new search without a current match. */
  begin(query: string): void;
  /** True if there is a query. */
  isOn(): boolean;
  current(): Match | undefined;
  setCurrent(found: Match | undefined): void;
  /** The next match from the current one, or from the visible rows if there is none. */
  find(direction: Direction, shown: Shown, shouldContinue: ShouldContinue): Promise<Match | undefined>;
  /** The number of matches in memory and the position of this one; undefined if cancelled. */
  count(
    found: Match,
    shouldContinue: ShouldContinue,
  ): Promise<{ readonly number: number; readonly all: number } | undefined>;
  placeOf(found: Match): RowPosition;
  mark(text: string, place: RowPosition): string;
}

/** The first and the last visible row. */
interface Shown {
  readonly top: RowPosition;
  readonly bottom: RowPosition;
}

export function createSearch(document: TranscriptDocument, ports: SearchPorts): TranscriptSearch {
  let pattern: RegExp | undefined;
  let current: Match | undefined;
  let known = new WeakMap<readonly string[], readonly MatchRanges[]>();

  const matchesOf = (item: number, part: number): readonly MatchRanges[] => {
    if (pattern === undefined) return [];
    const rows = document.rowsOf(item, part);
    const matches = known.get(rows) ?? findInRows(rows, pattern);
    known.set(rows, matches);
    return matches;
  };
  const placeOf = ({ item, part, index }: Match): RowPosition => ({
    item,
    part,
    row: matchesOf(item, part)[index]?.[0]?.row ?? 0,
  });
  const lastPart = (item: number): number => document.partsOf(item) - 1;

  const find = async (
    direction: Direction,
    { top, bottom }: Shown,
    shouldContinue: ShouldContinue,
  ): Promise<Match | undefined> => {
    const from = current ?? (direction === 1 ? top : bottom);
    let { item, part } = from;
    let isHere = true;
    const isWanted = (index: number): boolean => {
      if (!isHere) return true;
      if (current !== undefined) return (index - current.index) * direction > 0;
      const place = placeOf({ item, part, index });
      return direction === 1 ? comparePositions(place, top) >= 0 : comparePositions(place, bottom) <= 0;
    };
    while (await shouldContinue()) {
      if (isHere || part === (direction === 1 ? 0 : lastPart(item))) {
        const last = lastPart(item);
        await ports.readOriginal(item);
        // The full text has more parts than the partial one.
        if (!isHere && direction === -1 && lastPart(item) !== last) part = lastPart(item);
      }
      const order = matchesOf(item, part).map((_, index) => index);
      if (direction === -1) order.reverse();
      const index = order.find(isWanted);
      if (index !== undefined) return { item, part, index };
      isHere = false;
      part += direction;
      while (part < 0 || part > lastPart(item)) {
        item += direction;
        const { first, last } = document.bounds();
        if (item > last) return undefined;
        if (item < first && !(await ports.pageIn())) return undefined;
        part = direction === 1 ? 0 : lastPart(item);
        if (!(await shouldContinue())) return undefined;
      }
    }
    return undefined;
  };

  return {
    begin(query) {
      pattern = searchPattern(query);
      known = new WeakMap();
      current = undefined;
    },
    isOn: () => pattern !== undefined,
    current: () => current,
    setCurrent(found) {
      current = found;
    },
    find,
    async count(found, shouldContinue) {
      let before = 0;
      let all = 0;
      const { first, last } = document.bounds();
      for (let item = first; item <= last; item += 1) {
        for (let part = 0; part < document.partsOf(item); part += 1) {
          const many = matchesOf(item, part).length;
          all += many;
          if (item < found.item || (item === found.item && part < found.part)) before += many;
          if (!(await shouldContinue())) return undefined;
        }
      }
      return { number: before + found.index + 1, all };
    },
    placeOf,
    mark(text, place) {
      if (pattern === undefined) return text;
      const { item, part, row } = place;
      const ranges = matchesOf(item, part).flatMap((match, index) => {
        const isCurrent = current?.item === item && current.part === part && current.index === index;
        return match.filter((range) => range.row === row).map((range) => ({ ...range, isCurrent }));
      });
      return markRow(text, ranges);
    },
  };
}

/** The input field of a search. Pure. */
export interface SearchField {
  readonly direction: 1 | -1;
  /** Text before and after the cursor. */
  readonly before: string;
  readonly after: string;
}

/** Maximum characters of a query. */
const MAX_QUERY = 200;

/**
 * Applies a key. `field` is undefined once the field is closed; `query` is set when the search starts (empty: repeat
 * the last one).
 */
export function typeInto(
  field: SearchField,
  key: Stroke,
): { readonly field: SearchField | undefined; readonly query?: string; readonly direction: 1 | -1 } {
  const { direction } = field;
  const next = edited(field, key);
  if (next === 'leave') return { field: undefined, direction };
  if (next === 'search') return { field: undefined, query: field.before + field.after, direction };
  return { field: next, direction };
}

function edited(field: SearchField, key: Stroke): SearchField | 'leave' | 'search' {
  const { before, after } = field;
  if (key.type === 'text')
    return { ...field, before: (before + sanitizeInput(key.text)).slice(0, MAX_QUERY) };
  const left = graphemes(before);
  const right = graphemes(after);
  switch (key.key) {
    case 'enter':
      return 'search';
    case 'escape':
    case 'ctrl+c':
    case 'ctrl+o':
      return 'leave';
    case 'backspace':
      return before + after === '' ? 'leave' : { ...field, before: left.slice(0, -1).join('') };
    case 'delete':
      return { ...field, after: right.slice(1).join('') };
    case 'left':
      return { ...field, before: left.slice(0, -1).join(''), after: (left.at(-1) ?? '') + after };
    case 'right':
      return { ...field, before: before + (right[0] ?? ''), after: right.slice(1).join('') };
    case 'home':
    case 'ctrl+a':
      return { ...field, before: '', after: before + after };
    case 'end':
    case 'ctrl+e':
      return { ...field, before: before + after, after: '' };
    case 'ctrl+u':
      return { ...field, before: '' };
    case 'ctrl+w':
      return { ...field, before: before.replace(/\S*\s*$/, '') };
    default:
      return field;
  }
}

/** The field's row with styles, and the column of the cursor. */
export function cursorField(
  { direction, before, after }: SearchField,
  width: number,
  theme: Theme,
): { readonly row: string; readonly x: number } {
  const mark = direction === 1 ? '/' : '?';
  const room = Math.max(1, width - 2);
  let shown = before;
  for (const first of graphemes(before)) {
    if (drawnWidth(shown) <= room) break;
    shown = shown.slice(first.length);
  }
  const x = 1 + drawnWidth(shown);
  return { row: `${theme.accent(mark)}${shown}${takeColumns(after, width - x - 1)}`, x };
}

// Finds matches in laid-out rows, across row ends, and marks them. Pure.

/** The part of a match on one row; positions are characters of the row without styles. */
interface MarkedRange {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** A match, with one range for each row that it covers. */
type MatchRanges = readonly MarkedRange[];

/** Characters with a special meaning in a regular expression. */
const syntax = /[\^$\\.*+?()[\]{}|/]/g;

/** Maximum matches counted per part. */
const MAX_MATCHES = 10_000;

/** Smart case: a query without capitals ignores case. Undefined for an empty query. */
export function searchPattern(query: string): RegExp | undefined {
  const characters = [...query.trim().replace(/\s+/g, ' ')];
  if (characters.length === 0) return undefined;
  // A word may be wrapped anywhere, and the next row starts with an indent.
  const source = characters
    .map((one) => (one === ' ' ? '\\s+' : one.replace(syntax, '\\$&')))
    .join('(?:\\n *)?');
  return new RegExp(source, /\p{Lu}/u.test(query) ? 'gu' : 'giu');
}

export function findInRows(rows: readonly string[], pattern: RegExp): MatchRanges[] {
  const plain = rows.map((row) => stripVTControlCharacters(row));
  const text = plain.join('\n');
  const matches: MatchRanges[] = [];
  const starts: number[] = [];
  let start = 0;
  for (const row of plain) {
    starts.push(start);
    start += row.length + 1;
  }
  let row = 0;
  for (const found of text.matchAll(pattern)) {
    if (matches.length >= MAX_MATCHES || found[0] === '') break;
    const end = found.index + found[0].length;
    while ((starts[row + 1] ?? Infinity) <= found.index) row += 1;
    const ranges: MarkedRange[] = [];
    for (let at = row; (starts[at] ?? Infinity) < end; at += 1) {
      const begin = starts[at] ?? 0;
      const length = plain[at]?.length ?? 0;
      const skipped = at === row ? 0 : (/^ */.exec(plain[at] ?? '')?.[0].length ?? 0);
      const from = Math.max(found.index - begin, skipped);
      const to = Math.min(end - begin, length);
      if (to > from) ranges.push({ row: at, from, to });
    }
    matches.push(ranges);
  }
  return matches;
}

/** Inverts the ranges of a styled row; also underlines the current match. */
export function markRow(
  painted: string,
  ranges: readonly { readonly from: number; readonly to: number; readonly isCurrent: boolean }[],
): string {
  if (ranges.length === 0) return painted;
  const sorted = [...ranges].sort((a, b) => a.from - b.from);
  let out = '';
  let column = 0;
  let next = 0;
  for (const piece of painted.split(/(\u001B\[[\d;:]*m)/)) {
    if (piece.startsWith('\u001B')) {
      out += piece;
      continue;
    }
    let at = 0;
    while (at < piece.length) {
      const range = sorted[next];
      if (range === undefined || range.from >= column + piece.length - at) {
        out += piece.slice(at);
        column += piece.length - at;
        break;
      }
      const begin = Math.max(at, at + range.from - column);
      const stop = Math.min(piece.length, at + range.to - column);
      const [on, off] = range.isCurrent ? ['\u001B[7;4m', '\u001B[27;24m'] : ['\u001B[7m', '\u001B[27m'];
      out += piece.slice(at, begin) + (stop > begin ? on + piece.slice(begin, stop) + off : '');
      column += Math.max(begin, stop) - at;
      at = Math.max(begin, stop);
      if (column >= range.to) next += 1;
    }
  }
  return out;
}
