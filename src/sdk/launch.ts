/** From options to how the program is started: arguments, environment and first message. Pure. */
import { randomUUID } from 'node:crypto';
import type { HookGroup } from './api/options.ts';
import type { CheckedOptions } from './checkOptions.ts';
import { TOOL_SERVER } from './toolServer.ts';

interface Launch {
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The `initialize` request; undefined if there is nothing to set up. */
  readonly opening: Readonly<Record<string, unknown>> | undefined;
  /** Undefined if only the program knows it. */
  readonly sessionId: string | undefined;
}

/** `hostEnv`: the environment of this process. */
export function launchOf(
  options: CheckedOptions,
  hostEnv: Readonly<Record<string, string | undefined>>,
): Launch {
  const isNew = options.resume === undefined;
  const sessionId = isNew ? (options.sessionId ?? randomUUID()) : undefined;
  const { home, apiKey } = options;
  const variables = {
    ...hostEnv,
    ...options.env,
    ...(home === undefined ? {} : { CLAWDCODE_HOME: home }),
    // Not a flag: those are visible to other users of the machine.
    ...(apiKey === undefined ? {} : { OPENAI_API_KEY: apiKey }),
  };
  const env = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    argv: argumentsOf(options, sessionId),
    cwd: options.cwd,
    env: Object.fromEntries(env),
    opening: openingOf(options),
    sessionId,
  };
}

function argumentsOf(options: CheckedOptions, sessionId: string | undefined): readonly string[] {
  // In this form, a value cannot be mistaken for a flag.
  const one = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`--${name}=${value}`];
  const flag = (name: string, isOn: boolean | undefined): string[] => (isOn === true ? [`--${name}`] : []);
  const each = (name: string, values: readonly string[] = []): string[] =>
    values.flatMap((value) => one(name, value));
  const allowed = options.tools.flatMap(({ name, allow }) =>
    allow === true ? [`mcp__${TOOL_SERVER}__${name}`] : [],
  );
  return [
    ...['--input-format=stream-json', '--output-format=stream-json'],
    ...one('model', options.model),
    ...one('fallback-model', options.fallbackModels?.join(',')),
    ...one('effort', options.effort),
    ...one('base-url', options.baseUrl),
    ...one('session-id', sessionId),
    ...one('resume', options.resume),
    ...flag('fork-session', options.fork),
    ...flag('no-session-persistence', options.persist === false),
    ...one('tools', options.builtinTools?.join(',')),
    ...each('allowed-tools', [...(options.allowedTools ?? []), ...allowed]),
    ...each('disallowed-tools', options.disallowedTools),
    ...one('permission-mode', options.permissionMode),
    ...one('permission-prompt-tool', options.canUseTool && 'stdio'),
    ...one('setting-sources', options.settingSources?.join(',')),
    ...each('add-dir', options.additionalDirectories),
    ...one('max-turns', options.maxTurns),
    ...one('max-budget-usd', options.maxBudgetUsd),
    ...flag('include-partial-messages', options.partialMessages),
  ];
}

function openingOf(options: CheckedOptions): Launch['opening'] {
  const { systemPrompt, title, hooks, mcpServers, agents, settings, jsonSchema, tools } = options;
  const fields = {
    systemPrompt: typeof systemPrompt === 'string' ? systemPrompt : undefined,
    appendSystemPrompt: typeof systemPrompt === 'object' ? systemPrompt.append : undefined,
    hooks: hooks && hooksOnWire(hooks),
    sdkMcpServers: tools.length === 0 ? undefined : [TOOL_SERVER],
    ...{ title, mcpServers, agents, settings, jsonSchema },
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Each hook by the id under which it is called. */
export function hooksById(
  hooks: CheckedOptions['hooks'] = {},
): ReadonlyMap<string, HookGroup['hooks'][number]> {
  const all = Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks));
  return new Map(all.map((hook, index) => [`hook_${index}`, hook]));
}

function hooksOnWire(hooks: NonNullable<CheckedOptions['hooks']>): object {
  let next = 0;
  const groupOf = ({ matcher, timeoutSeconds, onFailure, hooks: of }: HookGroup): object => ({
    matcher,
    timeout: timeoutSeconds,
    onFailure: onFailure === 'block' ? onFailure : undefined,
    hookCallbackIds: of.map(() => `hook_${next++}`),
  });
  return Object.fromEntries(Object.entries(hooks).map(([event, groups]) => [event, groups.map(groupOf)]));
}

/** A running program with stream-json on its pipes: a process, or a part of this one. */
export interface Transport {
  /** Writes one line, without its ending. Never throws; what is written after the end is lost. */
  write(line: string): void;
  /** Closes the program's input: it runs the prompts that it has, and ends. */
  endInput(): void;
  /** Ends it soon, even if it is busy; its session is saved. */
  stop(): void;
  /** Complete lines. Ends before `ended` resolves; never rejects. */
  readonly lines: AsyncIterable<string>;
  /** Never rejects. */
  readonly ended: Promise<ProgramEnd>;
}

export interface ProgramEnd {
  /** Undefined if it could not be started, or was killed. */
  readonly exitCode: number | undefined;
  /** Why there is no exit code. */
  readonly problem?: string;
  /** The last of what it wrote to standard error. */
  readonly stderr: string;
}

/** Starts the program. `onWarning` gets what it writes to standard error. */
export type Connect = (
  launch: Pick<Launch, 'argv' | 'cwd' | 'env'>,
  onWarning: (text: string) => void,
) => Transport;
