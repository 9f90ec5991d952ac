/** The hooks of one session: chooses those that match an event, runs them in parallel, and records their last runs. */
import { resolve } from 'node:path';
import {
  type CallBack,
  type CallTool,
  type FileEvent,
  type HookAnswer,
  type HookCall,
  type HookDefinition,
  type HookEvent,
  type HookPlugin,
  type HookPort,
  type HookProgress,
  type HookRun,
  type HookSource,
  type HookStatus,
  inPlugin,
  type JudgeHook,
  noAnswer,
} from '../protocol/extensions/hooks.ts';
import type { Access } from '../protocol/permissions.ts';
import { projectVariables, type SettingsPrograms } from '../protocol/settingsPrograms.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import { combine, type FinishedHook } from './combine.ts';
import { isEcho, mayEchoGrants } from './echo.ts';
import { FileWatcher } from './FileWatcher.ts';
import { compileMatcher, type Matcher } from './match.ts';
import { type HookOutput, type HookVerdict, readOutput } from './readOutput.ts';
import { runCallback } from './runCallback.ts';
import { runCommand } from './runCommand.ts';
import { type HookFetch, runHttp } from './runHttp.ts';
import { runJudge } from './runJudge.ts';
import { runTool } from './runTool.ts';
import { createVariableFile } from './variables.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
/** Hooks in the background at the same time; more are not started. */
const MAX_ASYNC = 20;
/** Characters of the output that are kept for display and for programs that drive this one. */
const MAX_SHOWN = 10_000;

export interface HookRunnerDeps {
  /** The folder that commands start in, and that CLAUDE_PROJECT_DIR names. */
  readonly root: string;
  /** The environment of commands, without this program's keys. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of the shell. */
  readonly shell: string;
  readonly fetch: HookFetch;
  /** The folder for the files in which hooks set variables. */
  readonly variableFolder: string;
  /** For hooks of type `callback`; absent if no program drives this one. */
  readonly callBack?: CallBack | undefined;
  /** For hooks of type `prompt` and `agent`. */
  readonly judge?: JudgeHook | undefined;
  /** For hooks of type `mcp_tool`. */
  readonly callTool?: CallTool | undefined;
  /** How commands must be started now; absent = with the user's rights. */
  readonly programs?: SettingsPrograms | undefined;
  /** Why the hooks of a plugin must not run now; absent = there are none. */
  readonly pluginProblem?: ((name: string) => Promise<string | undefined>) | undefined;
  /** True if a permission rule covers a call, or a part of it. */
  readonly covers: (rule: string, tool: string, access: Access) => Promise<boolean>;
  readonly newId: () => string;
  readonly now: () => number;
}

interface Known {
  /** As configured. */
  readonly given: HookSource;
  /** The same, or with the reason why it cannot run. */
  readonly source: HookSource;
  readonly label: string;
  /** Undefined if the expression is invalid. */
  readonly matches: Matcher | undefined;
  last: HookRun | undefined;
  runs: number;
  /** The variables for commands that its last run has set. */
  variables?: Readonly<Record<string, string>>;
}

/** Characters of a problem with advice for the user. */
const MAX_PROBLEM = 800;

export class HookRunner implements HookPort {
  readonly #deps: HookRunnerDeps;
  #hooks: readonly Known[] = [];
  readonly #background = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #watcher: FileWatcher | undefined;

  constructor(sources: readonly HookSource[], deps: HookRunnerDeps) {
    this.#deps = deps;
    this.replace(sources);
  }

