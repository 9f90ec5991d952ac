/** A finished call: its line, then what is worth a look: a diff, the todo list, the end of the output, the error. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { withoutModelNotes } from '../../protocol/shellOutput.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import { changedFilesRow } from './changedFiles.ts';
import { textField, textOf } from './content.ts';
import { renderDiff } from './diff.ts';
import type { EntryOptions } from './entry.ts';
import { foldOutput } from './fold.ts';
import { failureOf, resultFacts, type ToolResult } from './resultFacts.ts';
import { renderTodos } from './todos.ts';
import { renderToolLine } from './toolLine.ts';

const foldedRows = 3;
const errorRows = 6;
const diffRows = 60;
const todoRows = 30;

/** `undefined` for an entry without a result. */
export function renderToolResult(entry: JSONLEntry, options: EntryOptions): string | undefined {
  const result = entry.toolResult;
  if (result === undefined) return undefined;
  const { width, theme } = options;
  const call = options.tools(result.id);
  const facts = resultFacts(result, call);
  const { status } = facts;
  const line = renderToolLine({ ...facts, summary: summaryOf(result, status) }, width, theme);
  // Of an edit, the diff says it.
  const changed = result.kind === 'command' ? (result.filesChanged ?? []) : [];
  return [
    ...planOf(call, options),
    line,
    ...bodyOf(result, status, call, options),
    ...changedFilesRow(changed, { cwd: entry.cwd, width, theme }),
  ].join('\n');
}

/** The plan that the user was asked about: its question is gone, and the work may refer to it for long. */
function planOf(call: JSONLEntry['tool'], { width, theme, markdown }: EntryOptions): string[] {
  if (call?.name !== toolNames.exitPlanMode) return [];
  const plan = textField(call.input, 'plan');
  return plan === undefined ? [] : [markdown(plan, { width, theme }), ''];
}

function bodyOf(
  result: ToolResult,
  status: string,
  call: JSONLEntry['tool'],
  { width, theme, markdown }: EntryOptions,
): string[] {
  const output = withoutModelNotes(textOf(result.output), result.display);
  if (status === 'error' || status === 'denied') {
    const { text, keep } = failureOf(result);
    return foldOutput(text, { width, theme, rows: errorRows, keep, paint: theme.error });
  }
  if (status === 'interrupted')
    return foldOutput(output, { width, theme, rows: foldedRows, keep: 'end', paint: theme.warning });
  const diff = result.display?.diff ?? diffOfNew(result, call);
  if (diff !== undefined && diff !== '') {
    const rows = renderDiff(diff, {
      width: width - 4,
      theme,
      maxLines: diffRows,
      highlight: markdown.highlight,
      path: textField(call?.input, 'file_path'),
    });
    return rows === '' ? [] : rows.split('\n').map((row) => `    ${row}`);
  }
  if (result.todos !== undefined)
    return renderTodos(result.todos, width - 4, todoRows, theme).map((row) => `    ${row}`);
  if (result.kind === 'file' || result.kind === 'edit') return [];
  // What an accepted plan gives back is for the model; the plan stands above.
  if (call?.name === toolNames.exitPlanMode && status === 'ok') return [];
  return foldOutput(output, {
    width,
    theme,
    rows: foldedRows,
    keep: result.kind === 'command' ? 'end' : 'start',
  });
}

/** The diff of a file that a call has made, from the content in the call. */
export function diffOfNew({ filesChanged = [] }: ToolResult, call: JSONLEntry['tool']): string | undefined {
  const content = textField(call?.input, 'content');
  if (content === undefined || filesChanged.length !== 1 || filesChanged[0]?.kind !== 'created')
    return undefined;
  const lines = content.replace(/\r?\n$/, '').split(/\r?\n/);
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
}

function summaryOf(result: ToolResult, status: string): string | undefined {
  const said = result.display?.summary;
  if (status === 'partial') return said === undefined || said === '' ? 'partial' : `partial · ${said}`;
  if (said !== undefined) return said;
  if (status === 'denied') return 'not allowed';
  if (status === 'interrupted') return 'stopped';
  return undefined;
}
