/**
 * Watches what calls and commands change on disk and records it. Owns when the tree is looked at: beside the
 * model's work, so that a call waits for one look only, the one behind it. What the user changes between two looks
 * is nobody's; what a process that outlives its call changes is that call's. Nothing here ever fails a call.
 */
import type { ContextManager } from '../context/index.ts';
import type {
  Captured,
  Checkpoint,
  CheckpointCause,
  FileCheckpoints,
  PathChange,
} from '../protocol/checkpoints.ts';
import type { FileChange } from '../protocol/entries/fields.ts';
import type { NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { Access } from '../protocol/permissions.ts';
import { toolNames } from '../protocol/toolNames.ts';

/** A look that began this long ago still says what was there before a command: nobody types faster. */
const FRESH_MS = 1000;
/** Milliseconds after a request was sent: a turn that is over sooner and runs no command needs no look. */
const SOON_MS = 100;

/** What a call did, for its result and for the log. */
export interface CallChanges {
  /** Of commands, which do not say themselves what they changed. */
  readonly filesChanged: readonly FileChange[];
  /** To be recorded right behind the result. */
  readonly drafts: readonly NewEntry[];
}

export interface CheckpointKeeper {
  /** Looks at the tree; nobody waits for it. */
  look(): void;
  /** The same in a moment, unless a call comes first that changes something, or the turn ends. */
  lookSoon(): void;
  /** Hears the agent's events: while the model writes a command, the tree is looked at, as nothing waits for it then. */
  hear(event: AgentEvent): void;
  /** Resolves when the log knows what was changed by calls that were cut short. */
  settled(): Promise<void>;
  /** Before a call runs: what it may change is known as it is now. Gives up waiting when the signal aborts. */
  before(access: Access, signal: AbortSignal): Promise<void>;
  /** After it. Of a command that was stopped nothing is known yet: it is looked at, and recorded later. */
  after(callId: string, cause: CheckpointCause, access: Access, signal: AbortSignal): Promise<CallChanges>;
  /** Does something to the files while no look is going on. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Records what is still to be recorded, and stops a look that nobody will ask for. */
  close(): Promise<void>;
}

export interface KeeperDeps {
  /** Undefined where the files are not looked after. */
  readonly files: FileCheckpoints | undefined;
  readonly context: Pick<ContextManager, 'append'>;
  /** Ids of the calls of which a process still runs. */
  readonly running: () => readonly string[];
  /** Milliseconds. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

const nothing: CallChanges = { filesChanged: [], drafts: [] };

export function createCheckpointKeeper({ files, context, running, now, warn }: KeeperDeps): CheckpointKeeper {
  /** One thing at a time, in the order in which it was asked for. */
  let queue: Promise<unknown> = Promise.resolve();
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** A stopped call's changes are still to be recorded. */
  let isLate = false;
  let isQueued = false;
  /** Calls whose processes may have changed something since the last look. */
  let lingering: ReadonlySet<string> = new Set();
  const closing = new AbortController();
  let isWarned = false;
  let notes = '';

  const failed = (error: unknown): undefined => {
    const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    if (!isWarned) warn(`Checkpoints are off: ${why}. Work continues, but file changes cannot be rewound.`);
    isWarned = true;
  };
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  };
  const safely = <T>(work: () => Promise<T>): Promise<T | undefined> => enqueue(work).catch(failed);

  /** Looks, and says which calls made what is found. */
  const capture = async (port: FileCheckpoints, callIds: readonly string[], paths?: readonly string[]) => {
    const by = [...new Set([...callIds, ...(paths === undefined ? lingering : [])])];
    if (paths === undefined) {
      lookedAt = now();
      lingering = new Set(running());
    }
    return { captured: onlyNews(await port.capture(paths)), callIds: by };
  };
  /** The same notes come with every look; the log needs them once. */
  const onlyNews = (captured: Captured): Captured => {
    const said = captured.notes.join('\n');
    if (said === notes) return { ...captured, notes: [] };
    notes = said;
    return captured;
  };
  const lookOnce = async (port: FileCheckpoints): Promise<void> => {
    if (lingering.size === 0) {
      lookedAt = now();
      lingering = new Set(running());
      await port.baseline(closing.signal);
      return;
    }
    const { captured, callIds } = await capture(port, []);
    const lines = await linesIn(port, captured.changes);
    const draft = checkpointEntry({ cause: 'call', callIds, captured, lines });
    if (draft !== undefined) await context.append(draft);
    isLate = false;
  };
  const look = (): void => {
    if (files === undefined || isQueued) return;
    isQueued = true;
    void safely(async () => {
      isQueued = false;
      await lookOnce(files);
    });
  };

  /** Looks, unless that was done just now. */
  const lookIfStale = (): void => {
    if (isLate || now() - lookedAt >= FRESH_MS) look();
  };
  let soon: NodeJS.Timeout | undefined;

  return {
    look,
    lookSoon() {
      clearTimeout(soon);
      soon = setTimeout(look, SOON_MS).unref();
    },
    hear(event) {
      const writesCommand = event.type === 'tool_call_delta' && event.name === toolNames.bash;
      if (writesCommand || event.type === 'turn_ended') clearTimeout(soon);
      if (writesCommand) lookIfStale();
    },
    async settled() {
      if (isLate) await queue;
    },
    async before(access, signal) {
      if (files === undefined) return;
      // While it runs, a look would take what it has changed for what was there before.
      if (access.type === 'write' || mayChangeAnything(access)) clearTimeout(soon);
      if (access.type === 'write')
        await unlessAborted(
          safely(() => files.keep(access.paths)),
          signal,
        );
      if (!mayChangeAnything(access)) return;
      lookIfStale();
      await unlessAborted(queue, signal);
    },
    async after(callId, cause, access, signal) {
      if (files === undefined || (access.type !== 'write' && !mayChangeAnything(access))) return nothing;
      if (access.type !== 'write' && signal.aborted) {
        // Its processes may still be ending, and whoever stopped it does not wait for that.
        isLate = true;
        lingering = new Set([...lingering, callId]);
        look();
        return nothing;
      }
      const paths = access.type === 'write' ? access.paths : undefined;
      const changes = await safely(async (): Promise<CallChanges> => {
        const { captured, callIds } = await capture(files, [callId], paths);
        const lines = await linesIn(files, captured.changes);
        const draft = checkpointEntry({ cause, callIds, captured, lines });
        return {
          filesChanged: paths === undefined ? filesChangedBy(captured.changes, lines) : [],
          drafts: draft === undefined ? [] : [draft],
        };
      });
      return changes ?? nothing;
    },
    alone: enqueue,
    async close() {
      clearTimeout(soon);
      if (lingering.size > 0) look();
      else closing.abort();
      await queue;
    },
  };
}

