import { basename, relative } from 'node:path';
import * as z from 'zod';
import { folderIdentity } from '../disk/folderIdentity.ts';
import { pathOutside } from '../disk/ownPrograms.ts';
import { isInside, realpath } from '../disk/paths.ts';
import { type Grant, runsReadOnly } from '../protocol/permissions.ts';
import type { CommandRequest, CommandSandbox, CommandStep, Confinement } from '../protocol/sandbox.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { defineTool } from './defineTool.ts';
import { failure, listed, type Notes, sandboxNotes } from './outcomes.ts';
import { redactInTurn, redactorOfUnapproved, type TextRedactor } from './redaction.ts';
import { childEnvironment, type Environment, readOnlyEnvironment } from './shell/childEnvironment.ts';
import {
  type First,
  finished,
  isDirectory,
  joined,
  moved,
  noNotes,
  type Ran,
  type Report,
  settled,
  stopped,
  titleOf,
  withHostsOf,
} from './shell/commandResult.ts';
import { createLiveCleaner, OutputCapture } from './shell/OutputCapture.ts';
import { goneOf, type RunningCommand } from './shell/startCommand.ts';
import { RecentText, type TaskRegistry } from './shell/TaskRegistry.ts';
import { createValueRedactor, type KnownSecret } from './shell/valueRedactor.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** A background command that ends this soon is reported as finished: usually it failed to start. */
const EARLY_END_MS = 200;

const input = z.object({
  command: z.string().min(1),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe(`ms, default ${DEFAULT_TIMEOUT_MS}`),
  description: z.string().optional().describe('what it does, in a few words'),
  run_in_background: z.boolean().optional(),
});
type BashInput = z.infer<typeof input>;

/** Called for each command that starts; returns a function to call when its processes have ended. */
export type CommandStarted = (started: {
  readonly command: string;
  readonly cwd: string;
  readonly basis: Grant['basis'];
  /** True if it runs in a sandbox in which it may change files. */
  readonly isConfined: boolean;
  /** In milliseconds since the epoch; before its first process. */
  readonly startedAtMs: number;
  /** True once its shell has ended. */
  readonly isOver: () => boolean;
}) => (() => void) | undefined;

/** Dependencies of the Bash tool. */
interface BashDeps {
  readonly env: Environment;
  /** Folders of the workspace in addition to the root. */
  readonly addedDirectories: () => readonly string[];
  readonly secretEnv: readonly string[];
  /** Variables that hooks have set so far. */
  readonly variables?: () => Readonly<Record<string, string>>;
  /** Absolute path of the shell. */
  readonly shell: string;
  readonly tasks: TaskRegistry;
  readonly onStarted?: CommandStarted | undefined;
  /** Absent = commands run with the user's rights. */
  readonly sandbox?: CommandSandbox;
  /** Secrets in these folders that are removed from the output before the model sees it. */
  readonly knownSecrets?: (folders: readonly string[]) => readonly KnownSecret[];
  /** Opens a redactor for the output of commands that run without approval. */
  readonly openRedactor?: () => Promise<TextRedactor>;
}

/** Creates the tool that runs shell commands. */
export function bashTool(deps: BashDeps): Tool {
  return defineTool({
    name: toolNames.bash,
    description: `Run a ${basename(deps.shell)} command, without terminal or input. cd persists; other shell state does not. Leftover processes are killed unless run_in_background; at the timeout a command moves to the background. Prefer Read, Grep, Glob and Edit for files.${deps.sandbox?.closesGit === true ? ` ${GIT_ALONE}` : ''}`,
    input,
    title: (call) => titleOf(call.command),
    access: (call, context) => ({ type: 'command', command: call.command, cwd: context.cwd() }),
    preview: async (call, context) => ({
      type: 'command',
      command: call.command,
      cwd: context.cwd(),
      ...(call.description === undefined ? {} : { description: call.description }),
      ...(deps.sandbox && { confinement: await describeSandbox(deps.sandbox, call.command) }),
    }),
    run: (call, context, grant) => runBash(call, context, grant, deps),
  });
}

