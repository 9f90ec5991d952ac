/**
 * Rewinds to before a turn (the conversation, the files, or both) and undoes a rewind. The planned file changes are
 * logged before they are applied, and the applied ones afterwards. If the program is stopped in between, the session
 * can still undo all of them.
 */
import type { ContextManager } from '../../context/index.ts';
import type {
  FileCheckpoints,
  PathChange,
  RestorePlan,
  RestoreStep,
  RewindPlan,
  RewindReport,
  TurnRecord,
} from '../../protocol/checkpoints.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { Op, RewindScope } from '../../protocol/ops.ts';
import { type CheckpointKeeper, checkpointEntry, linesIn } from '../checkpoints.ts';
import type { JobQueue } from '../jobQueue.ts';
import type { Modes } from '../modes.ts';
import { promptOf } from '../prompts/promptQueue.ts';
import { directoryOf, environmentNote } from '../systemPrompt.ts';
import {
  refusalText,
  refusedLines,
  restoredText,
  rewindNote,
  rewindText,
  undoReview,
  undoText,
} from './texts.ts';
import {
  appliedChanges,
  changesOfTurn,
  changesSince,
  changesToLog,
  findTurn,
  interruptedRewind,
  inverse,
  isChange,
  isRewindNote,
  newestTurns,
  plannedChanges,
  unfinished,
} from './turns.ts';

interface RewindPorts {
  readonly context: ContextManager;
  readonly files: FileCheckpoints | undefined;
  /** The project's root. */
  readonly root: string;
  readonly checkpoints: Pick<CheckpointKeeper, 'alone' | 'settled'>;
  readonly modes: Pick<Modes, 'retell'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The shell's current directory. */
  readonly cwd: () => string;
  /** Changes the shell's directory. */
  readonly setCwd: (directory: string) => void;
}

interface Rewinder {
  /** See `planRewind` of the agent. */
  plan(uuid: string): Promise<RewindPlan | undefined>;
  /** Rewinds. Uses the plan made last unless the session has changed since; otherwise plans again. */
  rewind(uuid: string, scope: RewindScope): Promise<RewindReport>;
  undo(): Promise<RewindReport>;
  /** True if `undo` would find something to undo. */
  canUndo(): boolean;
}

const NO_FILES = 'This session keeps no checkpoints.';

