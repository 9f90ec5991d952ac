import type { JSONLEntry } from '../../protocol/entries.ts';
import { headOf } from '../tokens/wellFormed.ts';
import { bothEnds } from './bothEnds.ts';

/** A line of a result that says what went wrong. */
export interface ErrorLine {
  readonly text: string;
  readonly seq: number;
}

const MAX_LINE = 240;
const MAX_PER_RESULT = 4;
const MAX_READ = 16_000;

const ERROR =
  /\b(?:[A-Z]\w*(?:Error|Exception)\b|error(?:\[\w+\])?:|fatal:|panic:|E[A-Z]{4,}:|error TS\d+|Traceback|Segmentation fault|command not found|No such file|Permission denied|undefined reference|cannot find|Could not|not found\b)/;
const FAILED = /\b(?:error|exception|failed|failure|denied|refused|invalid|unexpected|missing)\b/i;

/** In log order: the first of each failed result and its last, where a result has many. */
export function errorLines(entries: readonly JSONLEntry[]): ErrorLine[] {
  return entries.flatMap(errorsIn);
}

const known = new WeakMap<JSONLEntry, readonly ErrorLine[]>();

function errorsIn(entry: JSONLEntry): readonly ErrorLine[] {
  const result = entry.toolResult;
  if (result === undefined) return [];
  const hasFailed = result.status === 'error';
  // What a file or a search shows is not an error of this session.
  if (!hasFailed && result.kind !== 'command') return [];
  const before = known.get(entry);
  if (before !== undefined) return before;
  const output = typeof result.output === 'string' ? result.output : '';
  const read = bothEnds(output, MAX_READ, MAX_READ);
  const all = read.split('\n');
  const lines = new Set<string>();
  for (let index = 0; index < all.length && lines.size < MAX_PER_RESULT - 1; index++)
    addError(lines, all[index] ?? '', hasFailed);
  for (let index = all.length - 1; index >= 0 && lines.size < MAX_PER_RESULT; index--)
    if (addError(lines, all[index] ?? '', hasFailed)) break;
  if (lines.size === 0 && hasFailed && result.error !== undefined)
    lines.add(headOf(result.error.trim(), MAX_LINE));
  const found = [...lines].filter((text) => text !== '').map((text) => ({ text, seq: entry.seq }));
  known.set(entry, found);
  return found;
}

/** True when the line is an error, also one that is known. */
function addError(lines: Set<string>, raw: string, hasFailed: boolean): boolean {
  if (raw.length > 2000) return false;
  const line = raw.trim();
  // Totals of a test run are facts of their own.
  if (line.length < 6 || /^(?:exit code -?\d+$|Test Files |Tests:? )/.test(line)) return false;
  if (!ERROR.test(line) && !(hasFailed && FAILED.test(line))) return false;
  lines.add(headOf(line, MAX_LINE));
  return true;
}
