/** Splits an entry into parts of bounded size, each laid out only when it becomes visible. */
import { withoutModelNotes } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { contentText, displayText, shellRun, textField } from '../print/content.ts';
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
import { diffOfNew, isAnswerOfAgent } from '../print/toolResult.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';

export interface PartRoom {
  readonly width: number;
  readonly theme: Theme;
  readonly markdown: MarkdownRenderer;
}

/** Part of an entry. Its rows fit the room's width; the last is empty if a gap follows. */
export interface Part {
  rows(room: PartRoom): readonly string[];
}

/** Maximum characters of a part: laid out within a few milliseconds. */
const PART_CHARACTERS = 16_384;

/** Wraps a renderer as a part. */
export function block(render: (room: PartRoom) => string | undefined): Part {
  return {
    rows(room) {
      const text = render(room);
      return text === undefined || text === '' ? [] : [...text.split('\n'), ''];
    },
  };
}

interface TextStyle {
  /** Text before the first row; the other rows are indented by its width. */
  readonly mark?: string;
  readonly indent?: string;
  /** Role in the theme. */
  readonly paint?: 'dim' | 'error' | 'warning' | 'user';
  /** True to wrap at words; output wraps anywhere. */
  readonly isProse?: boolean;
}

/** Plain text of any size, in parts that end at line ends. Blank text has no parts. */
export function textParts(text: string, style: TextStyle): Part[] {
  if (text.trim() === '') return [];
  const pieces = cutAtLines(text.trimEnd());
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

/** Markdown in parts that end at block ends, as when it is printed during streaming. */
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
      // A single block is longer than the limit: search further.
      size *= 2;
      continue;
    }
    pieces.push(finished);
    rest = rest.slice(finished.length);
    size = PART_CHARACTERS;
  }
  return [...pieces, rest].filter((piece) => piece.trim() !== '');
}

/** Pieces of at most `PART_CHARACTERS`; cuts longer lines, but never inside a surrogate pair. */
function cutAtLines(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    if (text.length - from <= PART_CHARACTERS) {
      pieces.push(text.slice(from));
      break;
    }
    const newline = text.lastIndexOf('\n', from + PART_CHARACTERS - 1);
    if (newline >= from) {
      pieces.push(text.slice(from, newline));
      from = newline + 1;
      continue;
    }
    const last = text.charCodeAt(from + PART_CHARACTERS - 1);
    const to = from + PART_CHARACTERS - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

// An entry in full: nothing collapsed, nothing cut. Pure.

/** The data that an entry needs from other entries. */
interface EntrySurroundings {
  readonly call: JSONLEntry['tool'];
  /** The full text for an entry that contains only part of it, once it has been read. */
  readonly original: string | undefined;
  readonly seqOf: (uuid: string) => number | undefined;
}

/** Returns no parts for bookkeeping entries that show nothing. */
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
    // The reason, if it ended abnormally.
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
      // The text the model got, with collapsed pastes expanded.
      return textParts(around.original ?? contentText(entry), { mark: '> ', paint: 'user', isProse: true });
    case 'shell':
      return shellParts(entry, around.original);
    default:
      return [...printed(entry, around), ...detailParts(entry)];
  }
}

function shellParts(entry: JSONLEntry, original: string | undefined): Part[] {
  const { command, output, ending } = shellRun(entry);
  return [
    ...textParts(command, { mark: '! ', paint: 'user' }),
    ...textParts(original ?? output, { mark: '  ⎿ ', paint: 'dim' }),
    ...textParts(ending, { mark: '  ⎿ ', paint: 'dim', isProse: true }),
  ];
}

/** As in the scrollback. */
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

/** The text behind entries that the scrollback only names: instructions, memories, reminders, environment notes. */
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
        line(entry.subtype === 'reminder' ? 'Reminder to the model:' : 'For the model:'),
        ...dimText(contentText(entry)),
      ];
    default:
      return [];
  }
}

const dimText = (text: string): Part[] =>
  textParts(text, { indent: '  ', mark: '  ', paint: 'dim', isProse: true });

/** A heading without an empty row below. */
function line(text: string): Part {
  return { rows: ({ theme, width }) => [theme.dim(`◇ ${text}`.slice(0, width))] };
}

// A finished call in full: its input, and its whole output or diff.

/** `original`: the full output, if the entry contains only part of it. */
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
  const steps = (result.display?.steps ?? []).join('\n');
  return [
    head,
    ...asked,
    ...textParts(steps, { mark: '  · ', indent: '    ', paint: 'dim' }),
    ...(body.length === 0 ? [blank] : body),
  ];
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
  const output = original ?? withoutModelNotes(displayText(result.output), result.display);
  const text = failed && output === '' ? failureOf(result).text : output;
  if (isAnswerOfAgent(result, status)) return markdownParts(text).map(inset);
  return textParts(text, { mark: '  ⎿ ', paint: failed ? 'error' : 'dim' });
}

/** Indents a part like output, the first one after the mark of output. */
function inset(part: Part, index: number): Part {
  return {
    rows: (room) => {
      const rows = part.rows({ ...room, width: room.width - 4 });
      const [head = '', ...rest] = rows.map((row) => (row === '' ? row : `    ${row}`));
      return index === 0 ? [room.theme.dim('  ⎿ ') + head.slice(4), ...rest] : [head, ...rest];
    },
  };
}

function wholeDiff(diff: string, path: string | undefined, { width, theme, markdown }: PartRoom): string {
  const { highlight } = markdown;
  return indented(renderDiff(diff, { width: width - 4, theme, highlight, path }).split('\n'));
}

function indented(rows: readonly string[]): string {
  return rows.map((row) => `    ${row}`).join('\n');
}

/** Titles up to this length are never cut in the call's line, except on the narrowest screens. */
const SHORT_TITLE = 50;

/** The call's input beyond what its line shows, one field after the other. */
function inputParts(input: unknown, title: string): Part[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    // Todo lists are shown below anyway.
    const isSaid = title.length <= SHORT_TITLE && title.includes(text);
    if (text === '' || isSaid || name === 'todos') return [];
    const parts = textParts(`${name}: ${text}`, { mark: '    ', paint: 'dim' });
    return parts.map((part, index) => (index === parts.length - 1 ? withoutGap(part) : part));
  });
}

function withoutGap(part: Part): Part {
  return { rows: (room) => part.rows(room).slice(0, -1) };
}
