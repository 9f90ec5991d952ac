import type { Skill, SkillList } from '../../protocol/extensions/skills.ts';
import { findCommand } from '../interpret.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from '../pages/page.ts';
import type { Command, SkillPort } from '../types.ts';

/** Lists skills and custom commands, and files that could not be loaded. */
export const skills: Command = {
  name: 'skills',
  aliases: [],
  description: 'list skills and custom commands',
  run: async (_args, { skills: port, commands }) => {
    const list = await port.list();
    return { type: 'page', page: skillsPage(list, commands, port.shownPath) };
  },
};

/** Creates a command `/name` for each skill that users can run, unless a built-in command has that name. */
export function skillCommands(list: readonly Skill[], builtin: readonly Command[]): readonly Command[] {
  return list
    .filter(({ userCanUse, name }) => userCanUse && findCommand(name, builtin) === undefined)
    .map((skill) => ({
      name: skill.name,
      aliases: [],
      isPrompt: true,
      description: skill.description,
      ...(skill.argumentHint === undefined ? {} : { argumentHint: skill.argumentHint }),
      async run(args, host) {
        const prepared = await host.skills.prepare(skill, args);
        if ('problem' in prepared)
          return { type: 'notice', level: 'error', text: `/${skill.name}: ${prepared.problem}` };
        const display = args === '' ? `/${skill.name}` : `/${skill.name} ${args}`;
        return { type: 'op', op: { type: 'use_skill', display, ...prepared } };
      },
    }));
}

function skillsPage(
  { skills: all, problems }: SkillList,
  commands: readonly Command[],
  shownPath: SkillPort['shownPath'],
): Page {
  const section = (title: string, list: readonly Skill[]): PageLine[] =>
    list.length === 0
      ? []
      : [heading(title), ...list.flatMap((skill) => skillLines(skill, commands, shownPath(skill.file)))];
  const notUsed = problems.map(({ file, message }) =>
    hanging(pageLine('  ', { text: shownPath(file), role: 'dim' }, ` ${message}`), 4),
  );
  const sections = [
    section(
      'Yours',
      all.filter(({ scope }) => scope === 'user'),
    ),
    section(
      'From this project',
      all.filter(({ scope }) => scope === 'project'),
    ),
    all.length === 0
      ? [pageLine('There are no skills or custom commands yet.'), blankLine, pageLine(HOW)]
      : [],
    notUsed.length === 0 ? [] : [heading('Not used'), ...notUsed],
  ].filter((lines) => lines.length > 0);
  return () => sections.flatMap((lines, at) => (at === 0 ? lines : [blankLine, ...lines]));
}

const HOW =
  'A skill is a folder with a SKILL.md in .clawdcode/skills, .claude/skills or .agents/skills, in the project or in your home; a command is a Markdown file in .clawdcode/commands or .claude/commands.';

function skillLines(skill: Skill, commands: readonly Command[], file: string): PageLine[] {
  const { name, description, argumentHint, userCanUse, modelCanUse, ignored, allowedTools, asks, fork } =
    skill;
  const command = findCommand(name, commands);
  const isShadowed = userCanUse && command !== undefined && command.description !== description;
  const facts = [
    ...(userCanUse ? [] : ['only the model uses it']),
    ...(modelCanUse ? [] : ['only you use it']),
    ...(isShadowed ? [`/${name} is a built-in command; only the model can use this`] : []),
    ...(fork === undefined ? [] : [`runs in a subagent (${fork.agent})`]),
    ...(asks === undefined || allowedTools.length > 0
      ? []
      : [`allowed-tools need your approval: run clawdcode here to decide`]),
    ...(ignored.length === 0 ? [] : [`no effect here: ${ignored.join(', ')}`]),
  ];
  const hint = argumentHint === undefined ? '' : ` ${argumentHint}`;
  return [
    hanging(
      pageLine('  ', { text: `/${name}`, role: 'accent' }, { text: hint, role: 'dim' }, `  ${description}`),
      4,
    ),
    hanging(pageLine('    ', { text: [file, ...facts].join(' · '), role: 'dim' }), 4),
  ];
}
