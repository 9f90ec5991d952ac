import { describe, expect, test } from 'vitest';
import { fillIn } from '../../src/extensions/skillText.ts';

const about = { sessionId: 'session1', directory: '/srv/app/.claude/skills/review' };

function text(body: string, args = ''): string {
  return fillIn(body, { ...about, args })
    .map((part) => (part.type === 'text' ? part.text : `<${part.command}>`))
    .join('');
}

const variable = (name: string): string => `$\{CLAUDE_${name}}`;

describe('arguments', () => {
  test.each([
    ['Look at $ARGUMENTS.', 'a "b c"', 'Look at a "b c".'],
    ['$1 then $2, $3', 'one "two three"', 'one then two three, '],
    ['$0 then $1', 'one two', 'one then two'],
    ['$ARGUMENTS[0] and $ARGUMENTS[1]', "'one x' two", 'one x and two'],
    ['It costs $12 or $1.50.', 'x', 'It costs $12 or x.50.'],
    ['No mention.', 'but given', 'No mention.\n\nARGUMENTS: but given'],
    ['No mention.', '  ', 'No mention.'],
    [
      `${variable('SESSION_ID')} in ${variable('SKILL_DIR')}`,
      '',
      'session1 in /srv/app/.claude/skills/review',
    ],
  ])('%s with %j', (body, args, filled) => {
    expect(text(body, args)).toBe(filled);
  });
});

describe('commands', () => {
  test.each([
    ['Branch: !`git branch`\nend', '', 'Branch: <git branch>\nend'],
    ['!`gh pr view $1`', '12', '<gh pr view 12>'],
    ['before\n```!\ngit status\ngit diff\n```\nafter', '', 'before\n<git status\ngit diff>\nafter'],
    // Code that is only shown.
    ['Use a!`b` and `!c`', '', 'Use a!`b` and `!c`'],
    ['!` `', '', '!` `'],
  ])('%j with %j', (body, args, filled) => {
    expect(text(body, args)).toBe(filled);
  });

  test('an argument cannot include a file', () => {
    const parts = fillIn('Say $ARGUMENTS', { ...about, args: '!`rm -rf .` and $1' });
    expect(parts).toEqual([{ type: 'text', text: 'Say !`rm -rf .` and $1' }]);
  });

  test('a block ends at the next fence, and unclosed openings are read once', () => {
    const parts = fillIn('```!\nls\n```sh\nrm x\n```\n', { ...about, args: '' });
    expect(parts.filter(({ type }) => type === 'command')).toEqual([]);
    // Ends only if not every opening is searched up to the end of the file.
    for (const text of ['```!\n'.repeat(40_000), `\`\`\`!${'\n'.repeat(190_000)}`])
      expect(fillIn(text, { ...about, args: '' })).toEqual([{ type: 'text', text }]);
  });

  test('the first 20 commands of a file run', () => {
    const parts = fillIn('!`x`\n'.repeat(30), { ...about, args: '' });
    expect(parts.filter(({ type }) => type === 'command')).toHaveLength(20);
    expect(parts.at(-1)).toEqual({ type: 'text', text: `\n${'!`x`\n'.repeat(10)}` });
  });
});