/** Whether a call may change files that it does not name: then the tree is scanned before and after it. */
export function mayChangeAnything({ type }: Access): boolean {
  return type === 'command' || type === 'unknown';
}

function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', resolve, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', resolve));
  });
}

/** Above either of these, lines are not counted: a tree that is generated as a whole is no edit. */
const COUNTED_FILES = 50;
const COUNTED_BYTES = 1_000_000;
/** Files that a command's result names; the entry behind it has all of them. */
const NAMED_FILES = 100;

/** Lines by path; undefined where there are too many to count them. */
export type LinesByPath = ReadonlyMap<string, { readonly added: number; readonly removed: number }>;

/** Counts the lines of changes that were just made. */
export async function linesIn(
  files: Pick<FileCheckpoints, 'diff'>,
  changes: readonly PathChange[],
): Promise<LinesByPath | undefined> {
  const bytes = changes.reduce((sum, { before, after }) => sum + bytesOf(before) + bytesOf(after), 0);
  if (changes.length > COUNTED_FILES || bytes > COUNTED_BYTES) return undefined;
  const steps = changes.length === 0 ? [] : await files.diff(changes);
  return new Map(steps.map(({ path, added, removed }) => [path, { added, removed }]));
}

/** The entry; nothing where there is nothing to say. */
export function checkpointEntry({
  captured: { changes, notes },
  lines,
  ...rest
}: Pick<Checkpoint, 'cause' | 'callIds' | 'of'> & {
  readonly captured: Captured;
  readonly lines?: LinesByPath | undefined;
}): NewEntry | undefined {
  if (changes.length === 0 && notes.length === 0 && rest.of === undefined) return undefined;
  const data: Checkpoint = {
    ...rest,
    changes: [...changes],
    ...(lines === undefined ? {} : { lines: sumOf(lines) }),
    ...(notes.length === 0 ? {} : { notes: [...notes] }),
  };
  return { type: 'system', subtype: 'checkpoint', message: { role: 'system', content: '' }, data };
}

/**
 * The files whose content was changed by a command. Without a hash: the model has not seen what is in them now, so
 * they count as not read.
 */
export function filesChangedBy(changes: readonly PathChange[], lines: LinesByPath | undefined): FileChange[] {
  return changes
    .filter(({ before, after }) => isContent(before) || isContent(after))
    .filter(({ before, after }) => contentOf(before) === undefined || contentOf(before) !== contentOf(after))
    .slice(0, NAMED_FILES)
    .map(({ path, before, after }) => ({
      path,
      kind: after === undefined ? 'deleted' : before === undefined ? 'created' : 'modified',
      ...lines?.get(path),
    }));
}

function sumOf(lines: LinesByPath): { added: number; removed: number } {
  const sum = { added: 0, removed: 0 };
  for (const { added, removed } of lines.values()) {
    sum.added += added;
    sum.removed += removed;
  }
  return sum;
}

type State = PathChange['before'];

function bytesOf(state: State): number {
  return state?.type === 'file' ? state.bytes : 0;
}

function isContent(state: State): boolean {
  return state?.type === 'file' || state?.type === 'link';
}

function contentOf(state: State): string | undefined {
  if (state?.type === 'file') return state.hash;
  return state?.type === 'link' ? `-> ${state.target}` : undefined;
}