  /** Replaces the hooks. Those that stay keep their records; running hooks are not stopped. */
  replace(sources: readonly HookSource[]): void {
    const before = new Map(this.#hooks.map((one) => [JSON.stringify(one.given), one]));
    this.#hooks = sources.map((given) => {
      const known = before.get(JSON.stringify(given));
      if (known !== undefined) return known;
      const { hook } = given;
      const matches = compileMatcher(hook.matcher);
      const invalid = 'its matcher is not a regular expression';
      return {
        given,
        source: matches === undefined ? { ...given, ignored: given.ignored ?? invalid } : given,
        label: visibleLine(labelOf(hook), 200),
        matches,
        last: undefined,
        runs: 0,
      };
    });
  }

  has(event: HookEvent): boolean {
    return this.#hooks.some((one) => one.source.hook.event === event && canRun(one));
  }

  async run(
    call: HookCall,
    signal: AbortSignal,
    onProgress: (progress: HookProgress) => void = () => undefined,
  ): Promise<HookAnswer> {
    // Another call may have started a hook that runs once in the meantime.
    const hooks = (await this.#matching(call)).filter(canRun);
    if (hooks.length === 0 || this.#closing.signal.aborted) return noAnswer;
    const until = AbortSignal.any([signal, this.#closing.signal]);
    const finished = await Promise.all(
      hooks.map(async (one): Promise<FinishedHook | undefined> => {
        one.runs++;
        if (one.source.hook.isAsync !== true) return this.#runOne(one, call, until, onProgress);
        this.#runLater(one, call);
        return undefined;
      }),
    );
    return combine(finished.filter((one) => one !== undefined));
  }

  list(): readonly HookStatus[] {
    return this.#hooks.map(({ source, label, last, runs }) => ({
      ...source,
      label,
      runs,
      ...(last && { last }),
    }));
  }

  watch(
    { cwd, paths }: { readonly cwd: string; readonly paths: readonly string[] },
    onChange: (event: FileEvent) => void,
  ): void {
    if (!this.has('FileChanged') || this.#closing.signal.aborted) {
      this.#watcher?.close();
      return;
    }
    const named = this.#hooks.flatMap((one) =>
      one.source.hook.event === 'FileChanged' && canRun(one) ? namesIn(one.source.hook.matcher) : [],
    );
    this.#watcher ??= new FileWatcher((event) => onChange(event));
    this.#watcher.watch([...new Set([...named.map((name) => resolve(cwd, name)), ...paths])]);
  }

  variables(): Readonly<Record<string, string>> {
    return Object.assign({}, ...this.#hooks.map((one) => one.variables));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#watcher?.close();
    await Promise.all(this.#background);
  }

  /** Hooks that match, identical ones once. */
  async #matching({ event, subject, access }: HookCall): Promise<readonly Known[]> {
    const seen = new Set<string>();
    const found: Known[] = [];
    for (const one of this.#hooks) {
      const { hook, plugin } = one.source;
      if (hook.event !== event || !canRun(one) || one.matches?.(subject) !== true) continue;
      const { event: _, matcher: __, ...content } = hook;
      // The same command of two plugins runs in two folders.
      const id = JSON.stringify([content, plugin?.name]);
      if (seen.has(id)) continue;
      if (hook.rule !== undefined && access !== undefined && !(await this.#covers(hook.rule, access)))
        continue;
      seen.add(id);
      found.push(one);
    }
    return found;
  }

  /** A rule that cannot be checked does not keep a hook from running: it may be there to block. */
  async #covers(rule: string, { tool, access }: NonNullable<HookCall['access']>): Promise<boolean> {
    return this.#deps.covers(rule, tool, access).catch(() => true);
  }

  async #runOne(
    one: Known,
    call: HookCall,
    signal: AbortSignal,
    onProgress: (progress: HookProgress) => void,
  ): Promise<FinishedHook> {
    const { source, label } = one;
    const { event, subject } = call;
    const head = {
      id: this.#deps.newId(),
      event,
      name: subject === undefined ? event : `${event}:${visibleLine(subject, 100)}`,
      label,
    };
    onProgress({ type: 'started', ...head });
    const started = this.#deps.now();
    const output = await this.#execute(one, call, signal);
    const own = withoutGrants(source, output, strict(source, advised(event, output)));
    const verdict = withoutEchoes(source, call, own);
    const run: HookRun = {
      ...head,
      source: source.source,
      outcome: verdict.outcome,
      ...(verdict.problem === undefined ? {} : { problem: visibleLine(verdict.problem, MAX_PROBLEM) }),
      durationMs: this.#deps.now() - started,
      ...(output.exitCode === undefined ? {} : { exitCode: output.exitCode }),
      stdout: output.stdout.slice(0, MAX_SHOWN).toWellFormed(),
      stderr: output.stderr.slice(0, MAX_SHOWN).toWellFormed(),
    };
    one.last = run;
    onProgress({ type: 'ended', run });
    return { run, verdict, isManaged: source.scope === 'managed' };
  }

  #runLater(one: Known, call: HookCall): void {
    if (this.#background.size >= MAX_ASYNC) return;
    const work = this.#runOne(one, call, this.#closing.signal, () => undefined);
    this.#background.add(work);
    void work.finally(() => this.#background.delete(work));
  }

  async #execute(one: Known, call: HookCall, signal: AbortSignal): Promise<HookOutput> {
    const { hook, plugin } = one.source;
    const { root, env: ownEnv, shell, fetch, callBack, pluginProblem } = this.#deps;
    const problem = plugin && (await pluginProblem?.(plugin.name));
    if (problem !== undefined) return { stdout: '', stderr: '', isCut: false, problem };
    const env = plugin === undefined ? ownEnv : { ...ownEnv, ...pluginVariables(plugin) };
    const ownMs = hook.timeoutSeconds === undefined ? undefined : hook.timeoutSeconds * 1000;
    const timeoutMs = ownMs ?? call.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    if (hook.type === 'callback')
      return runCallback({ id: hook.id, input: call.input, timeoutMs }, callBack, signal);
    if (hook.type === 'mcp_tool')
      return runTool({ ...hook, input: call.input, timeoutMs }, this.#deps.callTool, signal);
    const input = JSON.stringify(call.input);
    if (hook.type === 'http') return runHttp({ ...hook, input, env, timeoutMs }, fetch, signal);
    if (hook.type !== 'command') return runJudge({ hook, call, timeoutMs }, this.#deps.judge, signal);
    const variables = {
      ...{ ...projectVariables(root), CLAWDCODE: '1' },
      ...(call.effort !== undefined && { CLAUDE_EFFORT: call.effort }),
    };
    const ownVariables = { ...env, ...variables };
    const words = plugin === undefined ? hook : inPlugin(hook, plugin);
    const isOfFolder = one.source.scope === 'project' || one.source.scope === 'local';
    const run = await this.#deps.programs?.admit({
      ...{ role: 'hook', command: words.command, args: words.args, cwd: root, env: ownVariables, signal },
      ofFolder: isOfFolder ? { command: hook.command, args: hook.args } : undefined,
    });
    if (run?.type === 'held') {
      const { problem, isUnasked } = run;
      return { stdout: '', stderr: '', isCut: false, problem, ...(isUnasked && { leftToUser: problem }) };
    }
    if (run?.type === 'confined') {
      const given = { ...words, input, cwd: root, env: ownVariables, shell, timeoutMs, confined: run };
      const output = await runCommand(given, signal);
      const advice = run.advice(`${output.stdout}\n${output.stderr}`, output.exitCode ?? 1);
      return { ...output, isConfined: true, advice };
    }
    const startsWith = run?.env ?? ownVariables;
    // A subagent's folder is not the one that the variables of the session are for.
    const maySet = setsVariables.has(call.event) && !('agent_id' in call.input);
    const file = maySet ? await this.#variableFile() : undefined;
    const output = await runCommand(
      {
        ...{ ...words, input, cwd: root, shell, timeoutMs },
        env: { ...startsWith, ...(file && { CLAUDE_ENV_FILE: file.path }) },
      },
      signal,
    );
    if (file !== undefined) one.variables = await file.read({ shell, cwd: root, env: startsWith }, signal);
    return output;
  }

  #variableFile(): ReturnType<typeof createVariableFile> {
    return createVariableFile(this.#deps.variableFolder, this.#deps.newId());
  }
}

