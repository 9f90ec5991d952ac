/** The session picker's access to sessions that are not open: the catalogue, with messages ready to show. */
import { basename } from 'node:path';
import { titleEntry } from '../../agent/sessionFacts.ts';
import {
  getProjectStoragePath,
  PersistentStore,
  type ProjectFolders,
  type SessionCatalogue,
  type StorageProblem,
  type Stored,
} from '../../context/index.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { formatBytes } from '../../ui/print/numbers.ts';
import type { ActionResult, SessionsPort } from '../../ui/sessions/SessionsPort.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { readEntries } from '../sessionCommand/readEntries.ts';
import { describeOpenError, holderText, StorageFailure } from './sessionErrors.ts';

/** Number of entries in a preview: before and after a search hit, or at the end. */
const BEFORE = 6;
const AFTER = 18;
const AT_END = 30;

export function createSessionsPort(place: AppPaths, catalogue: SessionCatalogue): SessionsPort {
  const { dataRoot, root, version } = place;
  const project = basename(getProjectStoragePath(dataRoot, root));
  /** Only the project's own folder, until its earlier locations are known. */
  let folders: ProjectFolders = { own: project, moved: [], likely: [] };
  const scopeOf = (only: string | readonly string[] | undefined) =>
    only === undefined
      ? {}
      : { project: only === project ? [folders.own, ...folders.moved, ...folders.likely] : only };
  const storeOf = (session: SessionRecord): PersistentStore =>
    new PersistentStore({
      dataRoot,
      projectRoot: session.root ?? root,
      project: session.project,
      programVersion: version,
    });

  /** Index the log before packing it: an archive could only be indexed by reading all of it again. */
  const packed = async (session: SessionRecord): ReturnType<SessionCatalogue['archive']> => {
    await catalogue.refresh(undefined, { project: session.project });
    return catalogue.archive(session);
  };

  /** Adds the session's new path and size, so that it can be previewed. */
  const withRecord = async (done: ActionResult, { id, project }: SessionRecord): Promise<ActionResult> => {
    if (done.type === 'failed') return done;
    const found = await catalogue.find(id, project).catch(() => []);
    const session = found.find((one) => one.id === id);
    return session === undefined ? done : { ...done, session };
  };

  return {
    project,
    isLikely: (other) => folders.likely.includes(other),
    async list({ project: only, ...query }) {
      // Without an index every page would have to read all files before it, so only the first page is returned.
      if ((query.offset ?? 0) > 0 && !((await catalogue.count()) ?? 0)) return [];
      return catalogue.list({ ...query, ...scopeOf(only) });
    },
    async refresh(onChange) {
      folders = await catalogue.projectsOf(root).catch(() => folders);
      if (folders.moved.length + folders.likely.length > 0) onChange();
      await catalogue.refresh(onChange);
    },
    async search(text, { project: only, limit, signal }) {
      try {
        return { type: 'found', hits: await catalogue.search(text, { ...scopeOf(only), limit, signal }) };
      } catch (error) {
        return { type: 'failed', message: `The search failed: ${reasonOf(error)}` };
      }
    },
    preview: (session, aroundSeq, signal) => previewOf(session, aroundSeq, signal).catch(() => []),
    rename: (session, title) =>
      attempt(async () => {
        const lost = session.isArchived ? await taken(catalogue.unarchive(session), 'renamed') : undefined;
        await renameSession(storeOf(session), session.id, title);
        if (session.isArchived) await taken(packed(session), 'archived again');
        return withLoss(`Renamed to “${title}”`, lost);
      }),
    archive: (session) =>
      attempt(async () => {
        const { bytes } = await taken(packed(session), 'archived');
        return `Archived: ${formatBytes(session.bytes)} → ${formatBytes(bytes)}`;
      }).then((done) => withRecord(done, session)),
    unarchive: (session) =>
      attempt(async () => {
        const done = await taken(catalogue.unarchive(session), 'unarchived');
        return done.lost === undefined ? 'Unarchived, unchanged' : withLoss('Unarchived', done);
      }).then((done) => withRecord(done, session)),
    remove: (session) =>
      attempt(async () => {
        const { bytes } = await taken(catalogue.remove(session), 'deleted');
        return `Deleted “${session.title}”: freed ${formatBytes(bytes)}`;
      }),
  };
}

async function previewOf(
  session: SessionRecord,
  aroundSeq: number | undefined,
  signal: AbortSignal,
): Promise<JSONLEntry[]> {
  const part =
    aroundSeq === undefined
      ? ({ type: 'tail', count: AT_END } as const)
      : ({ type: 'from', seq: Math.max(0, aroundSeq - BEFORE), to: aroundSeq + AFTER } as const);
  const entries: JSONLEntry[] = [];
  // Reading an archive takes a while, and the preview may already be closed.
  for await (const entry of readEntries(session, part, () => {})) {
    if (signal.aborted) break;
    entries.push(entry);
  }
  return entries;
}

type Done = Extract<Stored, { type: 'done' }>;

function withLoss(message: string, done: Done | undefined): string {
  return done?.lost === undefined ? message : `${message}. ${done.lost}`;
}

/** Throws any other outcome as a message. */
async function taken(storing: ReturnType<SessionCatalogue['archive']>, done: string): Promise<Done> {
  const stored = await storing;
  switch (stored.type) {
    case 'done':
      return stored;
    case 'open':
      throw new Error(`Another clawdcode has it open${holderText(stored.holder)}, so it was not ${done}.`);
    case 'missing':
      throw new Error('It is no longer there.');
    case 'failed':
      throw new Error(stored.message);
  }
}

/** Returns errors as messages, so that the list stays open. */
async function attempt(run: () => Promise<string>): Promise<ActionResult> {
  try {
    return { type: 'done', message: await run() };
  } catch (error) {
    return { type: 'failed', message: describeOpenError(error) ?? reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Sets the title of a session that is not open. Rejects with the store's errors (not found, locked), and with
 * `StorageFailure` on file system errors. Keeps the shell's last directory.
 */
export async function renameSession(
  store: Pick<PersistentStore, 'openSession'>,
  id: string,
  title: string,
): Promise<void> {
  const log = await store.openSession(id);
  const problems: StorageProblem[] = [];
  try {
    log.onProblem((problem) => problems.push(problem));
    // A missing lock does not prevent writing.
    problems.length = 0;
    const last = log.entries().at(-1);
    if (last !== undefined) log.setCwd(last.cwd);
    await log.append([titleEntry(title)]);
    await log.sync();
  } finally {
    await log.close();
  }
  const problem = problems.at(-1);
  if (problem !== undefined && problem.recovered !== true)
    throw new StorageFailure(`The title was not saved. Check the disk that holds ${log.filePath}.`);
}
