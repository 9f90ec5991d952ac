import { expect, test } from 'vitest';
import type { SourcedRule } from '../../../src/permissions/rules/rules.ts';
import { rulesInWorktree } from '../../../src/permissions/rules/worktreeRules.ts';

/** `/link` leads to the project. */
const realpath = (path: string): string => path.replace(/^\/link(?=\/|$)/, '/home/u/p');
const worktree = { root: '/home/u/p', path: '/home/u/.clawdcode/worktrees/p/w', home: '/home/u', realpath };
const at = worktree.path;

/** The rules in the worktree, each as `text base`. */
function moved(text: string, behavior: SourcedRule['behavior'], base = worktree.root): readonly string[] {
  const rules = rulesInWorktree([{ text, behavior, base, source: 'test' }], worktree);
  return rules.map((rule) => `${rule.text} ${rule.base}`);
}

test.each<[string, SourcedRule['behavior'], readonly string[]]>([
  ['Read(./plans/**)', 'deny', [`Read(./plans/**) /home/u/p`, `Read(./plans/**) ${at}`]],
  ['Edit(/src/**)', 'ask', [`Edit(/src/**) /home/u/p`, `Edit(/src/**) ${at}`]],
  ['Edit(src/**)', 'allow', [`Edit(src/**) ${at}`]],
  ['Read(//home/u/p/plans/**)', 'deny', ['Read(//home/u/p/plans/**) /home/u/p', `Read(/plans/**) ${at}`]],
  ['Read(~/p/plans/a.txt)', 'deny', ['Read(~/p/plans/a.txt) /home/u/p', `Read(/plans/a.txt) ${at}`]],
  ['Read(//home/*/p/plans/**)', 'deny', ['Read(//home/*/p/plans/**) /home/u/p', `Read(/plans/**) ${at}`]],
  ['Edit(~/p/**)', 'allow', ['Edit(~/p/**) /home/u/p', `Edit(/**) ${at}`]],
  // The worktree may be outside the reach of such a pattern.
  [
    'Read(//home/u/**/p/a)',
    'deny',
    ['Read(//home/u/**/p/a) /home/u/p', `Read(/**/p/a) ${at}`, `Read(/a) ${at}`],
  ],
  ['Read(//home/**/plans/a)', 'deny', ['Read(//home/**/plans/a) /home/u/p', `Read(/**/plans/a) ${at}`]],
  ['Edit(//home/**)', 'ask', ['Edit(//home/**) /home/u/p', `Edit(/**) ${at}`]],
  ['Edit(//home/**)', 'allow', ['Edit(//home/**) /home/u/p']],
  ['Read(//link/plans/*)', 'deny', ['Read(//link/plans/*) /home/u/p', `Read(/plans/*) ${at}`]],
  ['Read(//link/plans/*)', 'allow', ['Read(//link/plans/*) /home/u/p']],
  ['Read(~/other/**)', 'deny', ['Read(~/other/**) /home/u/p']],
  ['Bash(npm test)', 'allow', ['Bash(npm test) /home/u/p']],
  ['Read', 'deny', ['Read /home/u/p']],
])('the rule %s (%s) is adapted to a worktree', (text, behavior, expected) => {
  expect(moved(text, behavior)).toEqual(expected);
});

test('a rule with a base outside the project stays unchanged; a rule of a subfolder moves with it', () => {
  expect(moved('Read(/a)', 'deny', '/home/u/.clawdcode')).toEqual(['Read(/a) /home/u/.clawdcode']);
  expect(moved('Read(/a)', 'deny', '/home/u/p/sub')).toEqual([
    'Read(/a) /home/u/p/sub',
    `Read(/a) ${at}/sub`,
  ]);
});
