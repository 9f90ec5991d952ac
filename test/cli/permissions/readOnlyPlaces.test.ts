import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { createReadOnlyPlaces } from '../../../src/cli/permissions/readOnlyPlaces.ts';

function project(files: readonly string[]) {
  const home = realpathSync(mkdtempSync(join(homedir(), 'read-only-')));
  const root = join(home, 'project');
  const write = (path: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'x');
  };
  files.forEach(write);
  const places = createReadOnlyPlaces();
  const found = async (texts: readonly string[], opened: readonly string[] = []) =>
    (
      await places({
        ...{ home, workspace: [root] },
        rules: texts.map((text) => {
          const [behavior, rule = ''] = text.split(' ');
          return {
            text: rule,
            behavior: behavior === 'deny' ? 'deny' : 'ask',
            source: 'project',
            base: root,
          };
        }),
        opened: opened.map((path) => join(root, path)),
      })
    )
      .map((path) => relative(root, path))
      .toSorted();
  return { home, root, write, found };
}

test('edit-denied paths are found as files and as entire folders', async () => {
  const { found, write } = project([
    'src/a.ts',
    'docs/deep/a.md',
    'docs/a.lock',
    'gen/x/one.ts',
    'CHANGELOG.md',
    'b.lock',
  ]);
  expect(await found(['deny Edit(src/**)', 'deny Write(./CHANGELOG.md)'])).toEqual(['CHANGELOG.md', 'src']);
  expect(await found(['deny Edit(*.lock)', 'deny Edit(docs/deep)'])).toEqual([
    'b.lock',
    'docs/a.lock',
    'docs/deep',
  ]);
  expect(await found(['deny Edit(gen/*/*.ts)'])).toEqual(['gen/x/one.ts']);
  write('gen/y/two.ts');
  expect(await found(['deny Edit(gen/*/*.ts)'])).toEqual(['gen/x/one.ts', 'gen/y/two.ts']);
});

test('a rule that names a link covers its target', async () => {
  const { found, root } = project(['real/a.ts']);
  symlinkSync('real', join(root, 'src'));
  expect(await found(['deny Edit(src/**)'])).toEqual(['real']);
});

test.each([
  ['no rule', []],
  ['other rules', ['deny Read(src/**)', 'deny Bash(rm:*)', 'ask Edit(src/**)', 'deny Edit']],
  ['the workspace', ['deny Edit(/**)', 'deny Edit(**)', 'deny Edit(~/**)', 'deny Edit(//**)']],
  ['what programs write', ['deny Edit(dist/**)', 'deny Edit(node_modules/**)', 'deny Edit(.git/**)']],
  ['what is missing', ['deny Edit(missing/**)']],
])('%s makes nothing read-only', async (_name, rules) => {
  const { found } = project(['src/a.ts', 'dist/a.js', 'node_modules/a/i.js', '.git/config']);
  expect(await found(rules)).toEqual([]);
});

test('places that settings open for writing stay writable', async () => {
  const { found } = project(['src/a.ts', 'docs/a.md']);
  expect(await found(['deny Edit(src/**)', 'deny Edit(docs/**)'], ['src'])).toEqual(['docs']);
});
