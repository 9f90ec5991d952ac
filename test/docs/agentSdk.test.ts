/** The tables of docs/agent-sdk.md have exactly the names in the SDK's types, and agree with the scripts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scripts } from '../agentSdk/scripts/all.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const names = JSON.parse(read('test/fixtures/agentSdk/names.json')) as {
  readonly sdk: string;
  readonly options: readonly string[];
  readonly methods: readonly string[];
};
const recorded = JSON.parse(read('test/fixtures/agentSdk/claudeCode.json')) as {
  readonly sdk: string;
  readonly outcomes: Readonly<Record<string, unknown>>;
};
const doc = read('docs/agent-sdk.md');

/** The rows of the table in a section. */
function rows(heading: string): readonly { readonly name: string; readonly cell: string }[] {
  const [, section = ''] = doc.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `?([^|`]+?)`? \| ([^|]*?) \|/gm)]
    .map(([, name = '', cell = '']) => ({ name, cell }))
    .filter(({ name }) => !/^(?:option|method|script|---)$/.test(name));
}

test('names, outcomes and tables belong to one version', () => {
  expect(recorded.sdk).toBe(names.sdk);
  expect(doc).toContain(`of version ${names.sdk}.`);
});

describe.each([
  ['Options', names.options],
  ['Methods of a query', names.methods],
] as const)('%s', (heading, all) => {
  test('the table has every name once', () => {
    expect(rows(heading).map(({ name }) => name)).toEqual(all);
  });

  test('a script drives everything that works, and no compared script drives what does not', () => {
    const covered = new Set(scripts.flatMap(({ covers }) => covers));
    const different = new Set(rows('Differences').map(({ name }) => name));
    const compared = new Set(
      scripts.filter(({ name }) => !different.has(name)).flatMap(({ covers }) => covers),
    );
    expect(rows(heading).filter(({ name, cell }) => cell === 'yes' && !covered.has(name))).toEqual([]);
    expect(rows(heading).filter(({ name, cell }) => cell === 'no' && compared.has(name))).toEqual([]);
  });
});

test('every script has Claude Code’s outcome, and every difference belongs to a script', () => {
  const all = scripts.map(({ name }) => name);
  expect(Object.keys(recorded.outcomes).sort()).toEqual([...all].sort());
  expect(new Set(all).size).toBe(all.length);
  expect(rows('Differences').filter(({ name }) => !all.includes(name))).toEqual([]);
});
