import { expect, test } from 'vitest';
import type { SourcedRule } from '../../../src/permissions/rules/rules.ts';
import { rulesInWorktree } from '../../../src/permissions/rules/worktreeRules.ts';

const worktree = { root: '/home/u/p', path: '/home/u/.clawdcode/worktrees/p/w', home: '/home/u' };
const at = worktree.path;

/** Each as `behavior text base`. */
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
  ['Read(~/other/**)', 'deny', ['Read(~/other/**) /home/u/p']],
  ['Bash(npm test)', 'allow', ['Bash(npm test) /home/u/p']],
  ['Read', 'deny', ['Read /home/u/p']],
])('%s, %s', (text, behavior, expected) => {
  expect(moved(text, behavior)).toEqual(expected);
});

test('a rule whose base is elsewhere stays as it is; one of a folder moves with the folder', () => {
  expect(moved('Read(/a)', 'deny', '/home/u/.clawdcode')).toEqual(['Read(/a) /home/u/.clawdcode']);
  expect(moved('Read(/a)', 'deny', '/home/u/p/sub')).toEqual([
    'Read(/a) /home/u/p/sub',
    `Read(/a) ${at}/sub`,
  ]);
});
