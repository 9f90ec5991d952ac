/**
 * Going back to before a turn: in the conversation, in the files, or both; and taking that back. What is going to
 * be done to files is in the log before it is done, and what was done behind it, so that a program that is stopped
 * between the two leaves a session that can still take all of it back.
 */
import type { ContextManager } from '../../context/index.ts';
import type { FileCheckpoints, PathChange, RestorePlan, RestoreStep } from '../../protocol/checkpoints.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { Op, RewindScope } from '../../protocol/ops.ts';
import type { RewindPlan, RewindReport, TurnRecord } from '../../protocol/rewind.ts';
import { type CheckpointKeeper, checkpointEntry, linesIn } from '../checkpoints.ts';
import type { JobQueue } from '../jobQueue.ts';
import type { Modes } from '../modes.ts';
import { promptOf } from '../promptOf.ts';
import { directoryOf, environmentNote } from '../systemPrompt.ts';
import { goneBackNote, refusalText, restoredText, rewindText, undoText } from './texts.ts';
import {
  changesOfTurn,
  changesSince,
  cutShort,
  doneBy,
  findTurn,
  intended,
  inverse,
  isChange,
  isRewindNote,
  newestTurns,
  plannedChanges,
  unfinished,
} from './turns.ts';

export interface RewindPorts {
  readonly context: ContextManager;
  readonly files: FileCheckpoints | undefined;
  readonly checkpoints: Pick<CheckpointKeeper, 'alone' | 'settled'>;
  readonly modes: Pick<Modes, 'retell'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Where the shell is. */
  readonly cwd: () => string;
  /** Where the shell is from then on. */
  readonly setCwd: (directory: string) => void;
}

export interface Rewinder {
  /** What going back to before the turn of this prompt would do; undefined where there is no such turn. */
  plan(uuid: string): Promise<RewindPlan | undefined>;
  /** Does it as it was last planned, where nothing was changed since. */
  rewind(uuid: string, scope: RewindScope): Promise<RewindReport>;
  /** Takes the last one back. */
  undo(): Promise<RewindReport>;
}

const NO_FILES = 'This session keeps no checkpoints.';

export function createRewinder(ports: RewindPorts): Rewinder {
  const { context, files, checkpoints, modes, now, cwd, setCwd } = ports;
  /** What the user was shown is what is done; the port looks again at each path before it touches it. */
  let shown: { readonly plan: RewindPlan; readonly at: string | undefined } | undefined;
  /** Paths that plans have shown; one that is undone without being shown goes no further. */
  const shownPaths = new Set<string>();
  const lastEntry = (): string | undefined => context.entries().at(-1)?.uuid;

  const planFiles = async (
    changes: readonly PathChange[],
    isShown?: (path: string) => boolean,
  ): Promise<RestorePlan> =>
    files === undefined || changes.length === 0
      ? { steps: [] }
      : checkpoints.alone(() => files.plan(changes, isShown));

  const plan = async (uuid: string): Promise<RewindPlan | undefined> => {
    await checkpoints.settled();
    const turn = await findTurn(context, uuid);
    if (turn === undefined) return undefined;
    const { changes, notes } = await changesSince(context, turn.seq);
    let noFiles = files === undefined ? NO_FILES : undefined;
    const filePlan = await planFiles(changes).catch((error: unknown): RestorePlan => {
      noFiles = `The files cannot be looked at: ${error instanceof Error ? error.message : String(error)}`;
      return { steps: [] };
    });
    const planned: RewindPlan = {
      turn,
      plan: filePlan,
      notes,
      ...(noFiles === undefined ? {} : { noFiles }),
    };
    shown = { plan: planned, at: lastEntry() };
    for (const { path } of filePlan.steps) shownPaths.add(path);
    return planned;
  };

  const restore = createRestore({ context, files, checkpoints });

  const rewind = async (uuid: string, scope: RewindScope): Promise<RewindReport> => {
    const isSame = shown?.plan.turn.uuid === uuid && shown.at === lastEntry();
    const planned = isSame ? shown?.plan : await plan(uuid);
    shown = undefined;
    if (planned === undefined) return refused('rewind', 'There is no such turn in the conversation.');
    const withFiles = scope !== 'conversation';
    if (withFiles && planned.noFiles !== undefined) return refused('rewind', planned.noFiles);
    if (scope === 'files' && !planned.plan.steps.some(isChange))
      return refused('rewind', `No files were restored. ${refusalText(planned.plan)}`);
    const restored: RestorePlan = withFiles ? planned.plan : { steps: [] };
    const content = rewindText(planned.turn.text, scope);
    const data = { about: 'rewind', prompt: uuid, scope, ...intended(restored) };
    const [prompt] = await context.page(planned.turn.seq + 1, 1);
    const surroundings = context.lastEnvironment();
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
      const back = await context.rewindBefore(uuid, { content, data });
      entry = back?.entry.uuid;
      // Taken up in another folder since then, the shell stays in that one.
      if (back !== undefined && directoryOf(context.lastEnvironment()) === directoryOf(surroundings))
        setCwd(back.last.cwd);
    }
    if (entry === undefined) return refused('rewind', 'The conversation cannot be rewound to that point.');
    const { done, left } = await restore(restored, 'rewind', entry);
    if (scope === 'files' && done.length > 0) await context.append(goneBackNote(done, 'earlier'));
    if (scope !== 'files') await modes.retell();
    // What the model heard after the place gone back to still holds: the folder, the date and the like.
    if (surroundings !== undefined && context.lastEnvironment() !== surroundings) {
      const news = { now: new Date(now()), block: surroundings, shell: cwd() };
      await context.append(environmentNote({ occasion: 'going back', ...news }));
    }
    return {
      type: 'rewind',
      outcome: left.length === 0 ? 'done' : 'partly',
      message: restoredText({ what: content, done, left, withFiles }),
      conversation: scope !== 'files',
      ...(prompt === undefined || scope === 'files' ? {} : { prompt: promptOf(prompt) }),
    };
  };

  /** What the program was stopped in is done to its end; its entry is there already. */
  const finishUndo = async (entry: JSONLEntry): Promise<RewindReport> => {
    const wanted = plannedChanges(entry);
    const { steps } = await planFiles(wanted.map(inverse), (path) => shownPaths.has(path));
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
    const cut = cutShort({ entries, undone });
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
    const changes = doneBy(entry, since);
    if (changes.length > 0 && files === undefined) return refused('undo', NO_FILES);
    const back = await planFiles(changes, (path) => shownPaths.has(path));
    const isAnswered = since.some(({ type }) => type === 'assistant');
    // A word about files that nobody has answered yet goes with what it was about.
    const notes = isAnswered ? [] : since.filter(isRewindNote);
    const content = undoText(isConversation, changes.length > 0);
    const written = await context.undo(
      [entry, ...notes].map(({ uuid }) => uuid),
      { content, data: { about: 'rewind', ...intended(back) } },
    );
    if (isConversation && !isAnswered) setCwd(entry.cwd);
    // What was only planned was done in part: the record says of every path that it was put back.
    const begun = unfinished(entries).includes(entry) ? changes.map(inverse) : [];
    const { done, left } = await restore(back, 'undo', written.uuid, begun);
    if (!isConversation && isAnswered && done.length > 0) await context.append(goneBackNote(done, 'later'));
    if (isConversation) await modes.retell();
    return {
      type: 'undo',
      outcome: left.length === 0 ? 'done' : 'partly',
      message: restoredText({ what: content, done, left, withFiles: changes.length > 0 }),
      conversation: isConversation,
    };
  };

  return { plan, rewind, undo };
}

