import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
// @ts-expect-error: a script of the build, without types
import { licensesOf } from '../scripts/licenses.mjs';

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

test('whoever installs the package gets only what the bundle leaves outside', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const [, external = ''] = /external: \[([^\]]*)\]/.exec(read('scripts/build.mjs')) ?? [];
  expect(Object.keys(dependencies)).toEqual(external.split(',').map((name) => name.trim().slice(1, -1)));
});

test('what the bundle holds comes with its licences, each package once', () => {
  const inputs = {
    'src/a.ts': {},
    'node_modules/react/index.js': {},
    'node_modules/react/cjs/react.js': {},
    'node_modules/@mozilla/readability/index.js': {},
  };
  const text: string = licensesOf({ inputs }, ['yoga-layout'], new URL('..', import.meta.url).pathname);
  expect(text.match(/^\S+ [\d.]+ \(.*\)$/gm)?.map((line) => line.split(' ')[0])).toEqual([
    '@mozilla/readability',
    'react',
    'yoga-layout',
  ]);
  expect(text).toContain('Permission is hereby granted');
});
