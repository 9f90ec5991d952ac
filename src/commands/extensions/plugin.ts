/** `/plugin`: lists installed plugins. Adding and approving one happens outside of a conversation. */
import type { HookDefinition } from '../../protocol/extensions/hooks.ts';
import { type McpServerDefinition, mcpTarget } from '../../protocol/extensions/mcp.ts';
import type { PluginContents, PluginInfo } from '../../protocol/extensions/plugins.ts';
import type { AgentDefinition } from '../../protocol/extensions/subagents.ts';
import { visibleLine, visibleText } from '../../protocol/text/visible.ts';
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

/**
 * What a plugin brings, for approval and for the list: first everything that would run, in full and exactly as written,
 * then names.
 */
export function contentLines(contents: PluginContents): readonly string[] {
  const { description, version, skills, commands, agents, hooks, servers, problems } = contents;
  const names = (list: readonly string[], one: string, more = `${one}s`): string[] =>
    list.length === 0 ? [] : [`${list.length} ${list.length === 1 ? one : more}: ${list.join(', ')}`];
  return [
    ...(description === '' ? [] : [description]),
    ...(version === '' ? [] : [`Version ${version}`]),
    ...hooks.map(hookLine),
    ...servers.map(({ name, definition }) => serverLine(name, definition)),
    ...names(agents.map(agentText), 'subagent'),
    ...names(skills, 'skill'),
    ...names(commands, 'command'),
    ...problems,
  ];
}

function hookLine(hook: HookDefinition): string {
  const { event, matcher, rule, isAsync, isOnce, blocksOnFailure, timeoutSeconds } = hook;
  const when = matcher === '' || matcher === '*' ? event : `${event} (${exactly(matcher)})`;
  const traits = [
    ...(rule === undefined ? [] : [`only for ${exactly(rule)}`]),
    ...(isAsync ? ['in the background'] : []),
    ...(isOnce ? ['once'] : []),
    ...(blocksOnFailure ? ['blocks if it fails'] : []),
    ...(timeoutSeconds === undefined ? [] : [`up to ${timeoutSeconds} s`]),
  ];
  return `Hook ${when} ${doesOf(hook)}${traits.length === 0 ? '' : ` (${traits.join(', ')})`}`;
}

function doesOf(hook: HookDefinition): string {
  switch (hook.type) {
    case 'command':
      return `runs outside the sandbox: ${[hook.command, ...(hook.args ?? [])].map(exactly).join(' ')}`;
    case 'http': {
      const variables = hook.allowedEnvVars.map(exactly).join(', ');
      const sent = variables === '' ? '' : ` with the variables ${variables}`;
      return `sends what happens to ${exactly(hook.url)}${pairs(hook.headers, ' with the header ')}${sent}`;
    }
    case 'callback':
      return 'calls the driving program';
  }
}

function serverLine(name: string, definition: McpServerDefinition): string {
  const { command, env = {}, headers = {}, cwd } = definition;
  const does = command === undefined ? 'connects to' : 'starts outside the sandbox:';
  const where = cwd === undefined ? '' : ` in ${exactly(cwd)}`;
  return `MCP server ${name} ${does} ${exactly(mcpTarget(definition))}${where}${pairs(env, ' with ')}${pairs(headers, ' with the header ')}`;
}

const pairs = (values: Readonly<Record<string, string>>, before: string): string =>
  Object.entries(values)
    .map(([key, value]) => `${before}${exactly(`${key}=${value}`)}`)
    .join('');

function agentText({ name, tools, disallowedTools, model }: AgentDefinition): string {
  const facts = [
    ...(tools === undefined ? [] : [`tools ${tools.join(', ') || 'none'}`]),
    ...(disallowedTools.length === 0 ? [] : [`without ${disallowedTools.join(', ')}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
  ];
  return facts.length === 0 ? name : `${name} (${visibleLine(facts.join('; '), 300)})`;
}

/** Quotes a text that would not look as it is: with line breaks, control characters or invisible ones. */
function exactly(text: string): string {
  if (visibleText(text) === text && !/[\n\t]|^$| {2}|^ | $/.test(text)) return text;
  return JSON.stringify(text).replace(
    /[^\P{Cc}]|[^\P{Cf}]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
}

const indented = (text: string): PageLine => hanging(pageLine(`  ${text}`), 4);