/** Events whose hooks may set variables for commands, as in Claude Code. */
const setsVariables: ReadonlySet<HookEvent> = new Set(['SessionStart', 'CwdChanged', 'FileChanged']);

/** The files that a matcher of `FileChanged` names: `.envrc|.env`. One with other signs of an expression names none. */
function namesIn(matcher: string): string[] {
  const names = matcher.split('|').map((name) => name.trim());
  return names.filter((name) => name !== '' && !/[*?()[\]{}\\^$+]/.test(name));
}

function labelOf(hook: HookDefinition): string {
  switch (hook.type) {
    case 'command':
      return [hook.command, ...(hook.args ?? [])].join(' ');
    case 'http':
      return hook.url;
    case 'prompt':
    case 'agent':
      return `${hook.type}: ${hook.prompt}`;
    case 'mcp_tool':
      return `${hook.server}: ${hook.tool}`;
    case 'callback':
      return `function ${hook.id}`;
  }
}

/** A program in a plugin's folder must not change it by running: Python stores what it has compiled. */
function pluginVariables({ folder, data }: HookPlugin): Record<string, string> {
  return { CLAUDE_PLUGIN_ROOT: folder, CLAUDE_PLUGIN_DATA: data, PYTHONDONTWRITEBYTECODE: '1' };
}

function canRun({ source: { hook, ignored }, runs }: Known): boolean {
  return ignored === undefined && !(hook.isOnce === true && runs > 0);
}

/**
 * Adds what the user can do about a hook that failed in the sandbox. A hook that may guard calls and could not judge one,
 * because it was not run without the user being asked, failed in the sandbox or has no server, leaves the decision to the
 * user: otherwise one change of a file would switch it off.
 */
