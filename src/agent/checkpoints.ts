/**
 * Takes and records checkpoints of what calls and commands change on disk. Scans before a change run while the model is
 * still writing, so that a call usually waits only for the scan after it. Changes that the user makes between two scans
 * are attributed to no call; changes of a process that outlives its call are attributed to that call. A failed
 * checkpoint never fails a call.
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
import { untilAborted } from '../protocol/untilAborted.ts';
import { createWorkQueue } from '../protocol/workQueue.ts';

/** A scan that started this recently is taken as the state before a command: no user edits files that fast. */
const FRESH_MS = 1000;
/** Milliseconds after a request was sent: a turn that ends sooner and runs no command needs no scan. */
const SOON_MS = 100;

/** The file changes of one call, for its result and for the log. */
export interface CallChanges {
  /** Files changed by a command, which unlike a file tool does not report them. */
  readonly filesChanged: readonly FileChange[];
  /** Entries to append directly after the result. */
  readonly drafts: readonly NewEntry[];
}

export interface CheckpointKeeper {
  /** Starts a scan in the background. */
  scan(): void;
  /** Starts a scan after `SOON_MS`, unless the turn ends or a call that changes files starts before that. */
  scanSoon(): void;
  /** Handles the agent's events: scans while the model writes a command, when nothing else is waiting for the scan. */
  handleEvent(event: AgentEvent): void;
  /** Resolves when the changes of interrupted calls have been logged. */
  settled(): Promise<void>;
  /** Keeps copies of what a call will replace. Returns why some of it could not be restored, ready to show. */
  keep(access: Access, paths: readonly string[], signal: AbortSignal): Promise<string | undefined>;
  /**
   * Called before a call runs: saves the current state of the files it may change, and logs what it names, so that a
   * later process can restore that even if this one is killed. Returns early if the signal aborts.
   */
  before(access: Access, signal: AbortSignal): Promise<void>;
  /** Called instead of running a call after `before`. */
  cancel(access: Access): void;
  /** Called after a call. Changes of an interrupted command are not known yet: they are scanned and recorded later. */
  after(callId: string, cause: CheckpointCause, access: Access, signal: AbortSignal): Promise<CallChanges>;
  /** Returns the files that a running call has changed so far, of which `after` reports too; undefined if unknown. */
  soFar(callId: string): Promise<readonly FileChange[] | undefined>;
  /**
   * Returns a keeper for a call's subagent: the subagent's changes are recorded here, as made by that call. It records
   * nothing itself. `running`: ids of the subagent's calls whose processes are still running.
   */
  lend(callId: string, running: () => readonly string[]): CheckpointKeeper;
  /** Runs `work` while no scan is in progress. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Records outstanding changes and aborts a scan that nothing needs any more. */
  close(): Promise<void>;
}

interface KeeperDeps {
  /** Undefined if checkpoints are unavailable. */
  readonly files: FileCheckpoints | undefined;
  readonly context: Pick<ContextManager, 'append' | 'sync'>;
  /** Ids of tool calls whose processes are still running. */
  readonly running: () => readonly string[];
  /** Current time in milliseconds. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

const nothing: CallChanges = { filesChanged: [], drafts: [] };

export function createCheckpointKeeper({ files, context, running, now, warn }: KeeperDeps): CheckpointKeeper {
  let scannedAt = Number.NEGATIVE_INFINITY;
  /** True while changes of an interrupted call are still to be recorded. */
  let hasLateChanges = false;
  let isQueued = false;
  const attribution = createAttribution(running);
  const closing = new AbortController();
  let notes = '';
  /** By call: what it replaces, if it is a command that names it, and the entry with what was kept of that. */
  const replaced = new WeakMap<Access, readonly string[]>();
  const keptIn = new WeakMap<Access, string>();
  /** By call: what `soFar` has found. */
  const early = new Map<string, CallChanges>();
  /** By call: what scans for other calls have found while it ran. */
  const meanwhile = new Map<string, CallChanges>();
  const { enqueue, safely, idle } = createQueue(warn);

