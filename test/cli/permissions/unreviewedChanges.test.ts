import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ChangeRecord,
  openChangeRecord,
  relatedChanges,
} from '../../../src/cli/permissions/unreviewedChanges.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const change = (name: string, at = 1) => ({ at, paths: [`/p/${name}`], workspace: ['/p'] });

/** The file of the only record. */
function fileIn(dataRoot: string): string {
  const folder = join(dataRoot, 'unreviewed');
  return join(folder, readdirSync(folder)[0] ?? '');
}

test('whatever sessions do in any order, a change is known until a review has shown it', {
  tags: 'long',
}, async () => {
  const action = fc.oneof(
    fc.record({ do: fc.constant('add' as const), by: fc.nat(2), name: fc.constantFrom('a', 'b', '') }),
    fc.record({ do: fc.constant('show' as const), by: fc.nat(2) }),
    fc.record({ do: fc.constant('confirm' as const), by: fc.nat(2) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
      const dataRoot = temporaryFolder();
      const records = [0, 1, 2].map(() => openChangeRecord(dataRoot, '/p'));
      type Shown = Awaited<ReturnType<ChangeRecord['show']>> & { readonly upTo: number };
      const shown = new Map<number, Shown>();
      let added: { name: string; step: number }[] = [];
      let step = 0;
      for (const one of actions) {
        const record = records[one.by] as ChangeRecord;
        step++;
        if (one.do === 'add') {
          await record.add(one.name === '' ? { ...change(''), paths: [] } : change(one.name));
          added.push({ name: one.name, step });
        } else if (one.do === 'show') shown.set(one.by, { ...(await record.show()), upTo: step });
        else {
          const seen = shown.get(one.by);
          await seen?.reviewed(step);
          added = added.filter((earlier) => earlier.step > (seen?.upTo ?? 0));
        }
        for (const each of [...records, openChangeRecord(dataRoot, '/p')])
          expect(new Set(each.read().changes.map(({ paths }) => paths[0] ?? ''))).toEqual(
            new Set(added.map(({ name }) => (name === '' ? '' : `/p/${name}`))),
          );
      }
    }),
    { numRuns: 40 },
  );
});

test('a line that a crash cut short counts as a change and does not damage later lines', async () => {
  const dataRoot = temporaryFolder();
  await openChangeRecord(dataRoot, '/p').add(change('a'));
  const file = fileIn(dataRoot);
  truncateSync(file, 20);
  const record = openChangeRecord(dataRoot, '/p');
  expect(record.read().changes).toHaveLength(1);
  await record.add(change('b'));
  expect(record.read().changes.map(({ paths }) => paths)).toEqual([[], ['/p/b']]);
  await (await record.show()).reviewed(5);
  expect(record.read()).toMatchObject({ changes: [], reviewedAt: 5 });
});

test('equal changes are stored once, and a huge record stores no more paths', async () => {
  const dataRoot = temporaryFolder();
  const record = openChangeRecord(dataRoot, '/p');
  for (let at = 0; at < 9; at++) await record.add(change('a', at));
  const file = fileIn(dataRoot);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1);
  appendFileSync(file, `${' '.repeat(1_000_001)}\n`);
  for (const name of ['b', 'c', 'd']) await record.add(change(name));
  expect(record.read().changes.map(({ paths }) => paths)).toEqual([['/p/a'], []]);
});

test('a record that cannot be read counts as a change', async () => {
  const dataRoot = temporaryFolder();
  const record = openChangeRecord(dataRoot, '/p');
  expect(record.read().changes).toEqual([]);
  await record.add(change('a'));
  const file = fileIn(dataRoot);
  rmSync(file);
  mkdirSync(file);
  expect(record.read().changes).toMatchObject([{ paths: [] }]);
});

test('if no record can be written, a change is assumed', () => {
  const dataRoot = temporaryFolder();
  const isChanged = (): boolean => openChangeRecord(dataRoot, '/p').read().changes.length > 0;
  expect(isChanged()).toBe(false);
  symlinkSync(join(dataRoot, 'not-mounted'), join(dataRoot, 'unreviewed'));
  expect(isChanged()).toBe(true);
  rmSync(join(dataRoot, 'unreviewed'));
  writeFileSync(join(dataRoot, 'unreviewed'), '');
  expect(isChanged()).toBe(true);
  rmSync(join(dataRoot, 'unreviewed'));
  expect(openChangeRecord(join(dataRoot, 'new/home'), '/p').read().changes).toEqual([]);
});

test('a folder that is renamed or moved keeps its changes, with the folders inside it; a copy has none', async () => {
  const home = temporaryFolder();
  const dataRoot = temporaryFolder();
  const at = (name: string): string => join(home, name);
  mkdirSync(at('work/app/sub'), { recursive: true });
  for (const folder of ['work/app', 'work/app/sub'])
    await openChangeRecord(dataRoot, at(folder)).add({
      ...{ at: 5, paths: [at(`${folder}/package.json`)], workspace: [at(folder)] },
    });
  cpSync(at('work/app'), at('copy'), { recursive: true });
  renameSync(at('work'), at('renamed'));
  mkdirSync(at('moved'));
  renameSync(at('renamed/app'), at('moved/app'));
  const changes = (folder: string): number => relatedChanges(dataRoot, [at(folder)])().length;
  expect(changes('moved/app')).toBe(2);
  expect(changes('moved/app/sub')).toBe(2);
  expect(changes('copy')).toBe(0);
  // A new folder with the old name is a different one.
  mkdirSync(at('work/app'), { recursive: true });
  await openChangeRecord(dataRoot, at('work/app')).add({ at: 6, paths: [], workspace: [] });
  renameSync(at('work/app'), at('later'));
  expect(changes('later')).toBeGreaterThan(0);
});

test('an unreadable record affects every folder until the next review', async () => {
  const dataRoot = temporaryFolder();
  const inside = join(temporaryFolder(), 'sub');
  await openChangeRecord(dataRoot, inside).add(change('a'));
  truncateSync(fileIn(dataRoot), 20);
  const related = relatedChanges(dataRoot, ['/q']);
  expect(related()).toMatchObject([{ paths: [], at: expect.any(Number) }]);
  expect(related()[0]?.at).toBeGreaterThan(1);
  // The next line names the folder and the latest time.
  await openChangeRecord(dataRoot, inside).add({ ...change('b', 7), paths: [join(inside, 'b')] });
  expect(related()).toEqual([]);
  expect(relatedChanges(dataRoot, [join(inside, '..')])()).toMatchObject([{ at: 7, paths: [] }, { at: 7 }]);
  writeFileSync(join(dataRoot, 'unreviewed/other.jsonl'), 'junk');
  expect(related()).toMatchObject([{ folder: '' }]);
});
