import type { AgentDefinition, AgentList } from '../../protocol/extensions/subagents.ts';
import type { WorktreeInfo, WorktreePort } from '../../protocol/extensions/worktrees.ts';
import { quoteWord } from '../../protocol/text/quoteWord.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from '../pages/page.ts';
import type { Command } from '../types.ts';

/** Lists the subagents that the model may start, definitions that are not used, and worktrees of subagents. */
export const agents: Command = {
  name: 'agents',
  aliases: [],
  argumentHint: '[clean]',
  description: 'list subagents and their worktrees',
  async run(args, host) {
    const { shownPath } = host.skills;
    const port = await host.worktrees();
    const wanted = args.trim();
    if (wanted === '') return { type: 'page', page: agentsPage(host.agents, await port.list(), shownPath) };
    if (wanted !== 'clean')
      return { type: 'notice', level: 'error', text: 'Usage: /agents, or /agents clean' };
    return { type: 'notice', text: cleanedText(await port.clean()) };
  },
};

function cleanedText({ removed, kept }: Awaited<ReturnType<WorktreePort['clean']>>): string {
  if (removed.length + kept.length === 0) return 'There are no worktrees to clean.';
  const stay = kept.length === 0 ? '' : ` With changes, kept: ${kept.join(', ')}.`;
  return removed.length === 0 ? `Nothing was removed.${stay}` : `Removed: ${removed.join(', ')}.${stay}`;
}

function agentsPage(
  list: AgentList,
  worktrees: readonly WorktreeInfo[],
  shownPath: (file: string) => string,
): Page {
  const notUsed = list.problems.map(({ file, message }) =>
    hanging(pageLine('  ', { text: shownPath(file), role: 'dim' }, `  ${message}`), 4),
  );
  const sections = [
    ...titles.map(([scope, title]) => {
      const agents = list.agents.filter((one) => one.scope === scope);
      return agents.length === 0
        ? []
        : [heading(title), ...agents.flatMap((one) => agentLines(one, shownPath))];
    }),
    notUsed.length === 0 ? [] : [heading('Not used'), ...notUsed],
    worktrees.length === 0
      ? []
      : [heading('Worktrees'), ...worktrees.flatMap((one) => worktreeLines(one, shownPath))],
    [pageLine({ text: HOW, role: 'dim' })],
  ].filter((lines) => lines.length > 0);
  return () => sections.flatMap((lines, at) => (at === 0 ? lines : [blankLine, ...lines]));
}

const titles = [
  ['flag', 'From --agents'],
  ['project', 'From this project'],
  ['user', 'Yours'],
  ['plugin', 'From plugins'],
  ['builtin', 'Built in'],
] as const;

const HOW =
  'A subagent is a Markdown file in .clawdcode/agents or .claude/agents, in the project or in your home.';

function agentLines(agent: AgentDefinition, shownPath: (file: string) => string): PageLine[] {
  const {
    name,
    description,
    file,
    tools,
    disallowedTools,
    model,
    effort,
    permissionMode,
    maxTurns,
    isolation,
    isBackground,
    ignored,
  } = agent;
  const facts = [
    ...(file === undefined ? [] : [shownPath(file)]),
    ...(agent.isReadOnly === true ? ['read-only'] : []),
    ...(tools === undefined ? [] : [`tools: ${tools.join(', ') || 'none'}`]),
    ...(disallowedTools.length === 0 ? [] : [`without: ${disallowedTools.join(', ')}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
    ...(permissionMode === undefined ? [] : [`at most ${permissionMode} mode`]),
    ...(maxTurns === undefined ? [] : [`${maxTurns} steps`]),
    ...(isolation === undefined ? [] : ['in a git worktree']),
    ...(isBackground === true ? ['in the background'] : []),
    ...(ignored.length === 0 ? [] : [`no effect here: ${ignored.join(', ')}`]),
  ];
  const head = hanging(pageLine('  ', { text: name, role: 'accent' }, `  ${description}`), 4);
  if (facts.length === 0) return [head];
  return [head, hanging(pageLine('    ', { text: facts.join(' · '), role: 'dim' }), 4)];
}

const MAX_TASK = 100;

function worktreeLines(one: WorktreeInfo, shownPath: (file: string) => string): PageLine[] {
  const { path, branch, agent, description, state, summary } = one;
  const how = {
    working: 'in use',
    kept: summary,
    left: `left when the program was killed: ${summary}`,
  }[state];
  const task = `${visibleLine(agent, MAX_TASK)}: ${visibleLine(description, MAX_TASK)}`;
  const remove = `git worktree remove --force ${quoted(path)} && git branch -D ${branch}`;
  return [
    hanging(pageLine('  ', { text: branch, role: 'accent' }, `  ${how} (${task})`), 4),
    hanging(pageLine('    ', { text: shownPath(path), role: 'dim' }), 4),
    ...(state === 'working'
      ? []
      : [hanging(pageLine('    ', { text: `To discard it: ${remove}`, role: 'dim' }), 4)]),
  ];
}

/** As one word for a shell. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : quoteWord(path));