/** True also on a machine without a sandbox. */
const GIT_ALONE =
  'In the sandbox, git can change .git in plain lines (a && git commit), not in scripts or loops.';

/** One line for the approval prompt. */
async function describeSandbox(sandbox: CommandSandbox, command: string): Promise<string> {
  const [state, isExcluded] = await Promise.all([sandbox.state(), sandbox.isExcluded(command)]);
  if (state.type !== 'on') return `Runs without a sandbox: ${state.reason}.`;
  if (isExcluded) return 'Runs outside the sandbox, with your own rights (sandbox.excludedCommands).';
  return state.mode === 'read-only' ? 'Runs in the sandbox: writes nothing.' : 'Runs in the sandbox.';
}

async function runBash(
  call: BashInput,
  context: ToolContext,
  grant: Grant,
  deps: BashDeps,
): Promise<ToolOutcome> {
  const start = context.cwd();
  const ran = await runOnce(call, context, grant, deps);
  const { outside } = ran;
  if (outside === undefined) return ran.outcome;
  if ((await outside.isWanted(start)) !== true) return ran.outcome;
  // The first run may have changed the directory.
  context.setCwd(start);
  const again = await runOnce(call, context, grant, deps, 'the user let it run outside');
  return withHostsOf(ran.outcome, again.outcome);
}

