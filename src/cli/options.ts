/** The command line: parses flags into plain options. commander is loaded only if there are arguments. */
import type { SessionTarget } from '../agent/types.ts';
import type { SettingSource } from '../config/flags.ts';
import { nearest } from '../config/nearest.ts';
import {
  type ThinkingBudget,
  type ThinkingDisplay,
  type ThinkingOptions,
  thinkingOptions,
} from '../protocol/models/wires.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import type { SandboxMode } from '../protocol/sandbox.ts';
import { reveal } from '../protocol/text/reveal.ts';

export interface CliOptions {
  readonly prompt: string | undefined;
  readonly print: boolean;
  readonly continue: boolean;
  /** An id, the beginning of one, or a title; `true` opens the picker. */
  readonly resume: string | true | undefined;
  /** With `continue` or `resume`: continue in a copy. */
  readonly forkSession: boolean;
  /** With `resume`: the uuid of the last message to continue from. */
  readonly resumeSessionAt: string | undefined;
  /** The user's title for the session. */
  readonly name: string | undefined;
  readonly sessionId: string | undefined;
  /** False: the session is kept in memory only; with `print`. */
  readonly sessionPersistence: boolean;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  /** The model's token budget for reasoning, and whether it shows its reasoning. */
  readonly thinking: ThinkingOptions;
  readonly fallbackModel: readonly string[] | undefined;
  readonly baseUrl: string | undefined;
  readonly permissionMode: PermissionMode | undefined;
  readonly sandbox: SandboxMode | undefined;
  readonly maxTurns: number | undefined;
  /** In US dollars; with `print`. */
  readonly maxBudgetUsd: number | undefined;
  /** The JSON schema of the final answer, or a file with it; with `print`. */
  readonly jsonSchema: string | undefined;
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  /** `stream-json`: another program drives the session over standard input. */
  readonly inputFormat: 'text' | 'stream-json';
  /** With `inputFormat` stream-json: repeat each prompt in the output. */
  readonly replayUserMessages: boolean;
  /**
   * Decides about calls that need approval: `stdio` = the program that drives the session; otherwise the tool of an MCP
   * server, `mcp__server__tool`.
   */
  readonly permissionPromptTool: string | undefined;
  /** `none`: calls that need approval are denied, even if something could approve them. */
  readonly permissionPrompts: 'host' | 'none';
  /** That program may later switch to mode `bypassPermissions`. */
  readonly allowBypass: boolean;
  readonly includePartialMessages: boolean;
  readonly includeHookEvents: boolean;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly appendSystemPrompt: string | undefined;
  /** Replaces the program's own system prompt. */
  readonly systemPrompt: string | undefined;
  readonly systemPromptFile: string | undefined;
  readonly appendSystemPromptFile: string | undefined;
  /** The built-in tools that the model gets; undefined = all. */
  readonly tools: readonly string[] | undefined;
  /** The names of the skills that the model is offered; undefined = all. No flag sets them, only a driving program. */
  readonly skills: readonly string[] | undefined;
  /** Additional settings: a file or JSON text. */
  readonly settings: string | undefined;
  readonly settingSources: readonly SettingSource[] | undefined;
  /** Run in this directory. */
  readonly directory: string | undefined;
  readonly addDirs: readonly string[];
  /** Files with MCP servers, or JSON text. */
  readonly mcpConfig: readonly string[];
  /** Use only the MCP servers of `mcpConfig`. */
  readonly strictMcpConfig: boolean;
  /** Definitions of subagents as JSON. */
  readonly agents: string | undefined;
  /** The definition that the session itself follows. */
  readonly agent: string | undefined;
  /** Folders of plugins for this run, which need no approval. */
  readonly pluginDir: readonly string[];
  /** The same, without their MCP servers. */
  readonly pluginDirNoMcp: readonly string[];
  readonly contextWindow: number | undefined;
  /** Without what users and repositories add: instructions, memories, hooks, skills, subagents, plugins, MCP servers. */
  readonly safeMode: boolean;
  /** Use plain mode. */
  readonly screenReader: boolean;
  readonly debug: boolean;
  /** Write the debug log to this file. */
  readonly debugFile: string | undefined;
  readonly demo: boolean;
}

