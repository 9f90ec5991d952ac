/** The `initialize` request: what the driver learns from us, and what of its wishes has no effect here. */
import type { CommandHost } from '../../commands/types.ts';

export interface SubagentInfo {
  readonly name: string;
  readonly description: string;
}

export interface InitializePorts {
  readonly host: CommandHost;
  readonly subagents: readonly SubagentInfo[];
  readonly warn: (text: string) => void;
}

/** Longest wait for the endpoint's list of models, in milliseconds; the driver waits for the answer meanwhile. */
const MODELS_MS = 3000;
const MAX_MODELS = 500;

/** Wishes that cannot be fulfilled, each with what that means. */
const unsupported: Readonly<Record<string, string>> = {
  hooks: 'Hooks of the driving program are not supported: they are not called.',
  sdkMcpServers:
    'MCP servers inside the driving program are not supported: their tools are missing. Use --mcp-config.',
  jsonSchema: 'Structured output is not supported: the result has no "structured_output".',
  skills: 'A selection of skills is not supported: all of them are offered.',
};

export async function initializeResponse(
  fields: Readonly<Record<string, unknown>>,
  { host, subagents, warn }: InitializePorts,
) {
  const { model } = host.agent.state();
  for (const [field, text] of Object.entries(unsupported)) if (isGiven(fields[field])) warn(text);
  const ids = new Set([model.id, ...(await listed(host))]);
  return {
    commands: host.commands.map(({ name, description, argumentHint = '', aliases, isPrompt }) => ({
      name,
      description,
      argumentHint,
      ...(aliases.length === 0 ? {} : { aliases }),
      ...(isPrompt === true ? {} : { builtin: true }),
    })),
    agents: subagents,
    output_style: 'default',
    available_output_styles: ['default'],
    models: [...ids].slice(0, MAX_MODELS).map((id) => ({ value: id, displayName: id, description: '' })),
    // There is no account to be logged in to.
    account: {},
    ...(isGiven(fields.hooks) ? { hooks_applied: false } : {}),
  };
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
