/** `/plugin`: lists installed plugins. Adding and approving one happens outside of a conversation. */
import { mcpTarget } from '../../protocol/extensions/mcp.ts';
import type { PluginContents, PluginInfo } from '../../protocol/extensions/plugins.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from '../pages/page.ts';
import type { Command } from '../types.ts';

export const plugin: Command = {
  name: 'plugin',
  aliases: ['plugins'],
  description: 'list plugins and what they bring',
  run: async (_, host) => ({ type: 'page', page: pluginsPage(await host.plugins()) }),
};

/** Each plugin with its state and contents. */
export function pluginsPage(plugins: readonly PluginInfo[]): Page {
  if (plugins.length === 0)
    return () => [
      pageLine('No plugins. Add one, outside of a conversation, with: clawdcode plugin add PATH|URL'),
    ];
  return () => [
    ...plugins.flatMap((one) => [...linesOf(one), blankLine]),
    pageLine('Changes with clawdcode plugin add, enable, disable or remove apply to the next session.'),
  ];
}

function linesOf({ name, source, state, contents }: PluginInfo): PageLine[] {
  const words = state.type === 'unusable' ? 'not used' : state.type;
  return [
    heading(`${name} (${words})`),
    indented(`from ${visibleLine(source, 300)}`),
    ...(state.type === 'unusable' ? [indented(state.why)] : []),
    ...(contents === undefined ? [] : contentLines(contents).map(indented)),
  ];
}

/** What a plugin brings, for approval and for the list: names, and the programs that would be started. */
export function contentLines(contents: PluginContents): readonly string[] {
  const { description, version, skills, commands, servers, problems } = contents;
  const names = (what: string, list: readonly string[]): string[] =>
    list.length === 0 ? [] : [`${list.length} ${what}: ${list.join(', ')}`];
  return [
    ...(description === '' ? [] : [description]),
    ...(version === '' ? [] : [`Version ${version}`]),
    ...names(skills.length === 1 ? 'skill' : 'skills', skills),
    ...names(commands.length === 1 ? 'command' : 'commands', commands),
    ...servers.map(({ name, definition }) => {
      const does = definition.command === undefined ? 'connects to' : 'starts outside the sandbox:';
      const env = Object.entries(definition.env ?? {}).map(([key, value]) => `${key}=${value}`);
      const more = env.length === 0 ? '' : ` (with ${env.join(', ')})`;
      return visibleLine(`MCP server ${name} ${does} ${mcpTarget(definition)}${more}`, 1000);
    }),
    ...problems,
  ];
}

const indented = (text: string): PageLine => hanging(pageLine(`  ${text}`), 4);
