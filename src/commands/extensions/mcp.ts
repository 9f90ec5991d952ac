import type {
  McpContent,
  McpPort,
  McpPromptInfo,
  McpServerState,
  McpServerStatus,
} from '../../protocol/extensions/mcp.ts';
import type { Attachment } from '../../protocol/ops.ts';
import { quotedName, shortened } from '../../protocol/text/visible.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine, textLines } from '../pages/page.ts';
import type { Command, CommandResult } from '../types.ts';

/** Shows the MCP servers, or one server's tools and log; reconnects servers. */
export const mcp: Command = {
  name: 'mcp',
  aliases: [],
  description: 'MCP servers: status, tools, log, reconnect',
  argumentHint: '[name, reconnect …]',
  run: async (args, { mcp: port }) => {
    const servers = port?.status() ?? [];
    if (port === undefined || servers.length === 0) return { type: 'notice', text: NONE };
    const words = args.split(/\s+/).filter((word) => word !== '');
    const [first, name] = words;
    if (first === 'reconnect') return reconnect(port, name);
    await port.connectAll(new AbortController().signal);
    if (first === undefined) return { type: 'page', page: listPage(port) };
    const server = port.status().find((one) => one.name === first);
    return server === undefined ? unknown(first, servers) : { type: 'page', page: serverPage(server, port) };
  },
};

const NONE = 'No MCP servers. Define them in .mcp.json or in your settings; see docs/mcp.md.';

function unknown(name: string, servers: readonly McpServerStatus[]): CommandResult {
  const names = servers.map((one) => one.name).join(', ');
  return { type: 'notice', level: 'error', text: `There is no MCP server "${name}". Defined: ${names}.` };
}

async function reconnect(port: McpPort, name: string | undefined): Promise<CommandResult> {
  if (name === undefined)
    return { type: 'notice', level: 'error', text: 'Which server? Use /mcp reconnect NAME.' };
  const state = await port.reconnect(name);
  if (state === undefined) return unknown(name, port.status());
  const tools = port.status().find((one) => one.name === name)?.tools.length ?? 0;
  return {
    type: 'notice',
    text: `${name}: ${stateText(state, tools)}`,
    level: state.type === 'connected' ? 'info' : 'error',
  };
}

/** Describes the state in a few words. */
export function stateText(state: McpServerState, tools: number): string {
  switch (state.type) {
    case 'pending':
      return 'not connected yet';
    case 'connecting':
      return 'connecting';
    case 'connected':
      return `connected, ${tools} ${tools === 1 ? 'tool' : 'tools'}`;
    case 'failed':
      return `failed: ${state.reason}`;
    case 'disabled':
      return 'switched off in this session';
    case 'needs-auth':
      return 'needs you to log in: clawdcode mcp login NAME';
  }
}

/** What a server offers in addition to tools, for the end of its line: `2 prompts`. */
function counted(count: number, noun: string): string {
  return count === 0 ? '' : `, ${count} ${noun}${count === 1 ? '' : 's'}`;
}

const promptsOf = (port: McpPort, server: string): readonly McpPromptInfo[] =>
  port.prompts().filter((one) => one.server === server);

const resourcesOf = (port: McpPort, server: string): readonly string[] =>
  port.resources().filter((one) => one.startsWith(`${server}:`));

function stateLine({ name, state, tools }: McpServerStatus, port: McpPort): PageLine {
  const more = `${counted(promptsOf(port, name).length, 'prompt')}${counted(resourcesOf(port, name).length, 'resource')}`;
  const isBad = state.type === 'failed' || state.type === 'needs-auth';
  const role = state.type === 'connected' ? 'success' : isBad ? 'error' : 'dim';
  return hanging(
    pageLine({ text: name, role: 'strong' }, '  ', {
      ...{ text: `${stateText(state, tools.length)}${state.type === 'connected' ? more : ''}`, role },
    }),
    2,
  );
}

function originLine({ transport, target, source }: McpServerStatus): PageLine {
  return hanging(pageLine({ text: `  ${transport}: ${target}  (${source})`, role: 'dim' }), 4);
}

function listPage(port: McpPort): Page {
  const servers = port.status();
  return () => [
    ...servers.flatMap((server) => [stateLine(server, port), originLine(server)]),
    pageLine({ text: '/mcp NAME shows its tools, prompts, resources and log.', role: 'dim' }),
  ];
}

