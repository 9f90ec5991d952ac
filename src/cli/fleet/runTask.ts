/** One try of a task: the program itself as a child in its own process group, with the prompt on standard input. */
import { spawn } from 'node:child_process';
import * as z from 'zod';
import { signalGroup } from '../../disk/signalGroup.ts';
import type { Task } from './tasks.ts';

export interface Try {
  /** Null if a signal ended the child, or it could not be started. */
  readonly exitCode: number | null;
  readonly end: 'exited' | 'timed_out' | 'stopped';
  readonly durationMs: number;
  /** The result that the child printed. */
  readonly result: RunResult | undefined;
  /** The end of its standard error. */
  readonly stderr: string;
}

interface TryOptions {
  /** The command that starts the program, with arguments. */
  readonly program: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly sessionId: string;
  readonly timeoutMs: number;
  /** Flags for every run, after those of the task. */
  readonly flags: readonly string[];
  /** Ends the child. */
  readonly signal: AbortSignal;
}

const resultSchema = z.looseObject({
  type: z.literal('result'),
  is_error: z.boolean(),
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
  session_id: z.string().optional(),
  total_cost_usd: z.number().nullish(),
});
export type RunResult = z.infer<typeof resultSchema>;

/** Bytes of a child's output that are kept; the end, since the result is the last line. */
const MAX_OUTPUT = 16 * 2 ** 20;
const MAX_ERRORS = 64 * 1024;
/** Milliseconds from SIGTERM, on which a run completes its log, to SIGKILL. */
const GRACE_MS = 5000;

/** Never rejects. */
export function runTask(task: Task, options: TryOptions): Promise<Try> {
  const { program, env, timeoutMs, signal } = options;
  const [file = '', ...first] = program;
  const startedAt = Date.now();
  let end: Try['end'] = 'exited';
  return new Promise((resolve) => {
    // Its own group, so that Ctrl+C in a terminal reaches only the fleet, which then ends its children.
    const child = spawn(file, [...first, ...argumentsOf(task, options)], {
      cwd: task.cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output = keepEnd(MAX_OUTPUT);
    const errors = keepEnd(MAX_ERRORS);
    child.stdout.on('data', output.add);
    child.stderr.on('data', errors.add);
    // It may end without reading.
    child.stdin.on('error', () => undefined);
    child.stdin.end(task.prompt);
    let killing: NodeJS.Timeout | undefined;
    const stop = (why: Try['end']): void => {
      if (end !== 'exited') return;
      end = why;
      signalGroup(child.pid, 'SIGTERM');
      killing = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS);
    };
    const onAbort = (): void => stop('stopped');
    const timeout = setTimeout(() => stop('timed_out'), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const finish = (exitCode: number | null): void => {
      clearTimeout(timeout);
      clearTimeout(killing);
      signal.removeEventListener('abort', onAbort);
      const durationMs = Date.now() - startedAt;
      resolve({ exitCode, end, durationMs, result: resultIn(output.text()), stderr: errors.text() });
    };
    child.once('error', (error) => {
      errors.add(Buffer.from(`${error.message}\n`));
      finish(null);
    });
    child.once('close', finish);
  });
}

function argumentsOf(
  { model, maxTurns, maxBudgetUsd }: Task,
  { sessionId, flags }: Pick<TryOptions, 'sessionId' | 'flags'>,
): string[] {
  return [
    ...['-p', '--output-format', 'json', '--session-id', sessionId],
    ...(model === undefined ? [] : ['--model', model]),
    ...(maxTurns === undefined ? [] : ['--max-turns', String(maxTurns)]),
    ...(maxBudgetUsd === undefined ? [] : ['--max-budget-usd', String(maxBudgetUsd)]),
    ...flags,
  ];
}

/** Signals a child and everything in its group; its commands are in groups that it ends itself. */
function keepEnd(maxBytes: number): { add(chunk: Buffer): void; text(): string } {
  let chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= 2 * maxBytes) return;
      chunks = [Buffer.concat(chunks).subarray(-maxBytes)];
      bytes = maxBytes;
    },
    text: () => Buffer.concat(chunks).subarray(-maxBytes).toString('utf8'),
  };
}

function resultIn(text: string): RunResult | undefined {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  try {
    return resultSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
