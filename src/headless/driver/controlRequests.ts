/**
 * Requests from the driving program: each gets exactly one response. It can do what a user at the screen can, no more.
 */
import * as z from 'zod';
import { boundedLines, refusedLines } from '../../agent/rewind/texts.ts';
import type { Agent } from '../../agent/types.ts';
import type { ContextReport } from '../../protocol/contextReport.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { McpServerStatus } from '../../protocol/extensions/mcp.ts';
import { efforts, thinkingDisplays } from '../../protocol/models/wires.ts';
import type { PermissionMode } from '../../protocol/permissions.ts';
import { modelUsage } from '../resultMessage.ts';
import type { Tally } from '../tally.ts';
import type { DriverRequest } from './driverMessages.ts';
import type { HostChannels } from './hostServers.ts';
import { type InitializePorts, initializeResponse, listedModels } from './initialize.ts';
import type { PromptInbox } from './promptInbox.ts';
import { applySettings, commandList, readFile, type SessionPorts, setServers } from './sessionRequests.ts';

export interface ControlPorts extends InitializePorts {
  readonly inbox: PromptInbox;
  readonly channels: Pick<HostChannels, 'deliver'>;
  readonly session: SessionPorts;
  readonly tally: Tally;
  /** Interrupts the running turn. */
  readonly interrupt: () => void;
  /** The model that the session began with. */
  readonly firstModel: string;
  /** Finds a mode by its name or one of its other names. */
  readonly parseMode: (name: string) => PermissionMode | undefined;
  /** The driver may switch to mode `bypassPermissions`: the user started the program with the flag for it. */
  readonly mayBypass: boolean;
  /** The uuid of the entry of a prompt that has this id of the driver. */
  readonly entryOf: (uuid: string) => string | undefined;
}

export type ModePorts = Pick<ControlPorts, 'mayBypass' | 'parseMode'> & {
  readonly host: Pick<ControlPorts['host'], 'agent'>;
};

