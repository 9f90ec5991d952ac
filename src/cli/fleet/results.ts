/**
 * The output folder of a fleet: `results.jsonl` with a line for each task that has ended, `sessions/` with the logs of
 * their sessions, `logs/` with what they printed to standard error.
 */
import { appendFile, copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { agentsFolderIn, getProjectStoragePath } from '../../context/index.ts';

const statuses = ['done', 'failed', 'timed_out'] as const;
export type TaskStatus = (typeof statuses)[number];

export interface TaskResult {
  readonly id: string;
  readonly cwd: string;
  readonly status: TaskStatus;
  /** Null if a signal ended the last try, or it could not be started. */
  readonly exit_code: number | null;
  readonly tries: number;
  readonly duration_ms: number;
  /** Of all tries; null if unknown. */
  readonly cost_usd: number | null;
  readonly session_id: string;
  /** Relative to the output folder; null if there is none. */
  readonly session: string | null;
  /** What the run printed as its result; null if nothing. */
  readonly result: unknown;
}

export interface ResultFolder {
  /** The status of each task that has a result; a later line replaces an earlier one. */
  readonly known: ReadonlyMap<string, TaskStatus>;
  add(result: TaskResult): Promise<void>;
  addLog(id: string, text: string): Promise<void>;
  /** Copies the log of a session, and those of its subagents. Returns its relative path; null if there is none. */
  addSession(
    id: string,
    session: { readonly root: string; readonly sessionId: string },
  ): Promise<string | null>;
}

const lineSchema = z.looseObject({ id: z.string(), status: z.enum(statuses) });

export async function openResultFolder(folder: string, dataRoot: string): Promise<ResultFolder> {
  for (const name of ['sessions', 'logs']) await mkdir(join(folder, name), { recursive: true });
  const file = join(folder, 'results.jsonl');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  // The end of a line that a crash cut off.
  if (text !== '' && !text.endsWith('\n')) await appendFile(file, '\n');
  return {
    known: new Map(text.split('\n').flatMap(knownIn)),
    add: (result) => appendFile(file, `${JSON.stringify(result)}\n`),
    async addLog(id, stderr) {
      if (stderr !== '') await writeFile(join(folder, 'logs', `${id}.txt`), stderr);
    },
    async addSession(id, { root, sessionId }) {
      const project = getProjectStoragePath(dataRoot, root);
      const name = join('sessions', `${id}.jsonl`);
      try {
        await copyFile(join(project, `${sessionId}.jsonl`), join(folder, name));
      } catch {
        return null;
      }
      // Most sessions have none.
      const agents = join(folder, 'sessions', `${id}.agents`);
      await cp(agentsFolderIn(project, sessionId), agents, { recursive: true }).catch(() => undefined);
      return name;
    },
  };
}

function knownIn(line: string): (readonly [string, TaskStatus])[] {
  try {
    const { id, status } = lineSchema.parse(JSON.parse(line));
    return [[id, status]];
  } catch {
    return [];
  }
}
