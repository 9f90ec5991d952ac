import type { JSONLEntry } from '../../protocol/entries.ts';
import { headOf, tailOf } from '../tokens/wellFormed.ts';

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
  const read =
    output.length <= 2 * MAX_READ ? output : `${headOf(output, MAX_READ)}\n${tailOf(output, MAX_READ)}`;
  const lines = new Set<string>();
  for (const raw of read.split('\n')) {
    if (raw.length > 2000) continue;
    const line = raw.trim();
    if (line.length < 6 || /^(?:exit code -?\d+$|Test Files |Tests:? )/.test(line)) continue;
    if (ERROR.test(line) || (hasFailed && FAILED.test(line))) lines.add(headOf(line, MAX_LINE));
  }
  if (lines.size === 0 && hasFailed && result.error !== undefined)
    lines.add(headOf(result.error.trim(), MAX_LINE));
  const all = [...lines];
  const chosen = all.length <= MAX_PER_RESULT ? all : [...all.slice(0, MAX_PER_RESULT - 1), ...all.slice(-1)];
  const found = chosen.filter((text) => text !== '').map((text) => ({ text, seq: entry.seq }));
  known.set(entry, found);
  return found;
}