function createRewinder(ports: RewindPorts): Rewinder {
  const { context, files, root, checkpoints, modes, now, cwd, setCwd } = ports;
  const { plan, takePlan, planFiles } = createPlanner(ports);
  /** The last entry of an earlier run of the program; -1 in a new session. */
  const resumedAt = context.entries().at(-1)?.seq ?? -1;
  const restore = createRestore({ context, files, root, checkpoints });
  /** Paths in the reviews of undos. */
  const reviewed = new Set<string>();

  /** The refusal that shows what undoing a rewind of an earlier run would change; undefined once it was shown. */
  const reviewOf = ({ seq }: JSONLEntry, { steps }: RestorePlan): RewindReport | undefined => {
    if (seq > resumedAt) return undefined;
    const changes = steps.filter(isChange);
    if (changes.every(({ path }) => reviewed.has(path))) return undefined;
    for (const { path } of changes) reviewed.add(path);
    return refused('undo', undoReview(changes, root));
  };

  const rewind = async (uuid: string, scope: RewindScope): Promise<RewindReport> => {
    const planned = await takePlan(uuid);
    if (planned === undefined) return refused('rewind', 'There is no such turn in the conversation.');
    const withFiles = scope !== 'conversation';
    if (withFiles && planned.noFiles !== undefined) return refused('rewind', planned.noFiles);
    if (scope === 'files' && !planned.plan.steps.some(isChange))
      return refused('rewind', `No files were restored. ${refusalText(planned.plan, root)}`);
    const restored: RestorePlan = withFiles ? planned.plan : { steps: [] };
    const content = rewindText(planned.turn.text, scope);
    const data = { about: 'rewind', prompt: uuid, scope, ...changesToLog(restored) };
    const [prompt] = await context.page(planned.turn.seq + 1, 1);
    const environment = context.lastEnvironment();
    let entry: string | undefined;
    if (scope === 'files') {
      const draft = {
        type: 'system',
        subtype: 'rewind',
        message: { role: 'system', content },
        data,
      } as const;
      [entry] = (await context.append(draft)).map((one) => one.uuid);
    } else {
      const rewound = await context.rewindBefore(uuid, { content, data });
      entry = rewound?.entry.uuid;
      // If the session was resumed in another folder since then, the shell stays in the current one.
      if (rewound !== undefined && directoryOf(context.lastEnvironment()) === directoryOf(environment))
        setCwd(rewound.last.cwd);
    }
    if (entry === undefined) return refused('rewind', 'The conversation cannot be rewound to that point.');
    const { done, left } = await restore(restored, 'rewind', entry);
    if (scope === 'files' && done.length > 0) await context.append(rewindNote(done, 'earlier'));
    if (scope !== 'files') await modes.retell();
    // The rewind removed newer environment notes (folder, date), but they still apply: tell the model again.
    if (environment !== undefined && context.lastEnvironment() !== environment) {
      const news = { now: new Date(now()), block: environment, shell: cwd() };
      await context.append(environmentNote({ occasion: 'rewinding', ...news }));
    }
    return {
      type: 'rewind',
      outcome: left.length === 0 ? 'done' : 'partly',
      message: restoredText({ what: content, done, left, withFiles }),
      conversation: scope !== 'files',
      ...(prompt === undefined || scope === 'files' ? {} : { prompt: promptOf(prompt) }),
    };
  };

  /** Completes an undo during which the program was stopped; its entry is already in the log. */
  const finishUndo = async (entry: JSONLEntry): Promise<RewindReport> => {
    const wanted = plannedChanges(entry);
    const back = await planFiles(wanted.map(inverse), context.isOwn(entry) ? [] : wanted);
    const review = reviewOf(entry, back);
    if (review !== undefined) return review;
    const { steps } = back;
    const { done, left } = await restore({ steps }, 'undo', entry.uuid, wanted);
    const what = undoText(false, true);
    return {
      type: 'undo',
      outcome: left.length === 0 ? 'done' : 'partly',
      message: restoredText({ what, done, left, withFiles: true }),
      conversation: false,
    };
  };

  const undo = async (): Promise<RewindReport> => {
    await checkpoints.settled();
    const { entries, undone } = context.live();
    const counts = ({ uuid }: { readonly uuid: string }): boolean => !undone.has(uuid);
    const cut = interruptedRewind({ entries, undone });
    if (cut?.subtype === 'undo') return finishUndo(cut);
    const at = entries.findLastIndex((one) => one.subtype === 'rewind' && counts(one));
    const entry = entries[at];
    if (entry?.subtype !== 'rewind') return refused('undo', 'Nothing to undo.');
    const since = entries.slice(at + 1);
    const isConversation = entry.data?.to !== undefined;
    if (isConversation && since.some((one) => one.subtype === 'compact_boundary' && counts(one)))
      return refused(
        'undo',
        'The conversation has been compacted since, and the summary lacks what this would restore. Run /uncompact first.',
      );
    const { changes, recordedIn } = appliedChanges(entry, since);
    if (changes.length > 0 && files === undefined) return refused('undo', NO_FILES);
    const back = await planFiles(changes, context.isOwn(recordedIn) ? [] : changes);
    const review = reviewOf(entry, back);
    if (review !== undefined) return review;
    const isAnswered = since.some(({ type }) => type === 'assistant');
    // If the model has not replied yet, the notes about restored files are undone with the rewind.
    const notes = isAnswered ? [] : since.filter(isRewindNote);
    const content = undoText(isConversation, changes.length > 0);
    const written = await context.undo(
      [entry, ...notes].map(({ uuid }) => uuid),
      { content, data: { about: 'rewind', ...changesToLog(back) } },
    );
    if (isConversation && !isAnswered) setCwd(entry.cwd);
    // An interrupted rewind was only partly applied: the record lists every one of its paths as restored.
    const begun = unfinished(entries).includes(entry) ? changes.map(inverse) : [];
    const { done, left } = await restore(back, 'undo', written.uuid, begun);
    if (!isConversation && isAnswered && done.length > 0) await context.append(rewindNote(done, 'later'));
    if (isConversation) await modes.retell();
    return {
      type: 'undo',
      outcome: left.length === 0 ? 'done' : 'partly',
      message: restoredText({ what: content, done, left, withFiles: changes.length > 0 }),
      conversation: isConversation,
    };
  };

  const canUndo = (): boolean => {
    const live = context.live();
    return (
      interruptedRewind(live) !== undefined ||
      live.entries.some(({ subtype, uuid }) => subtype === 'rewind' && !live.undone.has(uuid))
    );
  };

  return { plan, rewind, undo, canUndo };
}

