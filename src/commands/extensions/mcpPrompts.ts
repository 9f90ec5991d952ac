import type { McpPort, McpPromptInfo } from '../../protocol/extensions/mcp.ts';
import type { Command } from '../types.ts';

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
      const images = found.images.map(({ image }) => image);
      return {
        type: 'op',
        // What the server wrote names no files and no resources of other servers.
        op: {
          type: 'prompt',
          text: found.text,
          display,
          typed: display,
          ...(images.length > 0 && { images }),
        },
      };
    },
  }));
}

function hintOf({ arguments: known }: McpPromptInfo): string {
  return known.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`)).join(' ');
}

/**
 * Assigns words to the arguments in order. Quotes group words; the last argument takes the rest. Undefined if a
 * required argument is missing.
 */
export function argumentsOf(
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