/** Lines of a server's log that are shown, from its end. */
const LOG_LINES = 20;

/** Resources of a server that are listed. */
const MAX_RESOURCES = 50;

function serverPage(server: McpServerStatus, port: McpPort): Page {
  const { name: serverName, tools, problems, log } = server;
  const prompts = promptsOf(port, serverName);
  const resources = resourcesOf(port, serverName);
  const lines = log.trimEnd().split('\n');
  return () => [
    stateLine(server, port),
    originLine(server),
    ...problems.map((text) => pageLine({ text: `  ${text}`, role: 'warning' })),
    blankLine,
    heading(tools.length === 0 ? 'No tools' : 'Tools'),
    ...tools.map(({ name, description }) =>
      hanging(pageLine(`  ${name}  `, { text: firstSentence(description), role: 'dim' }), 4),
    ),
    ...(prompts.length === 0 ? [] : [blankLine, heading('Prompts')]),
    ...prompts.map((prompt) =>
      hanging(
        pageLine(`  ${`/${prompt.command} ${hintOf(prompt)}`.trimEnd()}  `, {
          ...{ text: firstSentence(prompt.description), role: 'dim' as const },
        }),
        4,
      ),
    ),
    ...(resources.length === 0 ? [] : [blankLine, heading('Resources')]),
    ...resources.slice(0, MAX_RESOURCES).map((one) => hanging(pageLine(`  @${one}`), 4)),
    ...(resources.length <= MAX_RESOURCES
      ? []
      : [pageLine({ text: `  … and ${resources.length - MAX_RESOURCES} more`, role: 'dim' })]),
    ...(log.trim() === ''
      ? []
      : [blankLine, heading('Log'), ...textLines(lines.slice(-LOG_LINES).join('\n'), 2, 'dim')]),
  ];
}

function firstSentence(text: string): string {
  return shortened(text.split('\n')[0] ?? '', 100);
}

/** Makes a command `/mcp__server__prompt` of each MCP server prompt. */
export function mcpPromptCommands(port: McpPort): readonly Command[] {
  return port.prompts().map((prompt) => ({
    name: prompt.command,
    aliases: [],
    isPrompt: true,
    description: prompt.description === '' ? `prompt of ${prompt.server}` : prompt.description,
    ...(prompt.arguments.length > 0 && { argumentHint: hintOf(prompt) }),
    async run(args) {
      const values = argumentsOf(args, prompt);
      if (values === undefined)
        return { type: 'notice', level: 'error', text: `Usage: /${prompt.command} ${hintOf(prompt)}` };
      const found = await port.getPrompt(prompt, values);
      if ('problem' in found) return { type: 'notice', level: 'error', text: found.problem };
      if (found.text === '')
        return { type: 'notice', level: 'error', text: 'The server returned an empty prompt.' };
      const display = `/${prompt.command} ${args}`.trimEnd();
      return { type: 'op', op: { type: 'prompt', text: display, attachments: [chosen(prompt, found)] } };
    },
  }));
}

/** The server's text is not the user's: it goes next to the prompt, and mentions in it attach nothing. */
function chosen(
  { server, ownName, command }: McpPromptInfo,
  { text, images }: Extract<McpContent, { text: string }>,
): Attachment {
  return {
    path: `${server}:${ownName}`,
    title: `/${command}`,
    outcome: 'prompt',
    summary: `from ${server}`,
    text: `The prompt that the user has chosen from the MCP server ${quotedName(server)}:\n${text}`,
    ...(images.length > 0 && { images: images.map(({ image }) => image) }),
  };
}

function hintOf({ arguments: known }: McpPromptInfo): string {
  return known.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`)).join(' ');
}

/**
 * Assigns words to the arguments in order. Quotes group words; the last argument takes the rest. Undefined if a
 * required argument is missing.
 */
function argumentsOf(
  text: string,
  { arguments: known }: Pick<McpPromptInfo, 'arguments'>,
): Readonly<Record<string, string>> | undefined {
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  const last = known.length - 1;
  const values = known.flatMap(({ name }, at): [string, string][] => {
    const value = at === last ? words.slice(at).join(' ') : words[at];
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  const given = new Set(values.map(([name]) => name));
  return known.every(({ name, isRequired }) => !isRequired || given.has(name))
    ? Object.fromEntries(values)
    : undefined;
}