/** With `outsideBecause`, runs without a sandbox for that reason. */
async function runOnce(
  call: BashInput,
  context: ToolContext,
  grant: Grant,
  deps: BashDeps,
  outsideBecause?: string,
): Promise<Ran> {
  if (grant.hiding !== undefined && deps.sandbox === undefined) {
    const why = 'It may run only in a sandbox, which hides secrets from it.';
    return { outcome: failure(titleOf(call.command), why) };
  }
  const notes = await ensureCwd(context);
  const inBackground = call.run_in_background === true;
  const capture = new OutputCapture(context.openBlob, await redactorFor(call, context, grant, deps));
  const recent = new RecentText();
  const live = createLiveCleaner();
  let watched = true;
  const startedAtMs = Date.now();
  const cwd = context.cwd();
  const declined = new Set<string>();
  const fullEnv = childEnvironment({ ...deps.env, ...deps.variables?.() }, deps.secretEnv, context.sessionId);
  const workspace = [context.root, ...deps.addedDirectories()];
  const isGuarded = grant.isGuarded === true || runsReadOnly(grant);
  const env = isGuarded && outsideBecause === undefined ? readOnlyEnvironment(fullEnv, workspace) : fullEnv;
  const confine = async (
    command: string,
    scratch: string,
    signal: AbortSignal,
  ): Promise<Confinement | undefined> => {
    const request: CommandRequest = {
      ...{ command, cwd: context.cwd(), grant, env, scratch, isBrief: !inBackground },
      // Whether the line runs outside was decided as a whole.
      ...(steps.length > 1 ? { isKeptInside: true } : {}),
      ...askHostWith(context, call.command, signal, declined),
    };
    if (outsideBecause !== undefined) return deps.sandbox?.outside(request, outsideBecause);
    return deps.sandbox?.confine(request);
  };
  const start = async (command: string): Promise<RunningCommand> => {
    /** Aborted when the command ends, so that open approval prompts are withdrawn. */
    const ended = new AbortController();
    let confinement: Confinement | undefined;
    const spec = {
      ...{ shell: deps.shell, command, cwd: context.cwd(), env },
      confine: async (scratch: string) => {
        confinement = await confine(command, scratch, ended.signal);
        return confinement;
      },
      ownPath: pathOutside(deps.env, workspace, realpath),
      onChunk: (chunk: Buffer) => {
        capture.push(chunk);
        if (confinement?.exposure?.isKnown() === true) return;
        const text = live(chunk);
        recent.push(text);
        if (watched) context.onOutput(text);
      },
    };
    const run = await deps.tasks.start(spec, context.callId);
    void run.finished.then(() => ended.abort());
    // One that leaves the sandbox was approved by the user.
    if (outsideBecause === undefined) {
      const onGone = deps.onStarted?.({
        ...{ command, cwd: spec.cwd, basis: grant.basis, startedAtMs },
        isConfined: run.confinement?.record().mode === 'workspace-write',
        isOver: () => ended.signal.aborted,
      });
      if (onGone !== undefined) void goneOf(run).then(onGone);
    }
    return run;
  };
  const patienceMs = inBackground ? EARLY_END_MS : (call.timeout ?? DEFAULT_TIMEOUT_MS);
  const isDivisible = !inBackground && outsideBecause === undefined;
  const steps = (isDivisible && (await deps.sandbox?.steps({ command: call.command, cwd, grant }))) || [
    { command: call.command, isConditional: false },
  ];
  // Resolved before any step runs: a program may replace a folder by a link.
  const endings = steps.map((step) => foldersAfter(step, inBackground));
  const earlier: Confinement[] = [];
  let before = outsideBecause === undefined ? hidingNotes(grant, cwd) : noNotes;
  let until: number | undefined;
  let isRetry = false;
  for (let at = 0; ; ) {
    const command = steps[at]?.command ?? call.command;
    const place = placeOf(context.cwd());
    const run = await start(command);
    until ??= Date.now() + patienceMs;
    const end = await firstOf(run, Math.max(1, until - Date.now()), context);
    const isFirst = earlier.length === 0 && !isRetry;
    if (isFirst && typeof end !== 'string' && run.confinement?.mayRetry?.() === true) {
      isRetry = true;
      deps.tasks.settle(run);
      // A message of the sandbox.
      await capture.take({ isLast: false }).discard();
      recent.clear();
      continue;
    }
    const mayEndIn = endings[at] ?? nowhere;
    const next = nextStep(steps, at, end);
    const isKnown = async (): Promise<boolean> => {
      if (placeOf(context.cwd()) !== place) return false;
      const folder = await run.finalCwd();
      // Without a note, only a step that cannot move is known to have stayed.
      return folder === undefined
        ? mayEndIn === nowhere
        : folder === realpath(context.cwd()) || mayEndIn(folder);
    };
    if (next !== undefined && !(await isKnown())) {
      const rest = steps.slice(at + 1).map(({ command }) => command);
      before = joined(before, { forModel: notRun(rest, 'the command ended in another folder'), forUser: [] });
    } else if (next !== undefined) {
      const left = await settled(run, context, deps.tasks, mayEndIn);
      before = joined(before, left, sandboxNotes(run.confinement));
      if (run.confinement !== undefined) earlier.push(run.confinement);
      at = next;
      continue;
    }
    watched = false;
    const { confinement } = run;
    const report: Report = {
      ...{ call, capture, recent, startedAtMs, notes, confinement },
      ...{ earlier, before, declined, patienceMs, mayEndIn },
    };
    if (end === 'timeout' || end === 'moved') {
      const rest = steps.slice(at + 1).map(({ command }) => command);
      return { outcome: await moved(report, run, end, deps.tasks, notRun(rest, 'it comes after this task')) };
    }
    try {
      if (end === 'aborted') return { outcome: await stopped(report, run, deps.tasks) };
      return await finished(report, run, end, context, deps.tasks);
    } finally {
      void capture.close();
    }
  }
}

/** Names the secrets that the sandbox hides from a search. */
function hidingNotes({ hiding = [] }: Grant, cwd: string): Notes {
  if (hiding.length === 0) return noNotes;
  const names = hiding.map((path) => (isInside(path, cwd) ? relative(cwd, path) : path));
  const note = `(Hidden from this command, as secrets or because of a rule: ${listed(names)}.)`;
  const others = names.length > 1 ? ` and ${names.length - 1} more` : '';
  return { forModel: [note], forUser: [`without ${listed(names.slice(0, 1))}${others}`] };
}