function advised(event: HookEvent, output: HookOutput): HookVerdict {
  const verdict = readOutput(event, output);
  const { advice, leftToUser } = output;
  if (event === 'PreToolUse' && leftToUser !== undefined)
    return { ...verdict, permission: { behavior: 'ask', reason: leftToUser } };
  if (advice === undefined) return verdict;
  if (verdict.outcome === 'failed') {
    const failure = `${verdict.problem ?? 'it failed'}. ${advice}`;
    const reason = `A hook that may guard this call failed: ${failure}`;
    return {
      ...{ ...verdict, problem: failure },
      ...(event === 'PreToolUse' && { permission: { behavior: 'ask', reason } }),
    };
  }
  // make and tsc end with exit code 2 for any failure.
  if (verdict.outcome !== 'blocked' || verdict.block === undefined || output.exitCode !== 2) return verdict;
  return { ...verdict, block: `${verdict.block}\n(${advice})` };
}

/**
 * A tool may repeat what the model wrote, and what runs in the sandbox may be the model's code. So its verdict can deny a
 * call or require approval, but neither allow a call nor change its input.
 */
function withoutGrants({ hook }: HookSource, { isConfined }: HookOutput, verdict: HookVerdict): HookVerdict {
  if (hook.type !== 'mcp_tool' && isConfined !== true) return verdict;
  const { permission, updatedInput: _, ...rest } = verdict;
  return permission === undefined || permission.behavior === 'allow' ? rest : { ...rest, permission };
}

/**
 * A hook that logs its input prints what the model wrote, so a decision in it may be the model's own. A call that a hook
 * would have changed does not simply run as it is, either: mentioning a word must not switch the hook off.
 */
function withoutEchoes(source: HookSource, call: HookCall, verdict: HookVerdict): HookVerdict {
  const { type } = source.hook;
  if (type !== 'command' && type !== 'http') return verdict;
  return withoutEchoedGrants(call, withoutEchoedTexts(call, verdict));
}

function withoutEchoedGrants({ event, input }: HookCall, verdict: HookVerdict): HookVerdict {
  const { permission, updatedInput, ...rest } = verdict;
  if (permission?.behavior !== 'allow' && updatedInput === undefined) return verdict;
  if (!mayEchoGrants(input)) return verdict;
  const reason =
    'Its "allow" or changed input was ignored: the call itself contains one, which the hook may only repeat.';
  const asks = event === 'PreToolUse' ? { behavior: 'ask' as const, reason } : undefined;
  const kept = permission === undefined || permission.behavior === 'allow' ? asks : permission;
  return withWarning({ ...rest, ...(kept && { permission: kept }) }, reason);
}

/** A text of a web page or a file must not reach the model, or the user, as the hook's. */
function withoutEchoedTexts({ event, input }: HookCall, verdict: HookVerdict): HookVerdict {
  const { context, message, updatedOutput, watchPaths, ...rest } = verdict;
  const echoed = {
    context:
      context !== undefined &&
      (isEcho(input, 'additionalContext', context) ||
        // Then it may say that the model may try again.
        (event === 'PermissionDenied' && isEcho(input, 'retry', 'true'))),
    message: message !== undefined && isEcho(input, 'systemMessage', message),
    updatedOutput:
      updatedOutput !== undefined &&
      ['updatedToolOutput', 'updatedMCPToolOutput'].some((field) => isEcho(input, field, updatedOutput)),
    watchPaths: watchPaths?.some((path) => isEcho(input, 'watchPaths', path)) === true,
  };
  if (!Object.values(echoed).includes(true)) return verdict;
  return withWarning(
    {
      ...rest,
      ...(context !== undefined && !echoed.context && { context }),
      ...(message !== undefined && !echoed.message && { message }),
      ...(updatedOutput !== undefined && !echoed.updatedOutput && { updatedOutput }),
      ...(watchPaths !== undefined && !echoed.watchPaths && { watchPaths }),
    },
    'A text in its answer was ignored: its input contains the same, which the hook may only repeat.',
  );
}

const withWarning = (verdict: HookVerdict, warning: string): HookVerdict => ({
  ...verdict,
  message: verdict.message === undefined ? warning : `${warning}\n${verdict.message}`,
});

/** A failure of a hook with `onFailure: block` counts as exit code 2. */
function strict({ hook }: HookSource, verdict: HookVerdict): HookVerdict {
  if (hook.blocksOnFailure !== true || verdict.outcome !== 'failed') return verdict;
  const stderr = `The hook failed: ${verdict.problem ?? 'no reason'}.`;
  return readOutput(hook.event, { exitCode: 2, stdout: '', stderr, isCut: false });
}
