import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { listTree } from '../../../src/permissions/lookups/filesBelow.ts';
import { bash, policyFor, root } from '../harness.ts';

for (const file of [
  'payload/.vscode/tasks.json',
  'nested/deep/AGENTS.md',
  'ci/workflows/x.yml',
  'lib/a.ts',
  'lib/sub/b.ts',
  'other/c.ts',
  'withenv/.env',
  '.github/x.md',
  'many/0',
  'stage/s/workflows/x.yml',
  '.github/s/x.md',
  'inside/deep/y.md',
]) {
  mkdirSync(join(root, dirname(file)), { recursive: true });
  writeFileSync(join(root, file), 'x\n');
}
mkdirSync(join(root, 'withlink'));
symlinkSync('../../.zshenv', join(root, 'withlink/x'));
symlinkSync('../../a.txt', join(root, 'inside/deep/x'));
const outsideFolder = join(root, '../elsewhere');
mkdirSync(outsideFolder, { recursive: true });
symlinkSync(join(root, 'a.txt'), join(outsideFolder, 'link'));
writeFileSync(join(root, 'token.ts'), `// ${['ghp', 'k7Qz2LmX9vRb4TnW8sYd3HfJ6pCg1AeU5oKi'].join('_')}\n`);
for (let index = 0; index < 1001; index += 1) writeFileSync(join(root, 'many', `${index}`), '');

describe('acceptEdits checks the contents of a folder at their destination', () => {
  test.each([
    ['ask', 'cp -r payload/. .'],
    ['ask', 'cp -a payload/. .'],
    ['ask', 'cp -R payload x'],
    ['ask', 'cp --recursive payload x'],
    ['ask', 'mv payload x'],
    ['ask', 'mv payload/.vscode .'],
    ['ask', 'cp payload/.vscode/tasks.json .vscode/tasks.json'],
    ['ask', 'cp -r nested/deep docs'],
    ['ask', 'mv nested docs'],
    ['ask', 'cp -r ci/. .github'],
    ['ask', 'cp -r ci/workflows .github'],
    ['ask', 'mv ci/workflows .github/'],
    ['ask', 'mv ci/workflows .GitHub/'],
    ['allow', 'cp -r ci docs'],
    ['allow', 'cp -r lib lib2'],
    ['allow', 'cp -r lib/. other'],
    ['allow', 'mv lib other/'],
    ['allow', 'mv lib/a.ts lib/b.ts'],
    ['allow', 'mv lib/a.ts lib/sub/b.ts .'],
    ['allow', 'mkdir -p out && cp -r lib out'],
    ['allow', 'cd lib && mv a.ts c.ts'],
    ['allow', 'mv lib/a.ts lib/x.ts && mv other/c.ts other/d.ts'],
    ['allow', 'cp payload/.vscode/tasks.json docs/tasks.md'],
    ['allow', 'cp -r lib lib2 2>/dev/null'],
    ['ask', 'cp -r withenv x'],
    ['ask', 'cp -r many x'],
    ['ask', 'cp -r lib/.. docs'],
    // A relative link leads elsewhere from another place.
    ['ask', 'mv withlink/x y && cp a.txt y'],
    ['ask', 'mv withlink/x sub'],
    ['ask', 'cp -r withlink x'],
    ['ask', 'mv inside/deep/x y'],
    ['ask', 'cp -r inside/deep y'],
    ['allow', 'cp inside/deep/x y'],
    ['ask', 'cp -a innerlink x'],
  ])('%s: %s', async (behavior, command) => {
    expect((await bash(command, [], 'acceptEdits')).behavior).toBe(behavior);
  });

  // The content now is not the content when the later part runs.
  test.each([
    ['ask', 'mv ci q && cp -r q/. .github'],
    ['ask', 'mv ci q; cp -r q/. .github'],
    ['ask', 'mv lib old && mv ci lib && cp -r lib/. .github'],
    ['ask', 'mkdir -p q/workflows && cp ci/workflows/x.yml q/workflows/ && cp -r q/. .github'],
    ['ask', 'mkdir -p q/workflows; echo x > q/workflows/x.yml; cp -r q/. .github'],
    ['ask', 'for i in 1 2; do cp -r q/. .github; cp -r ci/. q; done'],
    ['ask', 'cp -r lib/. .github & cp -r ci/. lib'],
    ['ask', 'cp -r stage/. .github/s/. .github'],
    ['allow', 'cp -r stage/. .github/s/. docs'],
    ['ask', 'npm test && cp -r lib x', 'allow Bash(npm test)'],
    ['allow', 'cp -r lib x && npm test', 'allow Bash(npm test)'],
    ['allow', 'mv lib/a.ts lib/x.ts && git add lib', 'allow Bash(git add:*)'],
  ])('%s: %s', async (behavior, command, ...rules) => {
    expect((await bash(command, rules, 'acceptEdits')).behavior).toBe(behavior);
  });
});

