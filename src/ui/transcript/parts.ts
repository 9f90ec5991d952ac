/** What an entry unfolds to: parts of bounded size, each laid out only when it comes into sight. */

import { withoutModelNotes } from '../../protocol/entries/shellOutput.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { contentText, shellRun, textField, textOf } from '../print/content.ts';
import { renderDiff } from '../print/diff.ts';
import { renderEntry, renderReply } from '../print/entry.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { sanitize } from '../print/sanitize.ts';
import { paintLine, prefixLines, wrapColumns, wrapText } from '../print/spans.ts';
import { splitFinished } from '../print/streaming.ts';
import { renderTodos } from '../print/todos.ts';
import {
  failureOf,
  type ResultFacts,
  renderToolLine,
  resultFacts,
  type ToolResult,
} from '../print/toolLine.ts';
import { diffOfNew } from '../print/toolResult.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';

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

interface TextStyle {
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

// An entry with everything that is known of it: nothing folded, nothing cut. Pure.

/** What an entry needs of others. */
interface EntrySurroundings {
  /** The call that a result belongs to. */
  readonly call: JSONLEntry['tool'];
  /** The whole of what the entry shows a part of, once it was read. */
  readonly original: string | undefined;
  readonly seqOf: (uuid: string) => number | undefined;
}

/** No parts for bookkeeping that shows nothing. */
export function entryParts(entry: JSONLEntry, around: EntrySurroundings): Part[] {
  switch (entry.type) {
    case 'assistant':
      return replyParts(entry, around);
    case 'tool_use':
      return [];
    case 'tool_result':
      return resultParts(entry, around.call, around.original);
    case 'user':
      return userParts(entry, around);
    case 'system':
      return [...printed(entry, around), ...detailParts(entry)];
  }
}

function replyParts(entry: JSONLEntry, around: EntrySurroundings): Part[] {
  const text = contentText(entry);
  const reasoning = entry.message.reasoning?.text ?? '';
  return [
    ...textParts(reasoning, { mark: '✻ ', paint: 'dim', isProse: true }),
    ...markdownParts(text),
    // How it ended, when not well.
    block(({ width, theme, markdown }) =>
      renderReply(withoutText(entry), {
        width,
        theme,
        markdown,
        tools: () => around.call,
        seqOf: around.seqOf,
      }),
    ),
  ];
}

function withoutText(entry: JSONLEntry): JSONLEntry {
  const { reasoning: _, ...message } = entry.message;
  return { ...entry, message: { ...message, content: '' } };
}

function userParts(entry: JSONLEntry, around: EntrySurroundings): Part[] {
  if (entry.isCompactSummary === true)
    return [line('Summary of everything before this point:'), ...markdownParts(contentText(entry))];
  switch (entry.subtype) {
    case undefined:
    case 'prompt':
      // What the model was given: a folded paste is written out.
      return textParts(around.original ?? contentText(entry), { mark: '> ', paint: 'user', isProse: true });
    case 'shell':
      return shellParts(entry, around.original);
    default:
      return [...printed(entry, around), ...detailParts(entry)];
  }
}

function shellParts(entry: JSONLEntry, original: string | undefined): Part[] {
  const { command, output } = shellRun(entry);
  return [
    ...textParts(command, { mark: '! ', paint: 'user' }),
    ...textParts(original ?? output, { mark: '  ⎿ ', paint: 'dim' }),
  ];
}

/** As it stands in the scrollback. */
function printed(entry: JSONLEntry, around: EntrySurroundings): Part[] {
  return [
    block(({ width, theme, markdown }) =>
      renderEntry(entry, {
        width,
        theme,
        markdown,
        tools: () => around.call,
        seqOf: around.seqOf,
        showReasoning: true,
      }),
    ),
  ];
}

/** The text of what the scrollback only names: instructions, memories, reminders, what the model is told. */
function detailParts(entry: JSONLEntry): Part[] {
  switch (entry.subtype) {
    case 'session_start': {
      const prompt = entry.data?.systemPrompt;
      return typeof prompt === 'string' ? [line('System prompt:'), ...dimText(prompt)] : [];
    }
    case 'instructions':
    case 'skill':
    case 'memory':
      return dimText(contentText(entry));
    case 'environment':
    case 'reminder':
      return [
        line(entry.subtype === 'reminder' ? 'Reminder to the model:' : 'Told to the model:'),
        ...dimText(contentText(entry)),
      ];
    default:
      return [];
  }
}

const dimText = (text: string): Part[] =>
  textParts(text, { indent: '  ', mark: '  ', paint: 'dim', isProse: true });

/** A heading: without an empty row below. */
function line(text: string): Part {
  return { rows: ({ theme, width }) => [theme.dim(`◇ ${text}`.slice(0, width))] };
}

// A finished call with all of it: what it was asked, its whole output or diff.

/** `original`: the output as it was, where the entry holds a part of it. */
function resultParts(entry: JSONLEntry, call: JSONLEntry['tool'], original: string | undefined): Part[] {
  const result = entry.toolResult;
  if (result === undefined) return [];
  const facts = resultFacts(result, call);
  const head: Part = {
    rows: ({ width, theme }) => [
      renderToolLine({ ...facts, summary: result.display?.summary }, width, theme),
    ],
  };
  const diff = result.display?.diff ?? diffOfNew(result, call);
  const path = textField(call?.input, 'file_path');
  const body = bodyParts(result, facts.status, original, diff, path);
  const asked = diff === undefined ? inputParts(call?.input, facts.title) : [];
  return [head, ...asked, ...(body.length === 0 ? [blank] : body)];
}

const blank: Part = { rows: () => [''] };

function bodyParts(
  result: ToolResult,
  status: ResultFacts['status'],
  original: string | undefined,
  diff: string | undefined,
  path: string | undefined,
): Part[] {
  const failed = status === 'error' || status === 'denied';
  if (!failed && diff !== undefined && diff !== '') return [block((room) => wholeDiff(diff, path, room))];
  const { todos } = result;
  if (todos !== undefined)
    return [block(({ width, theme }) => indented(renderTodos(todos, width - 4, Infinity, theme)))];
  const output = original ?? withoutModelNotes(textOf(result.output), result.display);
  const text = failed && output === '' ? failureOf(result).text : output;
  return textParts(text, { mark: '  ⎿ ', paint: failed ? 'error' : 'dim' });
}

function wholeDiff(diff: string, path: string | undefined, { width, theme, markdown }: PartRoom): string {
  const { highlight } = markdown;
  return indented(renderDiff(diff, { width: width - 4, theme, highlight, path }).split('\n'));
}

function indented(rows: readonly string[]): string {
  return rows.map((row) => `    ${row}`).join('\n');
}

/** A title of so many characters stands on its line as a whole, but on the narrowest screens. */
const SHORT_TITLE = 50;

/** What a call was given beyond what its line says, a field a row or more. */
function inputParts(input: unknown, title: string): Part[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    // A todo list stands below in any case.
    const isSaid = title.length <= SHORT_TITLE && title.includes(text);
    if (text === '' || isSaid || name === 'todos') return [];
    const parts = textParts(`${name}: ${text}`, { mark: '    ', paint: 'dim' });
    return parts.map((part, index) => (index === parts.length - 1 ? withoutGap(part) : part));
  });
}

function withoutGap(part: Part): Part {
  return { rows: (room) => part.rows(room).slice(0, -1) };
}