  /** Scans, and returns the changes with the calls they are attributed to. */
  const capture = async (port: FileCheckpoints, callIds: readonly string[], paths?: readonly string[]) => {
    const by = [...new Set([...callIds, ...(paths === undefined ? attribution.calls() : [])])];
    if (paths === undefined) {
      scannedAt = now();
      attribution.scanned();
    }
    return { captured: onlyNews(await port.capture(paths)), callIds: by };
  };
  /** Every scan returns the same notes; the log needs them once. */
  const onlyNews = (captured: Captured): Captured => {
    const text = captured.notes.join('\n');
    if (text === notes) return { ...captured, notes: [] };
    notes = text;
    return captured;
  };
  const changesOf = async (
    port: FileCheckpoints,
    callId: string,
    why: Pick<Checkpoint, 'cause' | 'of'>,
    paths?: readonly string[],
  ): Promise<CallChanges> => {
    const { captured, callIds } = await capture(port, [callId], paths);
    const lines = await linesIn(port, captured.changes);
    const draft = checkpointEntry({ ...why, callIds, captured, lines });
    return {
      filesChanged: paths === undefined ? filesChangedBy(captured.changes, lines) : [],
      drafts: draft === undefined ? [] : [draft],
    };
  };
  const runScan = async (port: FileCheckpoints): Promise<void> => {
    if (attribution.calls().length === 0) {
      scannedAt = now();
      attribution.scanned();
      await port.baseline(closing.signal);
      return;
    }
    const { captured, callIds } = await capture(port, []);
    const lines = await linesIn(port, captured.changes);
    const draft = checkpointEntry({ cause: 'call', callIds, captured, lines });
    if (draft !== undefined) await context.append(draft);
    const found = { filesChanged: filesChangedBy(captured.changes, lines), drafts: [] };
    for (const id of callIds) meanwhile.set(id, together(meanwhile.get(id) ?? nothing, found));
    hasLateChanges = false;
  };
  /** Logs what a call is about to change. */
  const announce = async (port: FileCheckpoints, access: Access, signal: AbortSignal): Promise<void> => {
    const paths = access.type === 'write' ? access.paths : replaced.get(access);
    if (paths === undefined) return;
    const { changes: kept } = await port.keep(paths);
    if (signal.aborted || kept.length === 0) return;
    const [entry] = await context.append(emptyCheckpoint({ kept: [...kept] }));
    if (entry !== undefined) keptIn.set(access, entry.uuid);
    await context.sync();
  };
  /** Logs that a call has changed nothing that is known yet. */
  const settle = (access: Access): void =>
    void safely(async () => {
      const of = keptIn.get(access);
      if (of !== undefined) await context.append(emptyCheckpoint({ of }));
    });
  const scan = (): void => {
    if (files === undefined || isQueued) return;
    isQueued = true;
    void safely(async () => {
      isQueued = false;
      await runScan(files);
    });
  };

  /** Scans unless the last scan is recent. */
  const scanIfStale = (): void => {
    if (hasLateChanges || now() - scannedAt >= FRESH_MS) scan();
  };
  let soon: NodeJS.Timeout | undefined;

  const keeper: CheckpointKeeper = {
    scan,
    scanSoon() {
      // Forces a scan before the next command, so that the user's own edits since the last turn are not credited to it.
      scannedAt = Number.NEGATIVE_INFINITY;
      clearTimeout(soon);
      soon = setTimeout(scan, SOON_MS).unref();
    },
    handleEvent(event) {
      if (event.type === 'turn_ended') meanwhile.clear();
      const writesCommand = event.type === 'tool_call_delta' && event.name === toolNames.bash;
      if (writesCommand || event.type === 'turn_ended') clearTimeout(soon);
      if (writesCommand) scanIfStale();
    },
    async settled() {
      if (hasLateChanges) await idle();
    },
    async keep(access, paths, signal) {
      if (files === undefined) return undefined;
      replaced.set(access, paths);
      const kept = await untilAborted(
        safely(() => files.keep(paths)),
        signal,
      );
      return kept?.notes.length === 0 || signal.aborted ? undefined : reasonOf(kept?.notes ?? []);
    },
    async before(access, signal) {
      if (files === undefined) return;
      // A scan during the call would record its changes as the state before it.
      if (access.type === 'write' || mayChangeAnything(access)) clearTimeout(soon);
      await unlessAborted(
        safely(() => announce(files, access, signal)),
        signal,
      );
      if (!mayChangeAnything(access)) return;
      scanIfStale();
      await unlessAborted(idle(), signal);
    },
    cancel: settle,
    async after(callId, cause, access, signal) {
      const first = early.get(callId) ?? nothing;
      early.delete(callId);
      meanwhile.delete(callId);
      if (files === undefined || (access.type !== 'write' && !mayChangeAnything(access))) return first;
      // A scan that was requested earlier may run first and find its changes.
      if (access.type !== 'write') attribution.linger(callId);
      if (access.type !== 'write' && signal.aborted) {
        // Its processes may still be exiting, and an interrupt does not wait for them.
        hasLateChanges = true;
        scan();
        settle(access);
        return first;
      }
      const paths = access.type === 'write' ? access.paths : undefined;
      const changes = await safely(() => changesOf(files, callId, { cause, of: keptIn.get(access) }, paths));
      const { filesChanged, drafts } = together(first, changes ?? nothing);
      return { filesChanged: filesChanged.slice(0, NAMED_FILES), drafts };
    },
    async soFar(callId) {
      if (files === undefined) return undefined;
      const found = await safely(async () => {
        const { filesChanged, drafts } = await changesOf(files, callId, { cause: 'call' });
        if (drafts.length > 0) await context.append(...drafts);
        return together(early.get(callId) ?? nothing, { filesChanged, drafts: [] });
      });
      if (found === undefined) return undefined;
      early.set(callId, found);
      return together(meanwhile.get(callId) ?? nothing, found).filesChanged;
    },
    lend(callId, running) {
      attribution.lend(callId, running);
      return lentKeeper(keeper, callId, { files, context, attribution });
    },
    alone: enqueue,
    async close() {
      clearTimeout(soon);
      if (attribution.calls().length > 0) scan();
      else closing.abort();
      await idle();
    },
  };
  return keeper;
}

