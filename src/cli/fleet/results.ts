/**
 * The output folder of a fleet: `results.jsonl` with a line for each task that has ended, `sessions/` with the logs of
 * their sessions, `logs/` with what they printed to standard error.
 */
import { constants, lstatSync } from 'node:fs';
import { copyFile, cp, type FileHandle, mkdir, open, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import {
  agentsFolderIn,
  getProjectStoragePath,
  getSessionFilePath,
  hasRealFolders,
} from '../../context/index.ts';
import { inRealFolder } from '../../disk/realFile.ts';
import { TaskListError } from './tasks.ts';

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
  /** The result that the run printed; null if none. */
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

const RESULTS = 'results.jsonl';

/**
 * The folder may belong to a repository, and the tasks may work in it: nothing is read or written through links in it.
 * Throws a `TaskListError` if there are any.
 */
export async function openResultFolder(path: string, dataRoot: string): Promise<ResultFolder> {
  await mkdir(path, { recursive: true });
  const folder = await realpath(path);
  for (const name of [RESULTS, 'sessions', 'logs'])
    if (lstatSync(join(folder, name), { throwIfNoEntry: false })?.isSymbolicLink())
      throw new TaskListError(`${join(path, name)} is a link, which --out must not contain`);
  for (const name of ['sessions', 'logs']) await mkdir(join(folder, name), { recursive: true });
  const text = await inResults(folder, (file) => file.readFile('utf8'));
  const append = (more: string): Promise<void> => inResults(folder, (file) => file.appendFile(more));
  // Completes a line that a crash cut off.
  if (text !== '' && !text.endsWith('\n')) await append('\n');
  return {
    known: new Map(text.split('\n').flatMap(knownIn)),
    add: (result) => append(`${JSON.stringify(result)}\n`),
    async addLog(id, stderr) {
      if (stderr === '') return;
      await replace(join(folder, 'logs'), `${id}.txt`, (file) => writeFile(file, stderr, { flag: 'wx' }));
    },
    async addSession(id, { root, sessionId }) {
      const project = getProjectStoragePath(dataRoot, root);
      const [sessions, name] = [join(folder, 'sessions'), `${id}.jsonl`];
      try {
        const log = getSessionFilePath(dataRoot, root, sessionId);
        await replace(sessions, name, (file) => copyFile(log, file, constants.COPYFILE_EXCL));
      } catch {
        return null;
      }
      const agents = agentsFolderIn(project, sessionId);
      if (!hasRealFolders(project, agents)) return join('sessions', name);
      // Most sessions have none.
      await replace(sessions, `${id}.agents`, (to) => cp(agents, to, { recursive: true })).catch(
        () => undefined,
      );
      return join('sessions', name);
    },
  };
}

/** Opens the file of results for reading and appending; a pipe or a link is an error. */
async function inResults<T>(folder: string, act: (file: FileHandle) => Promise<T>): Promise<T> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  return inRealFolder(folder, async ({ at }) => {
    const file = await open(at(RESULTS), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) throw new TaskListError(`${join(folder, RESULTS)} is not a file`);
      return await act(file);
    } finally {
      await file.close();
    }
  });
}

/** Replaces whatever has this name. */
function replace(folder: string, name: string, write: (path: string) => Promise<void>): Promise<void> {
  return inRealFolder(folder, async ({ at }) => {
    await rm(at(name), { recursive: true, force: true });
    await write(at(name));
  });
}

function knownIn(line: string): (readonly [string, TaskStatus])[] {
  try {
    const { id, status } = lineSchema.parse(JSON.parse(line));
    return [[id, status]];
  } catch {
    return [];
  }
}
