import type { AgentDefinition, AgentList } from '../../protocol/extensions/subagents.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from '../pages/page.ts';
import type { Command } from '../types.ts';

/** Lists the subagents that the model may start, and definitions that are not used. */
export const agents: Command = {
  name: 'agents',
  aliases: [],
  description: 'list subagents',
  run: (_args, host) => ({ type: 'page', page: agentsPage(host.agents, host.skills.shownPath) }),
};

function agentsPage(list: AgentList, shownPath: (file: string) => string): Page {
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
    [pageLine({ text: HOW, role: 'dim' })],
  ].filter((lines) => lines.length > 0);
  return () => sections.flatMap((lines, at) => (at === 0 ? lines : [blankLine, ...lines]));
}

const titles = [
  ['flag', 'From --agents'],
  ['project', 'Of this project'],
  ['user', 'Yours'],
  ['plugin', 'From plugins'],
  ['builtin', 'Built in'],
] as const;

const HOW =
  'A subagent is a Markdown file in .clawdcode/agents or .claude/agents, in the project or in your home.';

function agentLines(agent: AgentDefinition, shownPath: (file: string) => string): PageLine[] {
  const { name, description, file, tools, disallowedTools, model, permissionMode, maxTurns, ignored } = agent;
  const facts = [
    ...(file === undefined ? [] : [shownPath(file)]),
    ...(agent.isReadOnly === true ? ['read-only'] : []),
    ...(tools === undefined ? [] : [`tools: ${tools.join(', ') || 'none'}`]),
    ...(disallowedTools.length === 0 ? [] : [`without: ${disallowedTools.join(', ')}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(permissionMode === undefined ? [] : [`at most ${permissionMode} mode`]),
    ...(maxTurns === undefined ? [] : [`${maxTurns} steps`]),
    ...(ignored.length === 0 ? [] : [`no effect here: ${ignored.join(', ')}`]),
  ];
  const head = hanging(pageLine('  ', { text: name, role: 'accent' }, `  ${description}`), 4);
  if (facts.length === 0) return [head];
  return [head, hanging(pageLine('    ', { text: facts.join(' · '), role: 'dim' }), 4)];
}
