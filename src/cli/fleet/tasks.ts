/** The tasks of a fleet: from JSON lines, or one prompt for many folders. Pure. */
import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import * as z from 'zod';
import type { Shard } from './program.ts';

export interface Task {
  /** Unique in the fleet; names its files. */
  readonly id: string;
  readonly prompt: string;
  /** Absolute path. */
  readonly cwd: string;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** A mistake in the user's list of tasks. */
export class TaskListError extends Error {}

const MAX_TASKS = 100_000;
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** No permissions: a list of tasks may come from anywhere; only the command line can allow calls without approval. */
const taskSchema = z.strictObject({
  id: z.string().regex(idPattern, 'letters, digits, ".", "_" and "-", at most 100').optional(),
  prompt: z.string().trim().min(1),
  cwd: z.string().min(1).default('.'),
  // Never read as a flag.
  model: z
    .string()
    .regex(/^[^-\s]/, 'not a model')
    .optional(),
  maxTurns: z.int().min(1).optional(),
  maxBudgetUsd: z.number().positive().optional(),
  timeoutSeconds: z.number().positive().max(1_000_000).optional(),
});

/** Reads JSON lines. `base`: the folder that relative paths start from. Throws a `TaskListError`. */
export function readTasks(text: string, base: string): Task[] {
  const lines = text.replace(/^\ufeff/, '').split('\n');
  const tasks = lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const read = taskSchema.safeParse(parseLine(line, index));
    if (!read.success) {
      const [issue] = read.error.issues;
      const place = issue?.path.length ? `${issue.path.join('.')}: ` : '';
      throw new TaskListError(`line ${index + 1}: ${place}${issue?.message}`);
    }
    const { id, cwd, ...task } = read.data;
    return [{ ...task, id: id ?? idOf(task.prompt, cwd), cwd: resolve(base, cwd) }];
  });
  return checked(tasks);
}

/** The same prompt in every folder. Throws a `TaskListError`. */
export function tasksFor(prompt: string, folders: readonly string[], base: string): Task[] {
  return checked(folders.map((folder) => ({ id: idOf(prompt, folder), prompt, cwd: resolve(base, folder) })));
}

/** The tasks of one part. */
export function shardTasks(tasks: readonly Task[], { index, of }: Shard): Task[] {
  return tasks.filter((_, position) => position % of === index);
}

function parseLine(line: string, index: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new TaskListError(`line ${index + 1}: not JSON`);
  }
}

/** The same on every machine and wherever the task is in the list, so that its result is found again. */
function idOf(prompt: string, cwd: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([prompt, cwd]))
    .digest('hex')
    .slice(0, 10);
  const name = basename(cwd).replace(/[^A-Za-z0-9._-]/g, '');
  return /^[A-Za-z0-9]/.test(name) ? `${name.slice(0, 60)}-${hash}` : hash;
}

function checked(tasks: Task[]): Task[] {
  if (tasks.length === 0) throw new TaskListError('there are no tasks');
  if (tasks.length > MAX_TASKS) throw new TaskListError(`more than ${MAX_TASKS} tasks`);
  const seen = new Set<string>();
  for (const { id } of tasks) {
    // Some file systems ignore case.
    const key = id.toLowerCase();
    if (seen.has(key)) throw new TaskListError(`two tasks have the id "${id}"; give each an "id" of its own`);
    seen.add(key);
  }
  return tasks;
}