/** A request that cannot be fulfilled; the message is ready to show. */
class RequestError extends Error {
  /** Set if the subtype is unknown. */
  readonly code: string | undefined;
  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Answers a request; never rejects. */
export async function answerRequest(request: DriverRequest, ports: ControlPorts): Promise<object> {
  const { id } = request;
  try {
    const response = await handle(request, ports);
    return { type: 'control_response', response: { subtype: 'success', request_id: id, response } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof RequestError && error.code !== undefined ? { error_code: error.code } : {};
    return {
      type: 'control_response',
      response: { subtype: 'error', request_id: id, error: message, ...code },
    };
  }
}

async function handle(request: DriverRequest, ports: ControlPorts): Promise<object> {
  const { host, inbox, interrupt } = ports;
  const { agent } = host;
  switch (request.subtype) {
    case 'initialize':
      return initializeResponse(request, ports);
    case 'interrupt': {
      const { cancel_queued } = read(request, { cancel_queued: z.boolean().nullish() });
      const queued = (cancel_queued === true ? inbox.clear() : inbox.waiting()).flatMap(
        ({ uuid }) => uuid ?? [],
      );
      interrupt();
      return cancel_queued === true ? { still_queued: [], cancelled: queued } : { still_queued: queued };
    }
    case 'cancel_async_message': {
      const { message_uuid } = read(request, { message_uuid: z.string() });
      return { cancelled: inbox.cancel(message_uuid) };
    }
    case 'set_permission_mode':
      return setMode(read(request, { mode: z.string() }).mode, ports);
    case 'set_model': {
      const { model } = read(request, { model: z.string().min(1).max(200).regex(/^\S+$/).nullish() });
      const wanted = model == null || model === 'default' ? ports.firstModel : model;
      agent.submit({ type: 'set_model', model: wanted });
      return {};
    }
    case 'set_max_thinking_tokens': {
      const { max_thinking_tokens: tokens, thinking_display: display } = read(request, {
        max_thinking_tokens: z.int().min(0).nullish(),
        thinking_display: z.enum(thinkingDisplays).nullish(),
      });
      // Null is as the session began; absent stays.
      agent.submit({
        type: 'set_thinking',
        ...(tokens === undefined ? {} : { budget: tokens ?? 'default' }),
        ...(display === undefined ? {} : { display: display ?? 'default' }),
      });
      return {};
    }
    case 'list_models':
      return { models: await listedModels(host) };
    case 'get_context_usage':
      await agent.refine();
      return contextResponse(agent.report(), host.mcp?.status() ?? []);
    case 'rewind_files': {
      const fields = { user_message_id: z.string().min(1), dry_run: z.boolean().nullish() };
      const { user_message_id, dry_run } = read(request, fields);
      return rewindFiles(ports.entryOf(user_message_id) ?? user_message_id, dry_run === true, agent);
    }
    case 'mcp_status':
    case 'mcp_reconnect':
    case 'mcp_toggle':
    case 'mcp_set_servers':
    case 'mcp_message':
      return handleMcp(request.subtype, request, ports);
    case 'rename_session': {
      const title = read(request, { title: z.string().max(1000) })
        .title.replace(/\s+/g, ' ')
        .trim();
      if (title === '') throw new RequestError('The title is empty.');
      agent.submit({ type: 'set_title', title });
      return {};
    }
    case 'stop_task':
      agent.submit({ type: 'stop_task', id: read(request, { task_id: z.string() }).task_id });
      return {};
    case 'background_tasks':
      agent.submit({ type: 'background' });
      return {};
    case 'apply_flag_settings': {
      const { settings } = read(request, { settings: flagSettings });
      applySettings(settings, host, ports.session, ports.firstModel);
      return {};
    }
    case 'read_file': {
      const fields = {
        path: z.string().min(1),
        max_bytes: z.int().min(1).nullish(),
        encoding: z.enum(['utf-8', 'base64']).nullish(),
      };
      const { path, max_bytes, encoding } = read(request, fields);
      const found = await readFile(path, encoding ?? 'utf-8', max_bytes ?? undefined, ports.session);
      if (found === undefined) throw new RequestError(`${path.slice(0, 500)} cannot be read.`);
      return found;
    }
    case 'get_usage':
      return usageResponse(ports);
    case 'reload_skills':
      await ports.session.reload();
      return { skills: commandList({ commands: host.commands.filter(({ isPrompt }) => isPrompt === true) }) };
    case 'reload_plugins':
      await ports.session.reload();
      return {
        commands: commandList(host),
        agents: host.agents.agents.map(({ name, description }) => ({ name, description })),
        plugins: [],
        mcpServers: (host.mcp?.status() ?? []).map(serverOf),
        error_count: 0,
      };
    case 'reload_output_styles':
      return { available_output_styles: ['default'] };
    default: {
      const subtype = request.subtype.slice(0, 100);
      throw new RequestError(`Unsupported control request subtype: ${subtype}`, 'unsupported_request');
    }
  }
}

/** Requests about MCP servers. */
async function handleMcp(
  subtype: 'mcp_status' | 'mcp_reconnect' | 'mcp_toggle' | 'mcp_set_servers' | 'mcp_message',
  request: DriverRequest,
  { host, channels, session }: ControlPorts,
): Promise<object> {
  switch (subtype) {
    case 'mcp_status':
      return { mcpServers: (host.mcp?.status() ?? []).map(serverOf) };
    case 'mcp_reconnect': {
      const { serverName } = read(request, { serverName: z.string() });
      const state = await host.mcp?.reconnect(serverName);
      if (state === undefined) throw new RequestError(`There is no MCP server "${serverName}".`);
      if (state.type === 'failed') throw new RequestError(state.reason);
      if (state.type === 'disabled')
        throw new RequestError(`The MCP server "${serverName}" is switched off.`);
      return {};
    }
    case 'mcp_toggle': {
      const { serverName, enabled } = read(request, { serverName: z.string(), enabled: z.boolean() });
      const state = await host.mcp?.setEnabled(serverName, enabled);
      if (state === undefined) throw new RequestError(`There is no MCP server "${serverName}".`);
      if (state.type === 'failed') throw new RequestError(state.reason);
      return {};
    }
    case 'mcp_set_servers': {
      const { servers } = read(request, { servers: z.record(z.string(), z.unknown()) });
      return setServers(servers, host, session);
    }
    case 'mcp_message': {
      const fields = { server_name: z.string(), message: z.looseObject({}) };
      const { server_name, message } = read(request, fields);
      if (channels.deliver(server_name, message)) return {};
      throw new RequestError(`Your MCP server "${server_name.slice(0, 100)}" is not connected.`);
    }
  }
}

/** The settings that `apply_flag_settings` can change; others are rejected rather than silently ignored. */
const flagSettings = z.strictObject({
  model: z.string().min(1).max(200).regex(/^\S+$/).nullish(),
  effortLevel: z.enum(efforts).nullish(),
  permissions: z.looseObject({}).nullish(),
});

function read<S extends z.ZodRawShape>({ fields }: DriverRequest, shape: S): z.infer<z.ZodObject<S>> {
  const parsed = z.object(shape).safeParse(fields);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RequestError(`"${issue?.path.join('.')}" is invalid: ${issue?.message}.`);
}

/** Longest wait for an event that follows an op, in milliseconds. */
const EVENT_MS = 5000;

/** Acts, and resolves to the first event for which `pick` returns something; undefined if none comes in time. */
export function eventAfter<T>(
  agent: Agent,
  act: () => void,
  pick: (event: AgentEvent) => T | undefined,
  ms?: number,
) {
  return new Promise<T | undefined>((resolve) => {
    const end = (value: T | undefined): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve(value);
    };
    const timer = ms === undefined ? undefined : setTimeout(end, ms, undefined);
    const unsubscribe = agent.subscribe((event) => {
      const value = pick(event);
      if (value !== undefined) end(value);
    });
    act();
  });
}

/**
 * Switches the mode as with Shift+Tab; additionally to `dontAsk`, which only forbids. Throws with the reason if that is
 * not possible.
 */
export async function setMode(
  name: string,
  { host: { agent }, mayBypass, parseMode }: ModePorts,
): Promise<object> {
  const mode = parseMode(name);
  if (mode === undefined) throw new RequestError(`There is no permission mode "${name.slice(0, 100)}".`);
  const { modes, mode: current } = agent.state();
  const why = modes.refused[mode];
  if (why !== undefined) throw new RequestError(why);
  const mayChoose =
    modes.cycle.includes(mode) || mode === 'dontAsk' || (mode === 'bypassPermissions' && mayBypass);
  if (!mayChoose)
    throw new RequestError(
      `The mode ${mode} can only be chosen at the start, with --permission-mode ${mode}, or later if --allow-dangerously-skip-permissions was given.`,
    );
  const isSet = (event: AgentEvent): PermissionMode | undefined =>
    event.type === 'mode_changed' ? event.mode : undefined;
  if (mode !== current)
    await eventAfter(agent, () => agent.submit({ type: 'set_mode', mode }), isSet, EVENT_MS);
  return { mode };
}

/** Changed paths in the answer; the rest is counted. */
const MAX_FILES_NAMED = 1000;

/**
 * Restores the files to before a prompt; the conversation stays. A dry run only tells the driver what that changes.
 */
async function rewindFiles(prompt: string, isDryRun: boolean, agent: Agent): Promise<object> {
  const cannot = (error: string): object => ({ canRewind: false, error });
  if (agent.state().busy) return cannot('A turn is running. Interrupt it, or wait for its result.');
  const planned = await agent.planRewind(prompt);
  if (planned === undefined) return cannot('No such prompt in this session.');
  if (planned.noFiles !== undefined) return cannot(planned.noFiles);
  const { steps } = planned.plan;
  const refused = boundedLines(refusedLines(planned.plan, agent.state().root));
  const changes = steps.filter(({ action }) => action !== 'refuse' && action !== 'nothing');
  if (changes.length === 0 && refused !== '') return cannot(refused);
  const plan = {
    canRewind: true,
    filesChanged: changes.slice(0, MAX_FILES_NAMED).map(({ path }) => path),
    ...(changes.length > MAX_FILES_NAMED && { moreFilesChanged: changes.length - MAX_FILES_NAMED }),
    insertions: changes.reduce((sum, { added }) => sum + added, 0),
    deletions: changes.reduce((sum, { removed }) => sum + removed, 0),
  };
  if (isDryRun || changes.length === 0) return refused === '' ? plan : { ...plan, error: refused };
  const report = await eventAfter(
    agent,
    () => agent.submit({ type: 'rewind', to: prompt, scope: 'files' }),
    (event) => (event.type === 'rewind_ended' ? event.report : undefined),
  );
  if (report === undefined || report.outcome === 'refused') return cannot(report?.message ?? 'It failed.');
  return report.outcome === 'done' ? plan : { ...plan, error: report.message };
}

function serverOf({ name, state, scope, tools }: McpServerStatus): object {
  const status = state.type === 'connecting' ? 'pending' : state.type;
  return {
    name,
    status,
    scope: scope === 'flag' ? 'dynamic' : scope,
    ...(state.type === 'failed' ? { error: state.reason } : {}),
    ...(state.type === 'connected'
      ? { tools: tools.map(({ ownName, description }) => ({ name: ownName, description })) }
      : {}),
  };
}

/** The answer to `get_usage`. There are no plans with limits here. */
function usageResponse({ tally, host: { agent, modelInfo } }: ControlPorts): object {
  return {
    session: {
      total_cost_usd: tally.costUsd() ?? 0,
      total_api_duration_ms: tally.apiDurationMs(),
      total_duration_ms: tally.durationMs(),
      total_lines_added: 0,
      total_lines_removed: 0,
      model_usage: modelUsage(tally, agent.state().model, modelInfo),
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  };
}

// The answer to `get_context_usage`: the numbers of `/context` in the form that Claude Code's SDKs expect. In tokens.

/** Our parts of a request under the ids that readers know; what is not listed is a part of the messages. */
const known: Readonly<Record<string, { readonly id: string; readonly name: string }>> = {
  tools: { id: 'system_tools', name: 'Tools' },
  system: { id: 'system_prompt', name: 'System prompt' },
  instructions: { id: 'memory_files', name: 'Memory files' },
};

function contextResponse({ measure, cache }: ContextReport, servers: readonly McpServerStatus[]): object {
  const { model, usedTokens, windowTokens, triggerTokens, parts } = measure;
  const used = parts
    .filter(({ tokens }) => tokens > 0)
    .map(({ name, tokens }) => ({
      ...(known[name] ?? { id: 'messages', name: `Messages: ${name}` }),
      tokens,
      color: 'inactive',
      kind: 'used',
    }));
  const row = (id: string, name: string, tokens: number, kind: string) => ({
    id,
    name,
    tokens,
    color: 'inactive',
    kind,
  });
  return {
    categories: [
      ...used,
      row('free_space', 'Free space', Math.max(0, triggerTokens - usedTokens), 'free'),
      row('autocompact_buffer', 'Autocompact buffer', Math.max(0, windowTokens - triggerTokens), 'buffer'),
    ],
    totalTokens: usedTokens,
    maxTokens: windowTokens,
    rawMaxTokens: windowTokens,
    percentage: Math.round((usedTokens / windowTokens) * 100),
    gridRows: [],
    model,
    memoryFiles: [],
    mcpTools: servers.flatMap(({ name: serverName, tools }) =>
      tools.map(({ name }) => ({ name, serverName, tokens: 0 })),
    ),
    agents: [],
    autoCompactThreshold: triggerTokens,
    isAutoCompactEnabled: true,
    apiUsage:
      cache === undefined
        ? null
        : {
            input_tokens: cache.inputTokens - cache.cachedTokens,
            output_tokens: 0,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: cache.cachedTokens,
          },
  };
}
