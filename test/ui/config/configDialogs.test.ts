import { describe, expect, test } from 'vitest';
import type { SettingInfo } from '../../../src/protocol/settings/settings.ts';
import { type ConfigAnswer, configDialog } from '../../../src/ui/config/configDialogs.ts';
import { dialogueOf } from '../../../src/ui/plain/askDialog.ts';

const setting = (parts: Partial<SettingInfo> & Pick<SettingInfo, 'key' | 'kind'>): SettingInfo => ({
  group: '',
  description: 'What it does.',
  isNullable: false,
  value: undefined,
  isPending: false,
  defaultValue: undefined,
  source: undefined,
  rank: 0,
  ...parts,
});
const vim = setting({ key: 'vim', kind: { type: 'boolean' }, value: false, defaultValue: false });
const turns = setting({ key: 'maxTurns', kind: { type: 'number' }, isNullable: true, value: null });
const settings = [vim, turns];

describe('steps', () => {
  test('choosing a setting leads to a value, then to a file, then to saving', () => {
    const list = configDialog({ type: 'list' }, settings);
    expect(list).toMatchObject({ type: 'list', items: [{ name: 'vim' }, { name: 'maxTurns' }] });
    const value = configDialog({ type: 'value', key: 'vim' }, settings);
    if (value.type !== 'choices') throw new Error(value.type);
    // The current value comes first and changes nothing.
    expect(value.choices.map(({ label, answer }) => [label, answer])).toEqual([
      ['false · now', { type: 'list', last: 'vim' }],
      ['true', { type: 'scope', key: 'vim', value: true }],
    ]);
    const scope = configDialog({ type: 'scope', key: 'vim', value: true }, settings);
    if (scope.type !== 'choices') throw new Error(scope.type);
    expect(scope.choices.map(({ answer }) => answer)).toEqual([
      { type: 'saving', edit: { key: 'vim', value: true, scope: 'user' } },
      { type: 'saving', edit: { key: 'vim', value: true, scope: 'local' } },
    ]);
  });

  test('after a change, the list keeps its position', () => {
    expect(configDialog({ type: 'list', last: 'maxTurns' }, settings)).toMatchObject({ start: 1 });
    expect(configDialog({ type: 'list', last: 'gone' }, settings)).toMatchObject({ start: 0 });
  });

  test('a number is typed; a mistake is reported, and "-" removes the value from a file', () => {
    const own = { ...turns, value: 5, source: '.clawdcode.json', rank: 4 };
    const dialog = configDialog({ type: 'value', key: 'maxTurns' }, [own]);
    if (dialog.type !== 'text') throw new Error(dialog.type);
    expect(dialog.initial).toBe('5');
    expect(dialog.read('x')).toEqual({ problem: 'maxTurns takes a number, or null.' });
    expect(dialog.read('7')).toEqual({ answer: { type: 'scope', key: 'maxTurns', value: 7 } });
    expect(dialog.read('-')).toEqual({ answer: { type: 'scope', key: 'maxTurns', value: undefined } });
    const scope = configDialog({ type: 'scope', key: 'maxTurns', value: 7 }, [own]);
    expect(scope).toMatchObject({
      choices: [{ detail: 'No effect now: .clawdcode.json overrides it here.' }, {}],
    });
  });

  test.each([
    [setting({ key: 'permissions.allow', kind: { type: 'json' } }), 'clawdcode config set permissions.allow'],
    [setting({ key: 'apiKey', kind: { type: 'secret' } }), 'not shown or typed here'],
    [{ ...vim, source: 'managed settings (/etc/x)', rank: 9 }, 'An administrator has set it'],
  ])('a setting that cannot be changed says why: %#', (one, why) => {
    const dialog = configDialog({ type: 'value', key: one.key }, [one]);
    if (dialog.type !== 'choices') throw new Error(dialog.type);
    expect(JSON.stringify(dialog.body)).toContain(why);
    expect(dialog.choices.map(({ answer }) => answer)).toEqual([{ type: 'list', last: one.key }]);
  });
});

test('plain mode prints the same dialogs, which are answered by lines', () => {
  const answers: ConfigAnswer[] = [];
  const ask = (step: Parameters<typeof configDialog>[0]) => {
    const dialog = configDialog(step, settings);
    if (dialog.type === 'wait') throw new Error('nothing to answer');
    return dialogueOf(dialog, (answer) => answers.push(answer));
  };
  expect(ask({ type: 'list' }).tell.join('\n')).toMatch(/2 settings:\n1\. vim +false, default/);
  expect(ask({ type: 'list' }).answer('maxTurns')).toBeUndefined();
  const typed = ask({ type: 'value', key: 'maxTurns' });
  expect(typed.tell.join('\n')).toContain('Type a new value. An empty line goes back.');
  expect(typed.answer('many')).toBe('maxTurns takes a number, or null.');
  expect(typed.answer('12')).toBeUndefined();
  ask({ type: 'value', key: 'maxTurns' }).answer('');
  expect(answers).toEqual([
    { type: 'value', key: 'maxTurns' },
    { type: 'scope', key: 'maxTurns', value: 12 },
    { type: 'list', last: 'maxTurns' },
  ]);
});
