import { expect, test } from 'vitest';
import { allCommands } from '../../../src/commands/allCommands.ts';
import { skillCommands, skills } from '../../../src/commands/extensions/skills.ts';
import { findCommand } from '../../../src/commands/interpret.ts';
import { plainText } from '../../../src/commands/pages/page.ts';
import type { Skill, SkillList } from '../../../src/protocol/extensions/skills.ts';
import { commandHost } from '../commandHost.ts';

const skill = (name: string, parts: Partial<Skill> = {}): Skill => ({
  ...{ name, kind: 'skill', description: `Does ${name}.`, file: `/srv/${name}/SKILL.md`, scope: 'user' },
  ...{ modelCanUse: true, userCanUse: true, allowedTools: [], ignored: [] },
  ...parts,
});

async function page(list: SkillList): Promise<string> {
  const commands = [...allCommands, ...skillCommands(list.skills, allCommands)];
  const host = commandHost({
    commands,
    skills: {
      list: async () => list,
      shownPath: (file) => file.replace('/srv/', '~/'),
      prepare: async () => ({ problem: 'The file is gone.' }),
    },
  });
  const result = await skills.run('', host);
  return result.type === 'page' ? plainText(result.page) : '';
}

test('lists the user’s skills and the project’s, with the reason why one is not used', async () => {
  const list = {
    skills: [
      skill('fix', { argumentHint: '[issue]', ignored: ['model'] }),
      skill('help'),
      skill('quiet', { userCanUse: false, scope: 'project' }),
      skill('mine', { modelCanUse: false, scope: 'project' }),
    ],
    problems: [{ file: '/srv/two words.md', message: 'The name cannot be a command.' }],
  };
  expect(await page(list)).toBe(
    [
      'Yours',
      '  /fix [issue]  Does fix.',
      '    ~/fix/SKILL.md · no effect here: model',
      '  /help  Does help.',
      '    ~/help/SKILL.md · /help is a built-in command; only the model can use this',
      '',
      'From this project',
      '  /quiet  Does quiet.',
      '    ~/quiet/SKILL.md · only the model uses it',
      '  /mine  Does mine.',
      '    ~/mine/SKILL.md · only you use it',
      '',
      'Not used',
      '  ~/two words.md The name cannot be a command.',
    ].join('\n'),
  );
});

test('says how to start if there are none', async () => {
  expect(await page({ skills: [], problems: [] })).toContain('There are no skills or custom commands yet.');
});

test('a skill is a command unless its name is taken', async () => {
  const commands = skillCommands([skill('fix'), skill('Deploy'), skill('compact')], allCommands);
  expect(commands.map(({ name }) => name)).toEqual(['fix', 'Deploy']);
  expect(findCommand('deploy', commands)?.name).toBe('Deploy');
  const prepared = { skill: skill('fix'), parts: [{ type: 'text' as const, text: 'Fix it.' }] };
  const port = { list: async () => ({ skills: [], problems: [] }), shownPath: (file: string) => file };
  const works = commandHost({ skills: { ...port, prepare: async () => prepared } });
  expect(await commands[0]?.run('it now', works)).toEqual({
    type: 'op',
    op: { type: 'use_skill', display: '/fix it now', ...prepared },
  });
  const gone = commandHost({ skills: { ...port, prepare: async () => ({ problem: 'The file is gone.' }) } });
  expect(await commands[0]?.run('', gone)).toEqual({
    type: 'notice',
    level: 'error',
    text: '/fix: The file is gone.',
  });
});
