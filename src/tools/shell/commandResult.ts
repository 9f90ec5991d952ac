/** Turns a command that has ended, was stopped or moves to the background into the outcome of its call. */
import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import type { FileChange, SandboxRecord } from '../../protocol/entries/fields.ts';
import type { Preview } from '../../protocol/permissions.ts';
import type { Confinement } from '../../protocol/sandbox.ts';
import { count } from '../../protocol/text/numbers.ts';
import { withoutTrailing } from '../../protocol/text/trimming.ts';
import type { ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import { failure, type Notes, sandboxNotes, withheldNotes } from '../outcomes.ts';
import { formatDuration } from '../units.ts';
import { type HandedOver, handOver } from './handOver.ts';
import type { OutputCapture } from './OutputCapture.ts';
import type { CommandEnd, RunningCommand } from './startCommand.ts';
import type { RecentText, TaskRegistry } from './TaskRegistry.ts';

/** What the model asked for. */
interface CommandCall {
  readonly command: string;
  readonly run_in_background?: boolean | undefined;
}

/** How long to wait for the last output after an interrupt, well within the 100 ms that Esc may take. */
const LAST_OUTPUT_MS = 50;

/** The command on one line. */
export function titleOf(command: string): string {
  const [first = '', ...more] = command.trim().split('\n');
  return more.length === 0 ? first : `${first} … (+${count(more.length, 'line')})`;
}

/** After a rerun the record contains the hosts of both runs. */
export function withHostsOf({ sandbox: first }: ToolOutcome, again: ToolOutcome): ToolOutcome {
  const { sandbox } = again;
  if (first === undefined || sandbox === undefined) return again;
  return { ...again, sandbox: withHosts(sandbox, [first]) };
}

function withHosts(record: SandboxRecord, earlier: readonly SandboxRecord[]): SandboxRecord {
  const all = (name: 'hosts' | 'refusedHosts') => {
    const hosts = [...new Set([...earlier, record].flatMap((one) => one[name] ?? []))];
    return hosts.length === 0 ? {} : { [name]: hosts };
  };
  return { ...record, ...all('hosts'), ...all('refusedHosts') };
}

export interface Ran {
  readonly outcome: ToolOutcome;
  /** Set if the sandbox made the command fail and the user can be asked to run it outside. */
  readonly outside?: { isWanted(cwd: string): Promise<boolean> };
}

/** Data for every kind of result. */
export interface Report {
  readonly call: CommandCall;
  readonly capture: OutputCapture;
  readonly recent: RecentText;
  readonly startedAtMs: number;
  /** How long the call waits for the command. */
  readonly patienceMs: number;
  /** Lines shown before the output. */
  readonly notes: readonly string[];
  readonly confinement: Confinement | undefined;
  /** Those of the steps before. */
  readonly earlier: readonly Confinement[];
  readonly before: Notes;
  /** Hosts, with ports, that the user denied while the command ran. */
  readonly declined: ReadonlySet<string>;
  /** See `settled`. */
  readonly mayEndIn: (folder: string) => boolean;
}

export async function finished(
  report: Report,
  run: RunningCommand,
  end: CommandEnd,
  context: ToolContext,
  tasks: TaskRegistry,
): Promise<Ran> {
  if (end.type === 'failed') {
    tasks.settle(run);
    const outcome = failure(titleOf(report.call.command), `The shell could not be started: ${end.message}`);
    return { outcome };
  }
  const own = await settled(run, context, tasks, report.mayEndIn);
  const after = [...report.before.forModel, ...own.forModel];
  if (end.code !== 0)
    after.push(`exit code ${end.code}${end.signal === undefined ? '' : ` (ended by ${end.signal})`}`);
  const { confinement, declined } = report;
  const handed = await handOver(report, true);
  const isWithheld = handed.withheldFor.length > 0;
  if (declined.size > 0) after.push(`(The user denied a connection to ${[...declined].join(', ')}.)`);
  const blocked = isWithheld ? undefined : confinement?.blocked(handed.text, end.code, declined);
  const stays = confinement?.stays;
  const isFinal = blocked?.isHidden === true || blocked?.instead !== undefined;
  const mayLeave = context.confirm !== undefined && stays === undefined && !isFinal;
  const outside = mayLeave ? OUTSIDE_ASKED : stays === undefined ? OUTSIDE_UNASKED : outsideNever[stays];
  if (blocked !== undefined && isFinal)
    after.push(`(The sandbox blocked it: ${[`${blocked.reason}.`, blocked.instead ?? []].flat().join(' ')})`);
  else if (blocked !== undefined) after.push(`(The sandbox blocked it: ${blocked.reason}. ${outside})`);
  const protectedNotes = sandboxNotes(confinement, handed.withheldFor);
  after.push(...protectedNotes.forModel);
  const duration = formatDuration(Date.now() - report.startedAtMs);
  const summary = [
    end.code === 0 ? duration : `exit ${end.code} · ${duration}`,
    ...report.before.forUser,
    ...protectedNotes.forUser,
  ].join(' · ');
  return {
    outcome: await outcome(report, end.code === 0 && !isWithheld ? 'ok' : 'error', after, summary, handed),
    ...(blocked === undefined || !mayLeave ? {} : outsideOffer(report.call, blocked.reason, context)),
  };
}

export const noNotes: Notes = { forModel: [], forUser: [] };

export const joined = (...all: readonly Notes[]): Notes => ({
  forModel: all.flatMap(({ forModel }) => forModel),
  forUser: all.flatMap(({ forUser }) => forUser),
});

/**
 * Takes over the folder and the processes of a shell that has ended. Returns notes for the model. A program can write
 * another folder than the shell's, so it is ignored unless the command may end there.
 */
export async function settled(
  run: RunningCommand,
  context: ToolContext,
  tasks: TaskRegistry,
  mayEndIn: (folder: string) => boolean,
): Promise<Notes> {
  const notes: string[] = [];
  const [directory, lostJobs] = await Promise.all([run.finalCwd(), run.lostJobs()]);
  const isNew = directory !== undefined && directory !== context.cwd() && mayEndIn(directory);
  if (isNew && (await isDirectory(directory))) {
    context.setCwd(directory);
    notes.push(`(Working directory is now ${directory}.)`);
  }
  if (tasks.settle(run))
    notes.push(
      '(Processes it left behind will be killed in 1 s; use run_in_background for processes that must keep running.)',
    );
  else if (lostJobs)
    notes.push(
      '(Processes it left behind were killed; use run_in_background for processes that must keep running.)',
    );
  return { forModel: notes, forUser: [] };
}

const OUTSIDE_ASKED = 'The user declined to run it outside the sandbox.';

const OUTSIDE_UNASKED = 'The settings sandbox.allowWrite and sandbox.network.allowedDomains can allow it.';

const outsideNever = {
  managed: 'Managed settings of this machine do not let any command run outside the sandbox.',
  'read-only': 'A read-only command stays in the sandbox.',
};

/** Offers to rerun the command outside the sandbox. */
function outsideOffer(
  call: CommandCall,
  blocked: string,
  { confirm, filesChanged }: ToolContext,
): Pick<Ran, 'outside'> {
  if (confirm === undefined) return {};
  return {
    outside: {
      isWanted: async (cwd) =>
        confirm({
          title: 'Run outside the sandbox?',
          preview: {
            type: 'command',
            command: call.command,
            cwd,
            ...changedBefore(await filesChanged?.(), cwd),
          },
          reason: `The sandbox seems to have blocked it: ${blocked}. Yes reruns it from the start, with your own rights.`,
        }),
    },
  };
}

/** Files named one by one in the question whether to run a command again. */
const MAX_CHANGED = 200;

/**
 * Lists what the first run changed, since it may have rewritten the script that the rerun starts: changed and deleted files
 * first, then new ones.
 */
function changedBefore(
  files: readonly FileChange[] | undefined,
  cwd: string,
): Pick<Extract<Preview, { type: 'command' }>, 'changed'> {
  if (files === undefined) return { changed: ['It is not known which files the first run has changed.'] };
  const old = files.filter(({ kind }) => kind !== 'created');
  const all = [...old, ...files.filter(({ kind }) => kind === 'created')];
  const lines = all.slice(0, MAX_CHANGED).map(({ path, kind }) => {
    const name = isInside(path, cwd) ? relative(cwd, path) : path;
    return `${name} was ${kind === 'modified' ? 'changed' : kind} during the first run.`;
  });
  const more = all.length - lines.length;
  if (more > 0) lines.push(`${more} more files were changed during the first run.`);
  return lines.length === 0 ? {} : { changed: lines };
}

/**
 * Handles the user's interrupt. Sends the signal before awaiting anything; the result does not wait for the processes
 * to exit.
 */
export async function stopped(
  report: Report,
  run: RunningCommand,
  tasks: TaskRegistry,
): Promise<ToolOutcome> {
  void tasks.stopRun(run);
  await Promise.race([run.finished, delay(LAST_OUTPUT_MS)]);
  const handed = await handOver(report, true);
  const protectedNotes = joined(report.before, sandboxNotes(report.confinement, handed.withheldFor));
  const after = ['(Interrupted by the user.)', ...protectedNotes.forModel];
  const summary = ['interrupted', ...protectedNotes.forUser].join(' · ');
  return outcome(report, 'partial', after, summary, handed, {
    blobPatienceMs: LAST_OUTPUT_MS,
    response: { interrupted: true },
  });
}

/** Moves the command to the background: as requested, at its timeout, or because the user moved it. */
export async function moved(
  report: Report,
  run: RunningCommand,
  why: 'timeout' | 'moved',
  tasks: TaskRegistry,
  rest: readonly string[],
): Promise<ToolOutcome> {
  const { call, capture, recent, startedAtMs } = report;
  // Output so far belongs to this call, even if more arrives while the task is created.
  const handing = handOver(report, false);
  const { id } = tasks.keep({ command: call.command, run, capture, recent, startedAtMs });
  const handed = await handing;
  const before = joined(report.before, withheldNotes(handed.withheldFor));
  const handling = `BashOutput reads its output, KillBash stops it (task_id "${id}").`;
  if (call.run_in_background === true) {
    const note = `Runs in the background as task ${id}. ${handling}`;
    const summary = [`in the background as ${id} (/tasks)`, ...before.forUser].join(' · ');
    return outcome(report, 'ok', [...before.forModel, note], summary, handed, {
      response: { backgroundTaskId: id },
    });
  }
  const patience = formatDuration(Date.now() - startedAtMs);
  const note =
    why === 'moved'
      ? `(Moved to the background by the user after ${patience}: it continues as task ${id}. ${handling})`
      : `(Still running after ${patience}: it continues in the background as task ${id}. ${handling})`;
  return outcome(
    report,
    'partial',
    [...before.forModel, note, ...rest],
    [`moved to the background as ${id} (/tasks) · ${patience}`, ...before.forUser].join(' · '),
    handed,
    {
      response: {
        backgroundTaskId: id,
        ...(why === 'moved' ? { backgroundedByUser: true } : { timedOutAfterMs: report.patienceMs }),
      },
    },
  );
}

async function outcome(
  { call, notes, confinement, earlier }: Report,
  status: ToolOutcome['status'],
  after: readonly string[],
  summary: string,
  handed: HandedOver,
  { blobPatienceMs, response = {} }: { blobPatienceMs?: number; response?: object } = {},
): Promise<ToolOutcome> {
  const blob = handed.original;
  const original = await (blobPatienceMs === undefined ? blob : Promise.race([blob, delay(blobPatienceMs)]));
  const output = withoutTrailing(handed.text, '\n');
  const placeholder = output === '' && after.length === 0 ? ['(no output)'] : [];
  return {
    status,
    text: [...notes, ...(output === '' ? placeholder : [output]), ...after].join('\n'),
    kind: 'command',
    display: {
      ...{ title: titleOf(call.command), summary },
      ...(after.length === 0 ? {} : { modelNotes: after.join('\n') }),
    },
    ...(confinement === undefined
      ? {}
      : {
          sandbox: withHosts(
            confinement.record(),
            earlier.map((one) => one.record()),
          ),
        }),
    ...(original === undefined ? {} : { original }),
    // Both streams as one text, as in Claude Code.
    response: () => ({
      ...{ stdout: output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
      ...response,
    }),
  };
}

export type First = CommandEnd | 'timeout' | 'aborted' | 'moved';

export function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

function delay(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));
}