/** Plans rewinds. */
function createPlanner({ context, files, checkpoints }: RewindPorts) {
  /** The plan made last, and the last entry at that time. `files` checks each path again before changing it. */
  let made: { readonly plan: RewindPlan; readonly at: string | undefined } | undefined;
  const lastEntry = (): string | undefined => context.entries().at(-1)?.uuid;

  const planFiles = async (
    changes: readonly PathChange[],
    foreign: readonly { readonly path: string }[],
  ): Promise<RestorePlan> =>
    files === undefined || changes.length === 0
      ? { steps: [] }
      : checkpoints.alone(() => files.plan(changes, new Set(foreign.map(({ path }) => path))));

  const plan = async (uuid: string): Promise<RewindPlan | undefined> => {
    await checkpoints.settled();
    const turn = await findTurn(context, uuid);
    if (turn === undefined) return undefined;
    const { changes, notes, foreign } = await changesSince(context, turn.seq, (entry) =>
      context.isOwn(entry),
    );
    let noFiles = files === undefined ? NO_FILES : undefined;
    const filePlan = await planFiles(changes, foreign).catch((error: unknown): RestorePlan => {
      noFiles = `The files cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      return { steps: [] };
    });
    const planned: RewindPlan = {
      turn,
      plan: filePlan,
      notes,
      ...(noFiles === undefined ? {} : { noFiles }),
    };
    made = { plan: planned, at: lastEntry() };
    return planned;
  };
  /** Returns the last plan if it still applies; otherwise makes a new one. */
  const takePlan = async (uuid: string): Promise<RewindPlan | undefined> => {
    const isSame = made?.plan.turn.uuid === uuid && made.at === lastEntry();
    const taken = isSame ? made?.plan : await plan(uuid);
    made = undefined;
    return taken;
  };
  return { plan, takePlan, planFiles };
}

function refused(type: RewindReport['type'], message: string): RewindReport {
  return { type, outcome: 'refused', message, conversation: false };
}

interface RestorePorts {
  readonly context: Pick<ContextManager, 'append' | 'sync'>;
  readonly files: FileCheckpoints | undefined;
  readonly root: string;
  readonly checkpoints: Pick<CheckpointKeeper, 'alone'>;
}

interface Restored {
  readonly done: readonly PathChange[];
  /** Paths left unchanged, each with its reason, for the user. */
  readonly left: readonly string[];
}

/**
 * Applies plans that are already logged, and records the result. `of` is the entry that logged the plan; `begun` lists
 * changes of an interrupted rewind or undo, which are recorded as well.
 */
function createRestore({ context, files, root, checkpoints }: RestorePorts) {
  return async (
    { steps }: RestorePlan,
    cause: 'rewind' | 'undo',
    of: string,
    begun: readonly PathChange[] = [],
  ): Promise<Restored> => {
    if (files === undefined || steps.length === 0) return { done: [], left: [] };
    const refused = steps.filter(({ action }) => action === 'refuse');
    const why = refusedLines({ steps }, root);
    const isIdle = !steps.some(isChange);
    if (isIdle && begun.length === 0) return { done: [], left: why };
    // Even after a power failure the log must name the planned file changes.
    await context.sync();
    const applied = isIdle
      ? { changes: [], notes: [] }
      : await checkpoints.alone(() => files.apply({ steps }));
    const put = begun.filter(({ path }) => !refused.some((step) => step.path === path));
    const captured = begun.length === 0 ? applied : { ...applied, changes: put };
    const lines = await linesIn(files, captured.changes);
    const draft = checkpointEntry({ cause, of, captured, lines });
    if (draft !== undefined) await context.append(draft);
    return { done: applied.changes, left: [...why, ...applied.notes] };
  };
}

export interface Rewinds {
  submit(op: Extract<Op, { type: 'rewind' | 'undo_rewind' }>): void;
  turns(limit: number): Promise<readonly TurnRecord[]>;
  canUndo(): boolean;
  plan: Rewinder['plan'];
  diff(uuid?: string): Promise<readonly RestoreStep[] | undefined>;
}

interface RewindsPorts extends RewindPorts {
  readonly jobs: Pick<JobQueue, 'add' | 'busy'>;
  readonly emit: (event: AgentEvent) => void;
  /** Measures the context and reports it. */
  readonly measure: () => void;
}

const BUSY = 'Something is running. Press Esc to stop it, then rewind.';

export function createRewinds(ports: RewindsPorts): Rewinds {
  const { context, files, jobs, emit, measure, checkpoints } = ports;
  const rewinder = createRewinder(ports);
  const emitReport = (report: RewindReport): void => emit({ type: 'rewind_ended', report });
  return {
    submit(op) {
      const type = op.type === 'rewind' ? 'rewind' : 'undo';
      if (jobs.busy()) return emitReport({ type, outcome: 'refused', message: BUSY, conversation: false });
      jobs.add(async () => {
        const report = op.type === 'rewind' ? await rewinder.rewind(op.to, op.scope) : await rewinder.undo();
        emitReport(report);
        if (report.conversation) measure();
      });
    },
    turns: (limit) => newestTurns(context, limit),
    canUndo: rewinder.canUndo,
    plan: rewinder.plan,
    async diff(uuid) {
      await checkpoints.settled();
      if (uuid === undefined) {
        const { changes } = await changesSince(context, -1);
        return files === undefined || changes.length === 0 ? [] : files.diff(changes);
      }
      const turn = await findTurn(context, uuid);
      if (turn === undefined) return undefined;
      const changes = await changesOfTurn(context, turn);
      return files === undefined || changes.length === 0 ? [] : files.diff(changes);
    },
  };
}
