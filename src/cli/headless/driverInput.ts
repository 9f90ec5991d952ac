/** Standard input of a session that another program drives: the messages, of which the first is read in advance. */
import * as z from 'zod';
import { hooksThatRun } from '../../config/hooks.ts';
import { candidateServers } from '../../config/mcpServers.ts';
import type { LoadedSettings } from '../../config/types.ts';
import {
  type DriverMessage,
  inputLines,
  malformed,
  parseDriverLine,
} from '../../headless/driver/driverMessages.ts';
import { type DriverSetup, readSetup } from '../../headless/driver/initialize.ts';
import { toolNameOf } from '../../mcp/offeredTools.ts';
import type { CliOptions } from '../options.ts';

export interface DriverInput {
  /** The first valid message; undefined if the driver closed its side without one. */
  readonly first: DriverMessage | undefined;
  readonly setup: DriverSetup;
  /** All messages, `first` included. */
  readonly messages: AsyncIterable<DriverMessage>;
}

/** Waits for the first message, which may set the session's system prompt. */
export async function openDriverInput(stdin: AsyncIterable<Uint8Array>): Promise<DriverInput> {
  const rest = messagesOf(stdin);
  const ignored: DriverMessage[] = [];
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    const first = checked(next.value);
    if (first.type !== 'ignored')
      return { first, setup: readSetup(first), messages: following([...ignored, first], rest) };
    ignored.push(first);
    // An endless stream of meaningless lines must not fill the memory.
    if (ignored.length > MAX_IGNORED) ignored.shift();
  }
  return { first: undefined, setup: readSetup(undefined), messages: following(ignored, rest) };
}

const MAX_IGNORED = 20;

/** Never throws: a read error is a message, because the first one is awaited before there is a session. */
async function* messagesOf(stdin: AsyncIterable<Uint8Array>): AsyncGenerator<DriverMessage, void, undefined> {
  try {
    for await (const line of inputLines(stdin)) yield parseDriverLine(line);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    yield { type: 'malformed', problem: `standard input cannot be read: ${why}.` };
  }
}

async function* following(
  read: readonly DriverMessage[],
  rest: AsyncGenerator<DriverMessage, void, undefined>,
): AsyncGenerator<DriverMessage, void, undefined> {
  yield* read;
  yield* rest;
}

const initialize = z.object({
  systemPrompt: z.union([z.string(), z.array(z.string())]).nullish(),
  appendSystemPrompt: z.string().nullish(),
  agents: z.record(z.string(), z.unknown()).nullish(),
  title: z.string().max(1000).nullish(),
  jsonSchema: z.record(z.string(), z.unknown()).nullish(),
  settings: z.record(z.string(), z.unknown()).nullish(),
  disallowedTools: z.array(z.string()).nullish(),
  mcpServers: z.record(z.string(), z.unknown()).nullish(),
  skills: z.array(z.string()).nullish(),
  plugins: z
    .array(
      z.looseObject({ type: z.literal('local'), path: z.string(), skipMcpDiscovery: z.boolean().nullish() }),
    )
    .nullish(),
});

/** An `initialize` request with an invalid option: without the option, the session would be a different one. */
function checked(first: DriverMessage): DriverMessage {
  if (first.type !== 'request' || first.request.subtype !== 'initialize') return first;
  const parsed = initialize.safeParse(first.request.fields);
  return parsed.success ? first : malformed('the "initialize" request', parsed.error);
}

/** Applies the options of the first message, which can do no more than the flags of the same names. */
export function withInitialize(options: CliOptions, { setup }: DriverInput): CliOptions {
  if (setup.request === undefined) return options;
  const given = initialize.parse(setup.request.fields);
  const { systemPrompt, appendSystemPrompt, agents, title, jsonSchema, settings, mcpServers } = given;
  const { disallowedTools, skills, plugins } = given;
  const foldersOf = (withoutMcp: boolean): readonly string[] =>
    (plugins ?? []).flatMap((one) => ((one.skipMcpDiscovery === true) === withoutMcp ? one.path : []));
  // The SDKs send an empty prompt if their caller gave none.
  const system = [systemPrompt ?? ''].flat().join('\n\n').trim();
  const appended = [options.appendSystemPrompt ?? '', appendSystemPrompt ?? '']
    .filter((text) => text.trim() !== '')
    .join('\n\n');
  return {
    ...options,
    ...(system === '' ? {} : { systemPrompt: system }),
    ...(appended === '' ? {} : { appendSystemPrompt: appended }),
    ...(agents == null || Object.keys(agents).length === 0
      ? {}
      : { agents: options.agents ?? JSON.stringify(agents) }),
    ...(jsonSchema == null ? {} : { jsonSchema: options.jsonSchema ?? JSON.stringify(jsonSchema) }),
    ...(title == null ? {} : { name: options.name ?? title }),
    // Unlike flags, these are not visible to other users of the machine: they may hold keys.
    ...(settings == null ? {} : { settings: options.settings ?? JSON.stringify(settings) }),
    disallowedTools: [...options.disallowedTools, ...(disallowedTools ?? [])],
    pluginDir: [...options.pluginDir, ...foldersOf(false)],
    pluginDirNoMcp: [...options.pluginDirNoMcp, ...foldersOf(true)],
    ...(skills == null ? {} : { skills }),
    ...(mcpServers == null ? {} : { mcpConfig: [...options.mcpConfig, JSON.stringify({ mcpServers })] }),
  };
}

/** Adds the driver's hooks and servers; its hooks apply like those of flags, so managed settings may turn them off. */
export function withHost(loaded: LoadedSettings, { setup }: DriverInput, root: string): LoadedSettings {
  const { hooks, servers } = setup;
  const rules = servers.rules.map(({ server, tool, behavior }) => ({
    ...{ text: toolNameOf(server, tool), behavior, source: 'the driving program', base: root },
  }));
  return {
    ...loaded,
    hooks: [...loaded.hooks, ...hooksThatRun(hooks.hooks, loaded.settings, true)],
    servers: candidateServers([...loaded.servers, ...servers.servers], false),
    rules: [...loaded.rules, ...rules],
  };
}