describe('acceptEdits removes and edits in place what could also be edited', () => {
  test.each([
    ['allow', 'rm a.txt'],
    ['allow', 'rm -f lib/a.ts other/c.ts'],
    ['allow', 'rm -rf coverage'],
    ['ask', 'rm -rf lib'],
    ['allow', 'rm none.txt'],
    ['allow', 'rmdir lib/sub'],
    ['allow', 'cd lib && rm a.ts'],
    ['ask', 'rm .env'],
    ['ask', 'rm AGENTS.md'],
    ['ask', 'rm -r payload'],
    ['ask', 'rm -r withenv'],
    ['ask', 'rm -r .git'],
    ['ask', 'rm -rf .'],
    ['ask', 'rm -rf ..'],
    ['ask', 'rm -rf "$PWD"'],
    ['ask', 'rm -rf /'],
    ['ask', 'rm -rf ~'],
    ['ask', 'rm -rf *'],
    ['ask', 'rm -rf many'],
    ['ask', 'rm -rf "$X"'],
    ['ask', 'rm ../x'],
    ['ask', 'rm -i a.txt'],
    ['ask', `rm ${join(outsideFolder, 'link')}`],
    ['ask', 'rm --no-preserve-root -rf lib'],
    ['ask', 'mv ci dist && rm -r dist'],
  ])('%s: %s', async (behavior, command) => {
    expect((await bash(command, [], 'acceptEdits')).behavior).toBe(behavior);
  });
  test.each([
    ['allow', "sed -i 's/a/b/' a.txt"],
    ['allow', "sed -i -E -e 's/(a)/b/g' -e '/x/d' lib/a.ts other/c.ts"],
    ['allow', "sed --in-place '1d' a.txt"],
    ['ask', "sed -i 's/a/b/e' a.txt"],
    ['ask', "sed -i 's/a/b/w .zshenv' a.txt"],
    ['ask', "sed -i '1e id' a.txt"],
    ['ask', "sed -i 'r .env' a.txt"],
    ['ask', "sed -i 's/a/b/' AGENTS.md"],
    ['ask', "sed -i 's/a/b/' .env"],
    ['ask', "sed -i 's/a/b/' ../x"],
    ['ask', "sed -i 's/a/b/' *.ts"],
    ['ask', "sed -i.bak 's/a/b/' a.txt"],
    ['ask', 'sed -i -f x.sed a.txt'],
    ['ask', 'sed -i "$X" a.txt'],
    ['ask', `sed -i s/a/b/ ${join(outsideFolder, 'link')}`],
    ['ask', "sed -i 's/./& /g' token.ts"],
  ])('%s: %s', async (behavior, command) => {
    expect((await bash(command, [], 'acceptEdits')).behavior).toBe(behavior);
  });
  test('the sed of macOS takes the script as a suffix', async () => {
    const policy = await policyFor([], 'acceptEdits', { platform: 'darwin' });
    const access = { type: 'command', command: "sed -i 's/a/b/' a.txt", cwd: root } as const;
    expect(decide({ tool: 'Bash', access }, policy).behavior).toBe('ask');
  });
  test.each(['rm a.txt', 'rm -rf coverage', "sed -i 's/a/b/' a.txt"])(
    '%s asks in other modes',
    async (command) => {
      expect((await bash(command, [], 'default')).behavior).toBe('ask');
    },
  );
});

test.each([
  'cp a.txt dangling.md',
  'cp a.txt chain.md',
  'cp a.txt nowhere/x',
  'mv a.txt dangling.md',
  'touch dangling.md',
  'mkdir nowhere/x',
  'echo x > dangling.md',
  'echo x >> chain.md',
  'echo x > hook.md',
  'echo x > nowhere/deep/x',
  'echo x > .gi[t]/hooks/pre-commit',
  'echo x > .g?t/hooks/pre-commit',
  'echo x > .GIT/hooks/pre-commit',
  'cp a.txt AGENTS.md',
  'touch node_modules/x/index.js',
])('%s needs approval in acceptEdits', async (command) => {
  expect((await bash(command, [], 'acceptEdits')).behavior).toBe('ask');
});

test('the reason for a folder names the protected file in it', async () => {
  expect((await bash('cp -r payload/. .', [], 'acceptEdits')).reason).toBe(
    `${join(root, '.vscode')} controls the editor, so writing it always needs approval.`,
  );
});

test('a tree is listed without following links, up to a limit', () => {
  expect(listTree(join(root, 'withlink'))).toEqual([
    { path: '', kind: 'folder' },
    { path: 'x', kind: 'link' },
  ]);
  expect(listTree(join(root, 'link'))).toEqual([{ path: '', kind: 'link' }]);
  expect(listTree(join(root, 'a.txt'))).toEqual([{ path: '', kind: 'file' }]);
  expect(listTree(join(root, 'none'))).toEqual([]);
  expect(listTree(join(root, 'a.txt/below'))).toEqual([]);
  expect(listTree(join(root, 'many'))).toBeUndefined();
});

test.each([
  ['rm a.txt b.txt', ['a.txt', 'b.txt']],
  ['sed -i s/a/b/ a.txt', ['a.txt']],
  ['cp a.txt b.txt', ['b.txt', 'b.txt/a.txt']],
  ['mv a.txt docs', ['a.txt', 'docs', 'docs/a.txt']],
  ['cat a.txt > b.txt', ['b.txt']],
  ['mkdir -p x/y && touch x/y/z && ls', undefined],
])('the mode allows %s only as far as it can be undone', async (command, replaced) => {
  const decision = await bash(command, [], 'acceptEdits');
  expect(decision).toMatchObject({ behavior: 'allow', basis: 'mode' });
  const paths = replaced?.map((name) => join(root, name));
  expect(decision.replaces && [...decision.replaces].sort()).toEqual(paths);
  const byRule = await bash(command, ['allow Bash(*)'], 'acceptEdits');
  expect(byRule.replaces).toEqual(command.includes('>') ? paths : undefined);
});
