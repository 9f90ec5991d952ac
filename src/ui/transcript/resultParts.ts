/** A finished call with all of it: what it was asked, its whole output or diff. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { withoutModelNotes } from '../../protocol/shellOutput.ts';
import { textField, textOf } from '../print/content.ts';
import { renderDiff } from '../print/diff.ts';
import { failureOf, type ResultFacts, resultFacts, type ToolResult } from '../print/resultFacts.ts';
import { renderTodos } from '../print/todos.ts';
import { renderToolLine } from '../print/toolLine.ts';
import { diffOfNew } from '../print/toolResult.ts';
import { block, type Part, type PartRoom, textParts } from './parts.ts';

/** `original`: the output as it was, where the entry holds a part of it. */
export function resultParts(
  entry: JSONLEntry,
  call: JSONLEntry['tool'],
  original: string | undefined,
): Part[] {
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
