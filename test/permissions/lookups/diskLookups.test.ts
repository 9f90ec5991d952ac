import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskLookups } from '../../../src/permissions/lookups/diskLookups.ts';
import { top } from '../harness.ts';

const { expandGlob } = diskLookups(process.env);
const place = join(top, 'globs');
for (const name of ['a/one.md', 'a/.two.md', 'b/[x].md', 'b/c/three.md', 'b/x'].map((name) =>
  join(place, name),
)) {
  mkdirSync(join(name, '..'), { recursive: true });
  writeFileSync(name, '');
}

test.each([
  '*',
  '*/*.md',
  '*/?*',
  'a/.*.md',
  '[ab]/*',
  '[!a]/*',
  'b/\\[x].md',
  'none/*',
  'a/none*',
  'b/c/three.md',
])('returns everything that bash expands %s to', (pattern) => {
  const printed = execFileSync('bash', ['-O', 'nullglob', '-c', `printf '%s\\n' ${pattern}`], {
    cwd: place,
    encoding: 'utf8',
  });
  const names = printed.split('\n').filter((name) => name !== '');
  const found = expandGlob(join(place, pattern.replaceAll('\\', '')));
  expect(found).toEqual(expect.arrayContaining(names.map((name) => join(place, name))));
});

test('a pattern with a leading dot also matches the parent folder, as in some shells', () => {
  expect(expandGlob(join(place, 'a/.*'))).toEqual(
    expect.arrayContaining([join(place, 'a/.two.md'), `${place}/a/..`]),
  );
  expect(expandGlob(join(place, 'a/*'))).not.toContain(`${place}/a/..`);
});

test('expands ** into subfolders, and gives up on too many files', { tags: 'long' }, () => {
  expect(expandGlob(join(place, '**/*.md'))).toContain(join(place, 'b/c/three.md'));
  mkdirSync(join(place, 'many'));
  for (let index = 0; index < 5001; index += 1) writeFileSync(join(place, 'many', `f${index}`), '');
  expect(expandGlob(join(place, 'many/*'))).toBeUndefined();
});
