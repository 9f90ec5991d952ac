/** Tool calls in the protocol's terms: kind, title, files and results. Pure. */
import { isAbsolute, resolve } from 'node:path';
import type {
  PlanEntry,
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk';
import type { Todo } from '../protocol/entries/fields.ts';
import { withoutModelNotes } from '../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import { toolNames, traitsOf } from '../protocol/toolNames.ts';
import { diffContent, firstLineOf } from './diffContent.ts';
import { fenced, textContent, titleLine } from './text.ts';

export const kindOf = (tool: string): ToolKind => traitsOf(tool)?.acpKind ?? 'other';

/** The todo list is shown as a plan, not as a call. */
export const isPlanTool = (tool: string | undefined): boolean => tool === toolNames.todoWrite;

export function planEntries(todos: readonly Todo[]): PlanEntry[] {
  return todos.map(({ content, status }) => ({ content: titleLine(content), status, priority: 'medium' }));
}

/** `id`: unique in the session, unlike the model's own ids of calls. */
export function toolCallOf(id: string, name: string, input: unknown, cwd: string): ToolCall {
  return {
    toolCallId: id,
    title: titleOf(name, input),
    name: titleLine(name),
    kind: kindOf(name),
    status: 'pending',
    locations: locationsOf(name, input, cwd),
    rawInput: boundedInput(input),
  };
}

/** The result of a call; undefined for any other entry. */
export function toolResultOf(id: string, entry: JSONLEntry): ToolCallUpdate | undefined {
  const { toolResult } = entry;
  if (toolResult === undefined) return undefined;
  const { status = 'ok', error } = toolResult;
  const isGood = error === undefined && (status === 'ok' || status === 'partial');
  const outcome: ToolCallStatus = isGood ? 'completed' : 'failed';
  const locations = (toolResult.filesChanged ?? []).slice(0, MAX_LOCATIONS).map(({ path }) => ({ path }));
  return {
    toolCallId: id,
    status: outcome,
    content: resultContent(entry, isGood),
    ...(locations.length === 0 ? {} : { locations }),
  };
}

const MAX_LOCATIONS = 50;

function resultContent({ toolResult }: JSONLEntry, isGood: boolean): ToolCallContent[] {
  const { output, display, kind, filesChanged = [] } = toolResult ?? {};
  const [changed] = filesChanged;
  if (isGood && display?.diff !== undefined && changed !== undefined) {
    const diffs = diffContent(changed.path, display.diff, changed.kind === 'created');
    if (diffs.length > 0) return diffs;
  }
  const text = withoutModelNotes(typeof output === 'string' ? output : JSON.stringify(output ?? ''), display);
  if (text.trim() === '') return [];
  return [textContent(fenced(text, kind === 'command' ? 'console' : ''))];
}

/** The file and the line that a result shows, for a client that follows along. */
export function changedLocation(entry: JSONLEntry): ToolCallLocation[] {
  const { filesChanged = [], display } = entry.toolResult ?? {};
  const [changed] = filesChanged;
  if (changed === undefined || display?.diff === undefined) return [];
  const line = firstLineOf(display.diff);
  return [{ path: changed.path, ...(line === undefined ? {} : { line }) }];
}

/** One line with the tool and its subject. */
export function titleOf(name: string, input: unknown): string {
  const about = aboutOf(input);
  return titleLine(about === '' ? name : name === toolNames.bash ? about : `${name} ${about}`);
}

/** The first of these arguments that a call has is its subject. */
const subjects = ['command', 'file_path', 'pattern', 'url', 'description', 'name', 'query', 'path'] as const;

function aboutOf(input: unknown): string {
  for (const key of subjects) {
    const value = fieldOf(input, key);
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return '';
}

function locationsOf(name: string, input: unknown, cwd: string): ToolCallLocation[] {
  const given = fieldOf(input, 'file_path') ?? fieldOf(input, 'path');
  const isFile = ['read', 'edit', 'search'].includes(kindOf(name));
  if (!isFile || typeof given !== 'string' || given === '' || given.startsWith('~')) return [];
  const offset = fieldOf(input, 'offset');
  const line = typeof offset === 'number' && Number.isInteger(offset) && offset > 0 ? { line: offset } : {};
  return [{ path: isAbsolute(given) ? given : resolve(cwd, given), ...line }];
}

function fieldOf(input: unknown, key: string): unknown {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, key)) return undefined;
  return (input as Record<string, unknown>)[key];
}

/** Maximum characters of each text in a call's input: a client shows it unchanged, and a written file may be large. */
const MAX_INPUT_TEXT = 20_000;
const MAX_INPUT = 200_000;

/** The model's input, with long texts cut. */
export function boundedInput(input: unknown): unknown {
  const text = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'string' && value.length > MAX_INPUT_TEXT
      ? `${value.slice(0, MAX_INPUT_TEXT).toWellFormed()}…`
      : value,
  );
  if (text === undefined) return undefined;
  return text.length > MAX_INPUT ? { cut: text.slice(0, MAX_INPUT_TEXT).toWellFormed() } : JSON.parse(text);
}
