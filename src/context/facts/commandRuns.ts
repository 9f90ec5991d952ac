/** Commands that were run and how they ended, as results say it. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { shellOutput } from '../../protocol/shellOutput.ts';
import { tailOf } from '../tokens/wellFormed.ts';
import { bothEnds } from './bothEnds.ts';
import { parseTests, type TestReport } from './testReports.ts';

export interface CommandRun {
  readonly command: string;
  /** Undefined where it did not end: interrupted, denied, moved to the background. */
  readonly exitCode: number | undefined;
  /** What a test runner or a type checker said at its end. */
  readonly tests: TestReport | undefined;
  /** Of the result. */
  readonly seq: number;
}

/** In log order. A call is matched with the next result of its id, since ids are used again and again. */
export function commandRuns(entries: readonly JSONLEntry[]): CommandRun[] {
  const open = new Map<string, string>();
  const runs: CommandRun[] = [];
  for (const entry of entries) {
    const { tool, toolResult } = entry;
    if (tool !== undefined) {
      const command = commandOf(tool.input);
      if (command === undefined) open.delete(tool.id);
      else open.set(tool.id, command);
    }
    if (toolResult !== undefined) {
      const command = open.get(toolResult.id);
      if (command === undefined) continue;
      open.delete(toolResult.id);
      runs.push({ command, ...endOf(entry, toolResult.output, toolResult.status), seq: entry.seq });
    }
    const shell = entry.subtype === 'shell' ? entry.data : undefined;
    if (typeof shell?.command === 'string')
      runs.push({
        command: shell.command,
        ...endOf(entry, shellOutput(entry), shell.status),
        seq: entry.seq,
      });
  }
  return runs;
}

/** Test runners say how it went at their end, names of failures a little before it. */
const MAX_TAIL = 16_000;
const MAX_HEAD = 4_000;

type End = Pick<CommandRun, 'exitCode' | 'tests'>;
/** Entries never change, so each is read once in its life. */
const ends = new WeakMap<JSONLEntry, End>();

function endOf(entry: JSONLEntry, output: unknown, status: unknown): End {
  const known = ends.get(entry);
  if (known !== undefined) return known;
  const text = typeof output === 'string' ? output : '';
  const read = bothEnds(text, MAX_HEAD, MAX_TAIL);
  const end = { exitCode: exitCodeOf(text, status), tests: parseTests(read) };
  ends.set(entry, end);
  return end;
}

function exitCodeOf(text: string, status: unknown): number | undefined {
  const last = /(?:^|\n)exit code (-?\d{1,5})\b[^\n]*\s*$/.exec(tailOf(text, 200));
  if (last?.[1] !== undefined) return Number(last[1]);
  if (/\((?:Interrupted by the user\.|Still running after )[^\n]*\s*$/.test(tailOf(text, 400)))
    return undefined;
  if (/(?:^|\n)Runs in the background as task [^\n]*\s*$/.test(tailOf(text, 400))) return undefined;
  if (status === 'ok' || status === 'partial' || status === undefined) return 0;
  return status === 'error' ? 1 : undefined;
}

function commandOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined;
  return typeof input.command === 'string' && input.command.trim() !== '' ? input.command.trim() : undefined;
}