/** The step that follows one that has ended; undefined if none does. */
function nextStep(steps: readonly CommandStep[], at: number, end: First): number | undefined {
  if (typeof end === 'string' || end.type === 'failed') return undefined;
  const next = steps.findIndex(
    ({ isConditional }, index) => index > at && (end.code === 0 || !isConditional),
  );
  return next === -1 ? undefined : next;
}

const notRun = (commands: readonly string[], why: string): readonly string[] =>
  commands.length === 0 ? [] : [`(Not run, because ${why}: ${commands.join('; ')})`];

/** Text without which a command keeps its folder. */
const CHANGES_FOLDER = /\b(?:cd|chdir|pushd|popd|eval|source|autocd)\b|[$`]|(?:^|[\s;&|({])\.\s/;

/** Returns a function that tells whether a step may leave the shell in a folder, given with links resolved. */
function foldersAfter(step: CommandStep | undefined, inBackground: boolean): (folder: string) => boolean {
  if (step === undefined || inBackground || !CHANGES_FOLDER.test(step.command)) return nowhere;
  if (step.endsIn === undefined) return () => true;
  const folders = new Set(step.endsIn.map(realpath));
  return (folder) => folders.has(folder);
}

const nowhere = (): boolean => false;

/** Another folder that takes its place at the same path is another place. */
function placeOf(cwd: string): string {
  const real = realpath(cwd);
  return `${folderIdentity(real)?.ino ?? ''} ${real}`;
}

/**
 * Known secrets are not removed for a command that the user typed, or that names `.env` and was approved by the user or
 * by a rule that names it, too: then its content is what they want to see.
 */
async function redactorFor(
  { command }: BashInput,
  { root, cwd }: ToolContext,
  grant: Grant,
  deps: BashDeps,
): Promise<TextRedactor | undefined> {
  const { basis, rule } = grant;
  // matches a file, not `process.env`
  const names = (text: string): boolean => /(?<![\w)\]}])\.env\b/.test(text);
  const wantsContent = names(command) && (basis === 'user' || (basis === 'rule' && names(rule?.text ?? '')));
  const secrets = wantsContent || basis === 'own' ? [] : (deps.knownSecrets?.([root, cwd()]) ?? []);
  const unapproved = await redactorOfUnapproved(grant, deps.openRedactor);
  return redactInTurn([
    ...(secrets.length > 0 ? [createValueRedactor(secrets)] : []),
    ...(unapproved ? [unapproved] : []),
  ]);
}

/**
 * Asks about a host while the command waits for the connection; never asks in sessions without a user to answer. Adds
 * denied hosts to `declined`.
 */
function askHostWith(
  { confirm }: ToolContext,
  command: string,
  signal: AbortSignal,
  declined: Set<string>,
): Pick<CommandRequest, 'askHost'> {
  if (confirm === undefined) return {};
  return {
    askHost: async (host, port, verdict) => {
      const isAllowed = await confirm({
        title: `Connect to ${host}`,
        preview: { type: 'text', text: `${command}\n\nwants to connect to ${host}, port ${port}.` },
        reason: 'The sandbox lets commands reach only the hosts that you allow.',
        domain: host,
        verdict,
        signal,
      });
      if (!isAllowed && !signal.aborted) declined.add(`${host}:${port}`);
      return isAllowed;
    },
  };
}

function firstOf(run: RunningCommand, patienceMs: number, context: ToolContext): Promise<First> {
  const { signal, offerBackground } = context;
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle('timeout'), patienceMs);
    const onAbort = (): void => settle('aborted');
    const settle = (end: First): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      takeBack?.();
      resolve(end);
    };
    const takeBack = offerBackground?.(() => settle('moved'));
    signal.addEventListener('abort', onAbort);
    void run.finished.then(settle);
    if (signal.aborted) onAbort();
  });
}

/** If the working directory was deleted, falls back to the project root. */
async function ensureCwd(context: ToolContext): Promise<string[]> {
  const directory = context.cwd();
  if (await isDirectory(directory)) return [];
  context.setCwd(context.root);
  return [`(The working directory ${directory} no longer exists; this ran in ${context.root}.)`];
}