/** Maximum number of files named in a reason. */
const MAX_LOST = 3;

function reasonOf(lost: readonly string[]): string {
  const more = lost.length > MAX_LOST ? [`and ${lost.length - MAX_LOST} more`] : [];
  return `/rewind could not undo this: ${[...lost.slice(0, MAX_LOST), ...more].join('; ')}.`;
}

/** Runs one operation at a time, in the order requested. */
function createQueue(warn: (text: string) => void) {
  const enqueue = createWorkQueue();
  let isWarned = false;
  const failed = (error: unknown): undefined => {
    const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    if (!isWarned) warn(`Checkpoints are off: ${why}. Work continues, but file changes cannot be rewound.`);
    isWarned = true;
  };
  const safely = <T>(work: () => Promise<T>): Promise<T | undefined> => enqueue(work).catch(failed);
  /** Resolves when everything requested so far is done. */
  const idle = (): Promise<void> => enqueue(async () => {});
  return { enqueue, safely, idle };
}

type Attribution = ReturnType<typeof createAttribution>;

/**
 * The calls that a change found by the next scan may belong to: those whose processes run now, or have run since the last
 * one.
 */
function createAttribution(running: () => readonly string[]) {
  let lingering: ReadonlySet<string> = new Set();
  /** By call: what its subagent runs now. */
  const lent = new Map<string, { foreground: number; readonly running: () => readonly string[] }>();
  const ranCommands = new Set<string>();
  const linger = (callId: string): void => {
    lingering = new Set([...lingering, callId]);
  };
  const runningNow = (): readonly string[] => [
    ...running(),
    ...[...lent]
      .filter(([, one]) => one.foreground > 0 || one.running().length > 0)
      .map(([callId]) => callId),
  ];
  return {
    calls: (): readonly string[] => [...new Set([...lingering, ...runningNow()])],
    linger,
    /** What still runs may change something after this scan, too. */
    scanned(): void {
      lingering = new Set(runningNow());
    },
    lend(callId: string, running: () => readonly string[]): void {
      lent.set(callId, { foreground: 0, running });
    },
    commandStarted(callId: string): void {
      const one = lent.get(callId);
      if (one !== undefined) one.foreground += 1;
      ranCommands.add(callId);
      linger(callId);
    },
    commandEnded(callId: string): void {
      const one = lent.get(callId);
      // One that was meant to run in the read-only sandbox, and left it, was not counted.
      if (one !== undefined && one.foreground > 0) one.foreground -= 1;
    },
    /** Its processes may still be exiting: what they change until the next scan is attributed to the call as well. */
    subagentEnded(callId: string): void {
      lent.delete(callId);
      if (ranCommands.delete(callId)) linger(callId);
    },
  };
}

