/** `/plugin`: lists, adds, approves and removes plugins. Shows what a plugin contains before it is used. */
import type { HookDefinition } from '../../protocol/extensions/hooks.ts';
import { type McpServerDefinition, mcpTarget } from '../../protocol/extensions/mcp.ts';
import type { PluginContents, PluginInfo } from '../../protocol/extensions/plugins.ts';
import type { AgentDefinition } from '../../protocol/extensions/subagents.ts';
import { unquoted } from '../../protocol/text/quoteWord.ts';
import { visibleLine, visibleText } from '../../protocol/text/visible.ts';
import { errorNotice } from '../notices.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from '../pages/page.ts';
import type { Command, CommandResult, PluginPort } from '../types.ts';

export const plugin: Command = {
  name: 'plugin',
  aliases: ['plugins'],
  description: 'list, add, enable, remove plugins',
  argumentHint: '[add, enable …]',
  needsUser: (args) => (args === '' || args === 'list' ? undefined : 'Use clawdcode plugin.'),
  run: async (args, { plugins }) => {
    const [, word = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
    if (word === '' || word === 'list') return { type: 'page', page: pluginsPage(await plugins.list()) };
    if (!isAction(word)) return errorNotice(`There is no /plugin ${word}. ${USAGE}`);
    if (rest === '') return errorNotice(USAGE);
    if (word === 'add') return add(unquoted(rest), plugins);
    const found = (await plugins.list()).find(({ name }) => name === rest);
    if (found === undefined) return errorNotice(`There is no plugin ${JSON.stringify(rest)}.`);
    switch (word) {
      case 'enable':
        return enable(found, plugins);
      case 'disable':
        await plugins.disable(found.name);
        return { type: 'notice', text: `${found.name} is no longer used.` };
      case 'remove':
        await plugins.remove(found.name);
        return { type: 'notice', text: `Removed ${found.name}.` };
    }
  },
};

type Action = 'add' | 'enable' | 'disable' | 'remove';
const isAction = (word: string): word is Action => ['add', 'enable', 'disable', 'remove'].includes(word);

const USAGE = 'Use /plugin add PATH or URL, or /plugin enable, disable or remove with a name.';

/** A path may be quoted, as for a shell. */
async function add(source: string, plugins: PluginPort): Promise<CommandResult> {
  const staged = await plugins.stage(source);
  if ('problem' in staged) return errorNotice(staged.problem);
  const { name } = staged.contents;
  const known = (await plugins.list()).find((one) => one.name === name);
  const title =
    known === undefined ? 'Use this plugin?' : `Replace the plugin from ${visibleLine(known.source, 200)}?`;
  return askAbout(staged.contents, title, {
    yes: async () => {
      await staged.install();
      return `Added ${name}. ${NOW}`;
    },
    no: () => staged.discard(),
  });
}

async function enable(found: PluginInfo, plugins: PluginPort): Promise<CommandResult> {
  const { name, contents, state } = found;
  if (contents === undefined)
    return errorNotice(state.type === 'unusable' ? state.why : `The plugin ${name} cannot be read.`);
  return askAbout(contents, 'Use this plugin?', {
    yes: async () => {
      await plugins.enable(found);
      return `${name} is enabled. ${NOW}`;
    },
    no: () => Promise.resolve(),
  });
}

const NOW = 'You can use it now; its SessionStart hooks run from the next session on.';

function askAbout(
  contents: PluginContents,
  title: string,
  acts: { readonly yes: () => Promise<string>; readonly no: () => Promise<void> },
): CommandResult {
  return {
    type: 'dialog',
    dialog: 'confirm',
    page: () => [heading(`Plugin ${contents.name}`), ...contentLines(contents).map(indented)],
    question: {
      title,
      subject: contents.name,
      yes: 'Yes, use it as listed above',
      no: 'No, change nothing',
      answer: async (isYes) => {
        if (isYes) return { type: 'notice', text: await acts.yes() };
        await acts.no();
        return { type: 'notice', text: 'Nothing was changed.' };
      },
    },
  };
}

/** Each plugin with its state and contents. */
export function pluginsPage(plugins: readonly PluginInfo[]): Page {
  if (plugins.length === 0)
    return () => [
      pageLine('No plugins. Add one with /plugin add, or clawdcode plugin add, and a path or URL.'),
    ];
  return () => [...plugins.flatMap((one, at) => [...(at === 0 ? [] : [blankLine]), ...linesOf(one)])];
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
 * The contents of a plugin, for approval and for the list: first everything that would run, in full and exactly as
 * written, then names.
 */
export function contentLines(contents: PluginContents): readonly string[] {
  const { description, version, skills, commands, agents, hooks, servers, problems } = contents;
  const names = (list: readonly string[], one: string): string[] =>
    list.length === 0 ? [] : [`${list.length} ${one}${list.length === 1 ? '' : 's'}: ${list.join(', ')}`];
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

/** Without a shell, spaces do not separate arguments. */
function commandText({ command, args }: Extract<HookDefinition, { type: 'command' }>): string {
  if (args === undefined) return exactly(command);
  return [command, ...args]
    .map((one) => (/^[^\s"'\\]+$/.test(one) ? exactly(one) : JSON.stringify(one)))
    .map(visible)
    .join(' ');
}

function doesOf(hook: HookDefinition): string {
  switch (hook.type) {
    case 'command':
      return `runs outside the sandbox: ${commandText(hook)}`;
    case 'http': {
      const variables = hook.allowedEnvVars.map(exactly).join(', ');
      const sent = variables === '' ? '' : ` with the variables ${variables}`;
      return `sends its events to ${exactly(hook.url)}${pairs(hook.headers, ' with the header ')}${sent}`;
    }
    case 'prompt':
      return `asks ${modelOf(hook)}: ${exactly(hook.prompt)}`;
    case 'agent':
      return `runs an agent with ${modelOf(hook)}: ${exactly(hook.prompt)}`;
    case 'mcp_tool': {
      const given = exactly(JSON.stringify(hook.arguments));
      return `calls ${exactly(hook.tool)} of the MCP server ${exactly(hook.server)} with ${given}`;
    }
    case 'callback':
      return 'calls the driving program';
  }
}

const modelOf = ({ model }: { readonly model?: string }): string =>
  model === undefined ? 'the model' : `the model ${exactly(model)}`;

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

/** Writes invisible characters as numbers. */
function visible(text: string): string {
  return text.replace(
    /[^\P{Cc}]|[^\P{Cf}]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
}

/** Quotes a text that would not look as it is: with line breaks, control characters or invisible ones. */
function exactly(text: string): string {
  if (visibleText(text) === text && !/[\n\t]|^$| {2}|^ | $/.test(text)) return text;
  return visible(JSON.stringify(text));
}

const indented = (text: string): PageLine => hanging(pageLine(`  ${text}`), 4);