/** The result of parsing: options for a run, or output and an exit code. */
type Parsed =
  | { readonly type: 'run'; readonly options: CliOptions }
  | { readonly type: 'exit'; readonly code: number; readonly stdout: string; readonly stderr: string };

/** Parses the arguments after the program's name; `version` is printed by `--version`. */
export async function parseArguments(argv: readonly string[], version: string): Promise<Parsed> {
  // The usual start does not wait for commander.
  if (argv.length === 0) return { type: 'run', options: optionsOf({}, []) };
  const [{ CommanderError }, { createProgram }] = await Promise.all([
    import('commander'),
    import('./program.ts'),
  ]);
  let stdout = '';
  let stderr = '';
  const program = createProgram(version).configureOutput({
    writeOut: (text) => {
      stdout += text;
    },
    writeErr: (text) => {
      stderr += text;
    },
    outputError: (message, write) => write(withoutFarSuggestion(message)),
    getOutHelpWidth: () => 110,
  });

  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { type: 'exit', code: error.exitCode === 0 ? 0 : 42, stdout, stderr: reveal(stderr) };
  }
  const given = program.opts<Given>();
  const mistake = mistakeIn(given, program.args);
  if (mistake !== undefined) return { type: 'exit', code: 42, stdout: '', stderr: `error: ${mistake}\n` };
  return { type: 'run', options: optionsOf(given, program.args) };
}

/** Returns why these flags do not go together; undefined if they do. */
function mistakeIn(given: Given, args: readonly string[]): string | undefined {
  if (given.forkSession === true && given.continue !== true && given.resume === undefined)
    return '--fork-session needs --continue or --resume: which session to copy';
  const isDriven = given.inputFormat === 'stream-json';
  if (isDriven && given.outputFormat !== 'stream-json')
    return '--input-format stream-json needs --output-format stream-json';
  if (isDriven && args.length > 0)
    return 'with --input-format stream-json, prompts come from standard input; leave out the argument';
  if (given.replayUserMessages === true && !isDriven)
    return '--replay-user-messages needs --input-format stream-json';
  if (given.print !== true && !isDriven) {
    if (given.jsonSchema !== undefined) return '--json-schema needs -p';
    if (given.maxBudgetUsd !== undefined) return '--max-budget-usd needs -p';
    if (given.sessionPersistence === false) return '--no-session-persistence needs -p';
  }
  if (given.sessionPersistence === false && (given.continue === true || given.resume !== undefined))
    return '--no-session-persistence is for new sessions: leave out --continue or --resume';
  if (given.systemPrompt !== undefined && given.systemPromptFile !== undefined)
    return 'use --system-prompt or --system-prompt-file, not both';
  if (given.permissionPromptTool === 'stdio' && !isDriven)
    return '--permission-prompt-tool stdio needs --input-format stream-json';
  if (given.permissionPromptTool !== undefined && given.print !== true && !isDriven)
    return '--permission-prompt-tool needs -p';
  if (
    given.resumeSessionAt !== undefined &&
    (typeof given.resume !== 'string' || (given.print !== true && !isDriven))
  )
    return '--resume-session-at needs -p and --resume with a session';
  if (given.allowDangerouslySkipPermissions === true && !isDriven)
    return '--allow-dangerously-skip-permissions needs --input-format stream-json';
  return undefined;
}

/** Removes commander's suggestion for an unknown flag or command if it is too different from what was typed. */
export function withoutFarSuggestion(message: string): string {
  return message.replace(
    /(unknown (?:option|command) '-*([^']*)')\n\(Did you mean (?:one of )?(.*)\?\)/,
    (whole: string, said: string, typed: string, meant: string) => {
      const names = meant.split(', ').map((name) => name.replace(/^-+/, ''));
      return nearest(typed, names) === undefined ? said : whole;
    },
  );
}

/** The flags as parsed by commander; absent = not given. */
interface Given
  extends Partial<Omit<CliOptions, 'prompt' | 'thinking' | 'addDirs' | 'screenReader' | 'allowBypass'>> {
  readonly addDir?: readonly string[];
  readonly thinking?: 'adaptive' | 'enabled' | 'disabled';
  readonly maxThinkingTokens?: number;
  readonly thinkingDisplay?: ThinkingDisplay;
  readonly axScreenReader?: boolean;
  readonly bare?: boolean;
  readonly yolo?: boolean;
  readonly dangerouslySkipPermissions?: boolean;
  readonly allowDangerouslySkipPermissions?: boolean;
}