/** See `CheckpointKeeper.lend`. */
function lentKeeper(
  keeper: CheckpointKeeper,
  callId: string,
  {
    files,
    context,
    attribution,
  }: Pick<KeeperDeps, 'files' | 'context'> & { readonly attribution: Attribution },
): CheckpointKeeper {
  return {
    ...keeper,
    // The turn belongs to the parent agent.
    scanSoon() {},
    settled: async () => {},
    handleEvent: (event) => event.type === 'tool_call_delta' && keeper.handleEvent(event),
    async before(access, signal) {
      await keeper.before(access, signal);
      if (files === undefined || signal.aborted || !mayChangeAnything(access)) return;
      attribution.commandStarted(callId);
    },
    async after(_, cause, access, signal) {
      if (mayChangeAnything(access)) attribution.commandEnded(callId);
      const { filesChanged, drafts } = await keeper.after(callId, cause, access, signal);
      if (drafts.length > 0) await context.append(...drafts);
      return { filesChanged, drafts: [] };
    },
    soFar: () => keeper.soFar(callId),
    async close() {
      attribution.subagentEnded(callId);
    },
  };
}

/** True if a call may change files that it does not name; the tree is then scanned before and after it. */
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

/** Above either limit, lines are not counted: such a change is generated output rather than an edit. */
const COUNTED_FILES = 50;
const COUNTED_BYTES = 1_000_000;
/** Maximum number of files listed in a command's result; the checkpoint entry lists all of them. */
const NAMED_FILES = 100;

/** Lines by path; undefined if there are too many to count. */
type LinesByPath = ReadonlyMap<string, { readonly added: number; readonly removed: number }>;

/** Counts the added and removed lines of changes that were just made; undefined above the limits. */
export async function linesIn(
  files: Pick<FileCheckpoints, 'diff'>,
  changes: readonly PathChange[],
): Promise<LinesByPath | undefined> {
  const bytes = changes.reduce((sum, { before, after }) => sum + bytesOf(before) + bytesOf(after), 0);
  if (changes.length > COUNTED_FILES || bytes > COUNTED_BYTES) return undefined;
  const steps = changes.length === 0 ? [] : await files.diff(changes);
  return new Map(steps.map(({ path, added, removed }) => [path, { added, removed }]));
}

/** Returns the entry of a call that has changed nothing yet, or nothing that is known. */
export function emptyCheckpoint(data: Pick<Checkpoint, 'of' | 'kept' | 'notes'>): NewEntry {
  return entryOf({ cause: 'call', changes: [], lines: { added: 0, removed: 0 }, ...data });
}

const entryOf = (data: Checkpoint): NewEntry => ({
  type: 'system',
  subtype: 'checkpoint',
  message: { role: 'system', content: '' },
  data,
});

/** Returns the checkpoint entry; undefined if there is nothing to record. */
export function checkpointEntry({
  captured: { changes, notes },
  lines,
  of,
  ...rest
}: Pick<Checkpoint, 'cause' | 'callIds'> & {
  readonly of?: string | undefined;
  readonly captured: Captured;
  readonly lines?: LinesByPath | undefined;
}): NewEntry | undefined {
  if (changes.length === 0 && notes.length === 0 && of === undefined) return undefined;
  return entryOf({
    ...rest,
    ...(of !== undefined && { of }),
    changes: [...changes],
    ...(lines === undefined ? {} : { lines: sumOf(lines) }),
    ...(notes.length === 0 ? {} : { notes: [...notes] }),
  });
}

/**
 * Returns the files whose content a command changed. They have no hash: the model has not seen the new content, so it
 * must read them again.
 */
function filesChangedBy(changes: readonly PathChange[], lines: LinesByPath | undefined): FileChange[] {
  return changes
    .filter(({ before, after }) => isContent(before) || isContent(after))
    .filter(({ before, after }) => contentOf(before) === undefined || contentOf(before) !== contentOf(after))
    .map(({ path, before, after }) => ({
      path,
      kind: after === undefined ? 'deleted' : before === undefined ? 'created' : 'modified',
      ...lines?.get(path),
    }));
}

/** The changes of a call that were found one after the other. */
function together(first: CallChanges, then: CallChanges): CallChanges {
  if (first === nothing) return then;
  const files = new Map(first.filesChanged.map((file) => [file.path, file]));
  for (const file of then.filesChanged) {
    const before = files.get(file.path);
    const isNew = before?.kind === 'created' && file.kind === 'modified';
    files.set(file.path, isNew ? { ...file, kind: 'created' } : file);
  }
  return { filesChanged: [...files.values()], drafts: [...first.drafts, ...then.drafts] };
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
