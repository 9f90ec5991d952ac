/** Shortens search results: the first matches of each file, and the number of other ones. */

import { isRecord } from '../../protocol/json.ts';
import { largest } from '../../protocol/text/numbers.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { headOf, wellFormed } from '../tokens/truncate.ts';
import {
  type Compressed,
  type CompressorDeps,
  type ListParts,
  listOf,
  noteOf,
  withinTokens,
} from './lists.ts';

/** Undefined for results within the limits and for text results that name no files. */
export async function compressSearch(
  text: string,
  value: unknown,
  deps: CompressorDeps,
): Promise<Compressed | undefined> {
  const { maxLines, maxBytes, maxTokens = Number.POSITIVE_INFINITY } = deps.limits;
  const isWhole =
    Buffer.byteLength(text) <= maxBytes &&
    text.split('\n', maxLines + 1).length <= maxLines &&
    estimateTokens(text, HIGH) <= maxTokens;
  if (isWhole) return undefined;
  const list = listOf(value);
  if (list === undefined) return compressLines(text, deps);
  return compressItems(text, list, deps);
}

interface Group {
  readonly name: string;
  /** Index in the results, in order, and text. */
  readonly members: readonly { readonly index: number; readonly text: string }[];
}

async function compressLines(
  text: string,
  { memory, kept, limits }: CompressorDeps,
): Promise<Compressed | undefined> {
  const lines = text.replace(/\n$/, '').split('\n');
  const firstNote = lines.findLastIndex((line) => !/^\(.*[.)]\)$/.test(line)) + 1;
  const groups = groupLines(lines.slice(0, firstNote));
  if (groups.length === 0) return undefined;
  const notes = lines.slice(firstNote);
  const original = kept ?? (await memory.store(text))?.original;
  const room = {
    lines: limits.maxLines - notes.length - 2,
    bytes: limits.maxBytes - Buffer.byteLength(notes.join('\n')) - NOTE_BYTES,
    tokens:
      (limits.maxTokens ?? Number.POSITIVE_INFINITY) - estimateTokens(notes.join('\n'), HIGH) - NOTE_TOKENS,
  };
  const shown = fitted(groups, room);
  const all = groups.reduce((sum, { members }) => sum + members.length, 0);
  const head = `[_note_: lines ${noteOf(shown.count, all, original?.hash)} Every file is shown, with its first matches.]`;
  const hidden = groups.length - shown.groups;
  const note =
    hidden === 0
      ? head
      : `[_note_: lines ${noteOf(shown.count, all, original?.hash)} ${hidden} files are not shown.]`;
  return {
    text: [note, ...shown.lines, ...notes].join('\n'),
    ...(original === undefined ? {} : { original }),
  };
}

const NOTE_BYTES = 200;
const NOTE_TOKENS = 80;
/** Maximum characters of a match line if not every file could be shown otherwise. */
const SHORT_LINE = 120;

interface Room {
  readonly lines: number;
  readonly bytes: number;
  readonly tokens: number;
}

interface Fitted {
  readonly lines: readonly string[];
  /** Number of result lines among them. */
  readonly count: number;
  readonly groups: number;
}

/**
 * Shows the same number of matches for each file, as many as fit; otherwise one shortened line each, then only file
 * names, then fewer files.
 */
function fitted(groups: readonly Group[], room: Room): Fitted {
  const most = largest(
    groups.map(({ members }) => members.length),
    0,
  );
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isWithin(shownLines(groups, middle, undefined), room)) low = middle;
    else high = middle - 1;
  }
  const count = (level: number): number =>
    groups.reduce((sum, { members }) => sum + Math.min(level, members.length), 0);
  if (low > 0) return { lines: shownLines(groups, low, undefined), count: count(low), groups: groups.length };
  const short = shownLines(groups, 1, SHORT_LINE);
  if (isWithin(short, room)) return { lines: short, count: count(1), groups: groups.length };
  const names = groups.map(({ name, members }) =>
    wellFormed(`${headOf(name, SHORT_LINE)} (${members.length})`),
  );
  let fit = names.length;
  while (fit > 0 && !isWithin(names.slice(0, fit), room)) fit = Math.floor(fit * 0.8);
  return { lines: names.slice(0, fit), count: 0, groups: fit };
}

function shownLines(groups: readonly Group[], level: number, maxCharacters: number | undefined): string[] {
  return groups.flatMap(({ members }) => {
    const shown = members
      .slice(0, level)
      .map(({ text }) =>
        maxCharacters === undefined || text.length <= maxCharacters
          ? text
          : `${wellFormed(headOf(text, maxCharacters))}…`,
      );
    const more = members.length - shown.length;
    return more === 0 ? shown : [...shown, `(+${more} more in this file)`];
  });
}

function isWithin(lines: readonly string[], { lines: maxLines, bytes, tokens }: Room): boolean {
  if (lines.length > maxLines) return false;
  const text = lines.join('\n');
  return (
    Buffer.byteLength(text) <= bytes &&
    (tokens === Number.POSITIVE_INFINITY || estimateTokens(text, HIGH) <= tokens)
  );
}

/** Groups lines by the path before a line number or count; other lines belong to the file before them. */
function groupLines(lines: readonly string[]): readonly Group[] {
  const groups = new Map<string, { index: number; text: string }[]>();
  let last: { index: number; text: string }[] | undefined;
  for (const [index, text] of lines.entries()) {
    const name =
      /^([^\n]{1,400}?)(?::\d+(?::|$)|-\d+-)/.exec(text)?.[1] ?? (last === undefined ? text : undefined);
    if (name !== undefined) {
      last = groups.get(name) ?? [];
      groups.set(name, last);
    }
    last?.push({ index, text });
  }
  return [...groups].map(([name, members]) => ({ name, members }));
}

const placeKeys = ['path', 'file', 'filename', 'file_path', 'url', 'uri', 'link'] as const;

/** Keeps JSON results in order, with the same number for each file, as many as fit. */
async function compressItems(
  text: string,
  { key, items, rest }: ListParts,
  { memory, kept, limits, settings }: CompressorDeps,
): Promise<Compressed | undefined> {
  const original = kept ?? (await memory.store(text))?.original;
  const groups = new Map<string, { index: number; text: string }[]>();
  for (const [index, item] of items.entries()) {
    const record = isRecord(item) ? item : {};
    const place = placeKeys.map((one) => record[one]).find((one) => typeof one === 'string');
    const name = typeof place === 'string' ? place : `#${index}`;
    const members = groups.get(name) ?? [];
    members.push({ index, text: JSON.stringify(item) ?? 'null' });
    groups.set(name, members);
  }
  const others = withinTokens(rest, settings.maxResultTokens);
  const spent = JSON.stringify(others);
  const room = {
    lines: Number.POSITIVE_INFINITY,
    bytes: limits.maxBytes - Buffer.byteLength(spent) - NOTE_BYTES,
    tokens: (limits.maxTokens ?? Number.POSITIVE_INFINITY) - estimateTokens(spent, HIGH) - NOTE_TOKENS,
  };
  const all = [...groups].map(([name, members]) => ({ name, members }));
  const { lines } = fitted(all, room);
  const wanted = new Set(lines);
  const shown = all
    .flatMap(({ members }) => members.filter((member) => wanted.has(member.text)))
    .sort((a, b) => a.index - b.index)
    .map(({ index }) => items[index]);
  const record = {
    _note_: noteOf(shown.length, items.length, original?.hash),
    totalCount: items.length,
    ...others,
    [key]: shown.length > 0 ? shown : lines,
  };
  return { text: JSON.stringify(record), ...(original === undefined ? {} : { original }) };
}