function refused(type: RewindReport['type'], message: string): RewindReport {
  return { type, outcome: 'refused', message, conversation: false };
}

export interface RestorePorts {
  readonly context: Pick<ContextManager, 'append' | 'sync'>;
  readonly files: FileCheckpoints | undefined;
  readonly checkpoints: Pick<CheckpointKeeper, 'alone'>;
}

export interface Restored {
  readonly done: readonly PathChange[];
  /** What was left unchanged and why, ready to show. */
  readonly left: readonly string[];
}

/**
 * Applies plans that the log already tells of, and records what came of it. `of` is the entry that tells of it;
 * `begun` what a program that was stopped had begun: it stands in the record too.
 */
export function createRestore({ context, files, checkpoints }: RestorePorts) {
  return async (
    { steps }: RestorePlan,
    cause: 'rewind' | 'undo',
    of: string,
    begun: readonly PathChange[] = [],
  ): Promise<Restored> => {
    if (files === undefined || steps.length === 0) return { done: [], left: [] };
    const refused = steps.filter(({ action }) => action === 'refuse');
    const why = refused.map(({ path, reason = '' }) => `${path}: ${reason}`);
    const isIdle = !steps.some(isChange);
    if (isIdle && begun.length === 0) return { done: [], left: why };
    // After a power cut the log must know what was going to be done to the files.
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
  plan(uuid: string): Promise<RewindPlan | undefined>;
  diff(uuid?: string): Promise<readonly RestoreStep[] | undefined>;
}

export interface RewindsPorts extends RewindPorts {
  readonly jobs: Pick<JobQueue, 'add' | 'busy'>;
  readonly emit: (event: AgentEvent) => void;
  /** Tells how full the window is now. */
  readonly measure: () => void;
}

const BUSY = 'Something is running. Press Esc to stop it, then rewind.';

export function createRewinds(ports: RewindsPorts): Rewinds {
  const { context, files, jobs, emit, measure, checkpoints } = ports;
  const rewinder = createRewinder(ports);
  const tell = (report: RewindReport): void => emit({ type: 'rewind_ended', report });
  return {
    submit(op) {
      const type = op.type === 'rewind' ? 'rewind' : 'undo';
      if (jobs.busy()) return tell({ type, outcome: 'refused', message: BUSY, conversation: false });
      jobs.add(async () => {
        const report = op.type === 'rewind' ? await rewinder.rewind(op.to, op.scope) : await rewinder.undo();
        tell(report);
        if (report.conversation) measure();
      });
    },
    turns: (limit) => newestTurns(context, limit),
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