function budgetOf({ thinking, maxThinkingTokens }: Given): ThinkingBudget | undefined {
  if (thinking === 'disabled') return 0;
  return maxThinkingTokens ?? (thinking === undefined ? undefined : 'adaptive');
}

function optionsOf(given: Given, args: readonly string[]): CliOptions {
  const prompt = args.join(' ').trim();
  const asksNothing = given.yolo === true || given.dangerouslySkipPermissions === true;
  return {
    prompt: prompt === '' ? undefined : prompt,
    // A driving program may omit -p: over pipes there is no other mode.
    print: given.print === true || given.inputFormat === 'stream-json',
    continue: given.continue === true,
    resume: given.resume,
    forkSession: given.forkSession === true,
    resumeSessionAt: given.resumeSessionAt,
    name: given.name,
    sessionId: given.sessionId,
    sessionPersistence: given.sessionPersistence !== false,
    model: given.model,
    effort: given.effort,
    thinking: thinkingOptions({
      thinkingBudget: budgetOf(given),
      thinkingDisplay: given.thinkingDisplay,
    }),
    fallbackModel: given.fallbackModel,
    baseUrl: given.baseUrl,
    permissionMode: given.permissionMode ?? (asksNothing ? 'bypassPermissions' : undefined),
    sandbox: given.sandbox,
    maxTurns: given.maxTurns,
    maxBudgetUsd: given.maxBudgetUsd,
    jsonSchema: given.jsonSchema,
    outputFormat: given.outputFormat ?? 'text',
    inputFormat: given.inputFormat ?? 'text',
    replayUserMessages: given.replayUserMessages === true,
    permissionPromptTool: given.permissionPromptTool,
    permissionPrompts: given.permissionPrompts ?? 'host',
    allowBypass: given.allowDangerouslySkipPermissions === true,
    includePartialMessages: given.includePartialMessages === true,
    includeHookEvents: given.includeHookEvents === true,
    allowedTools: given.allowedTools ?? [],
    disallowedTools: given.disallowedTools ?? [],
    appendSystemPrompt: given.appendSystemPrompt,
    systemPrompt: given.systemPrompt,
    systemPromptFile: given.systemPromptFile,
    appendSystemPromptFile: given.appendSystemPromptFile,
    tools: given.tools,
    skills: undefined,
    settings: given.settings,
    settingSources: given.settingSources,
    directory: given.directory,
    addDirs: given.addDir ?? [],
    mcpConfig: given.mcpConfig ?? [],
    strictMcpConfig: given.strictMcpConfig === true,
    agents: given.agents,
    agent: given.agent,
    pluginDir: given.pluginDir ?? [],
    pluginDirNoMcp: given.pluginDirNoMcp ?? [],
    contextWindow: given.contextWindow,
    safeMode: given.safeMode === true || given.bare === true,
    screenReader: given.axScreenReader === true,
    debug: given.debug === true || given.debugFile !== undefined,
    debugFile: given.debugFile,
    demo: given.demo === true,
  };
}

/** Returns the session to open; undefined if the user has to pick one: `--resume` without a name. */
export function targetOf(options: CliOptions): SessionTarget | undefined {
  if (options.continue) return withFlags({ type: 'latest' }, options);
  if (options.resume === true) return undefined;
  if (options.resume !== undefined) return withFlags({ type: 'id', id: options.resume }, options);
  const { sessionId } = options;
  return withFlags({ type: 'new', ...(sessionId === undefined ? {} : { sessionId }) }, options);
}

/** Applies `--fork-session` and `--name` to the first session opened, however it was chosen. */
export function withFlags(
  target: SessionTarget,
  { forkSession, name }: Pick<CliOptions, 'forkSession' | 'name'>,
): SessionTarget {
  const title = name?.replace(/\s+/g, ' ').trim();
  return {
    ...target,
    ...(forkSession && target.type !== 'new' ? { mode: 'fork' } : {}),
    ...(title === undefined || title === '' ? {} : { title }),
  };
}
