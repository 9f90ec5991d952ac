import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
// @ts-expect-error: a script of the build, without types
import { licensesOf } from '../scripts/licenses.mjs';

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

test('dependencies are what the program imports, and nothing else', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
    'dependencies' | 'optionalDependencies',
    Record<string, string>
  >;
  const folder = fileURLToPath(new URL('../src', import.meta.url));
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const imported = sources.flatMap((name) => {
    const source = readFileSync(join(folder, name), 'utf8');
    return [...source.matchAll(/(?:\bfrom |\bimport\(|\bimport )'([^'.][^']*)'/g)].map(
      ([, path = '']) => path,
    );
  });
  const packages = imported
    .filter((path) => !path.startsWith('node:'))
    .map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  expect(Object.keys({ ...dependencies, ...optionalDependencies }).sort()).toEqual(
    [...new Set(packages)].sort(),
  );
});

test('the bundle’s packages come with their licenses, each once', () => {
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
