/** The `initialize` request: its response, and the requested features that have no effect here. */
import type { CommandHost } from '../../commands/types.ts';
import type { DriverMessage, DriverRequest } from './driverMessages.ts';
import { type HostHooks, readHostHooks } from './hostHooks.ts';
import { type HostServers, readHostServers } from './hostServers.ts';
import { commandList } from './sessionRequests.ts';

interface SubagentInfo {
  readonly name: string;
  readonly description: string;
}

export interface InitializePorts {
  readonly host: CommandHost;
  readonly subagents: readonly SubagentInfo[];
  readonly setup: DriverSetup;
  /** Reports options without effect to the driver. */
  readonly warn: (text: string) => void;
}

/** Longest wait for the endpoint's list of models, in milliseconds; the driver waits for the answer in that time. */
const MODELS_MS = 3000;
const MAX_MODELS = 500;

/** Requests that cannot be fulfilled, each with the consequence. */
const unsupported: Readonly<Record<string, string>> = {
  toolAliases: '"toolAliases" is not supported: calls are run by the names that the model uses.',
  planModeInstructions: '"planModeInstructions" is not supported: plan mode has its own instructions.',
  excludeDynamicSections: '"excludeDynamicSections" is not supported: the system prompt is kept as it is.',
  promptSuggestions: '"promptSuggestions" is not supported: no prompts are suggested.',
  agentProgressSummaries: '"agentProgressSummaries" is not supported: subagents are not summarized.',
  supportedDialogKinds: '"supportedDialogKinds" is not supported: no dialogs are sent.',
};

/** Hooks and servers are taken from the first message only: the session is opened with them. */
const tooLate = 'Hooks and MCP servers are accepted only if the initialize request is the first message.';

export async function initializeResponse(request: DriverRequest, ports: InitializePorts) {
  const { host, subagents, setup, warn } = ports;
  const { fields } = request;
  for (const [field, text] of Object.entries(unsupported))
    if (isGiven(fields[field]) || fields[field] === true) warn(text);
  const isFirst = request === setup.request;
  if (isFirst) for (const problem of [...setup.hooks.problems, ...setup.servers.problems]) warn(problem);
  else if (isGiven(fields.hooks) || isGiven(fields.sdkMcpServers)) warn(tooLate);
  const areCalled = host
    .hooks()
    .every(({ hook, ignored }) => hook.type !== 'callback' || ignored === undefined);
  return {
    commands: commandList(host),
    agents: subagents,
    output_style: 'default',
    available_output_styles: ['default'],
    models: await listedModels(host),
    // There is no account to be logged in to.
    account: {},
    hook_on_failure_supported: true,
    ...(isGiven(fields.plugins) ? { plugins_applied: isFirst } : {}),
    ...(isGiven(fields.mcpServers) ? { mcp_servers_applied: isFirst } : {}),
    ...(isGiven(fields.hooks) ? { hooks_applied: isFirst && setup.hooks.isComplete && areCalled } : {}),
  };
}

/** The current model and those of the endpoint. */
export async function listedModels(host: CommandHost) {
  const ids = new Set([host.agent.state().model.id, ...(await listed(host))]);
  return [...ids].slice(0, MAX_MODELS).map((id) => ({ value: id, displayName: id, description: '' }));
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && Object.keys(value).length > 0;

async function listed(host: CommandHost): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(resolve, MODELS_MS, []);
  });
  const found = host.listModels().then(
    ({ ids }) => ids,
    () => [],
  );
  return Promise.race([found, late]).finally(() => clearTimeout(timer));
}

// Options in the driving program's first message that apply before the session is opened, in addition to flags.

export interface DriverSetup {
  /** The `initialize` request, if the first message is one; a later one sets nothing up. */
  readonly request: DriverRequest | undefined;
  readonly hooks: HostHooks;
  readonly servers: HostServers;
}

export function readSetup(first: DriverMessage | undefined): DriverSetup {
  const request =
    first?.type === 'request' && first.request.subtype === 'initialize' ? first.request : undefined;
  const fields = request?.fields ?? {};
  return { request, hooks: readHostHooks(fields.hooks), servers: readHostServers(fields) };
}
