import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RestoreStep } from '../../../src/protocol/checkpoints.ts';
import { foldSteps, moreText } from '../../../src/protocol/files/foldSteps.ts';

const root = '/home/me/project';
const step = (path: string, action: RestoreStep['action'] = 'refuse', reason?: string): RestoreStep => ({
  ...{ path: path.startsWith('/') ? path : `${root}/${path}`, action, added: 0, removed: 0 },
  ...(reason === undefined ? {} : { reason }),
});
const many = (count: number, folder: string, ...rest: [RestoreStep['action']?, string?]): RestoreStep[] =>
  Array.from({ length: count }, (_, at) => step(`${folder}/p${at}/index.js`, ...rest));

/** Paths relative to the root. */
function rowsOf(steps: readonly RestoreStep[]): readonly string[] {
  const shown = (path: string): string => path.replace(`${root}/`, '');
  return foldSteps(steps, root).map((row) =>
    row.type === 'path' ? shown(row.step.path) : `${row.step.action}: ${moreText(row, shown)}`,
  );
}

test('of the many files of an install, the first are named and the rest is counted', () => {
  const steps = [
    step('package.json'),
    step('node_modules'),
    ...many(12_347, 'node_modules'),
    step('src/a.js'),
  ];
  expect(rowsOf(steps)).toEqual([
    'package.json',
    'node_modules',
    'node_modules/p0/index.js',
    'node_modules/p1/index.js',
    'refuse: 12,345 more in node_modules/',
    'src/a.js',
  ]);
});

test('up to twenty alike are all named', () => {
  expect(rowsOf(many(20, 'src'))).toHaveLength(20);
  expect(rowsOf(many(21, 'src'))).toHaveLength(4);
});

test('the folder is the innermost one that contains all that are counted', () => {
  expect(rowsOf(many(30, 'packages/a/node_modules')).at(-1)).toBe(
    'refuse: 27 more in packages/a/node_modules/',
  );
  const two = [...many(30, 'packages/a/node_modules'), ...many(30, 'packages/ab/node_modules')];
  expect(rowsOf(two).at(-1)).toBe('refuse: 57 more in packages/');
  expect(rowsOf(many(30, '/opt/tools')).at(-1)).toBe('refuse: 27 more in /opt/tools/');
});

test('paths with another action or for another reason are counted on their own; a reason may name its path', () => {
  const own = many(30, 'lib').map((one) => ({ ...one, reason: `${one.path} runs code` }));
  const steps = [...own, ...many(30, 'lib', 'delete'), ...many(30, 'lib', 'refuse', 'it changed')];
  expect(rowsOf(steps).filter((row) => row.includes('more in'))).toEqual([
    'refuse: 27 more in lib/',
    'delete: 27 more in lib/',
    'refuse: 27 more in lib/',
  ]);
});

test('links are all named, and what becomes executable is counted on its own', () => {
  const created = (name: string, to: RestoreStep['to']): RestoreStep[] =>
    many(30, name, 'create').map((one) => ({ ...one, to }));
  const file = (mode: number) => ({ type: 'file', mode, bytes: 1 }) as const;
  expect(rowsOf(created('bin', { type: 'link', target: '/etc/passwd' }))).toHaveLength(30);
  const rows = rowsOf([...created('bin', file(0o644)), ...created('bin', file(0o755))]);
  expect(rows.filter((row) => row.includes('more in'))).toEqual([
    'create: 27 more in bin/',
    'create: 27 more in bin/',
  ]);
});

test('every path is named or counted once, and a count names a folder that contains them', () => {
  const name = fc.constantFrom('a', 'ab', 'b', 'node_modules');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  const action = fc.constantFrom<RestoreStep['action']>('refuse', 'delete');
  const paths = fc.uniqueArray(fc.tuple(path, fc.nat(200)), { maxLength: 200, selector: String });
  fc.assert(
    fc.property(paths, action, fc.boolean(), (all, what, isInProject) => {
      const base = isInProject ? root : '/elsewhere';
      const steps = all.map(([folder, id]) => step(`${base}/${folder}/f${id}`, what));
      const rows = foldSteps(steps, root);
      const counted = rows.reduce((sum, row) => sum + (row.type === 'more' ? row.count : 1), 0);
      expect(counted).toBe(steps.length);
      for (const row of rows)
        if (row.type === 'more') expect(row.step.path.startsWith(`${row.folder}/`)).toBe(true);
    }),
  );
});
