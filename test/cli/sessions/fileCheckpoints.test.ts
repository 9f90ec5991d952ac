import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFileCheckpoints } from '../../../src/checkpoints/createFileCheckpoints.ts';
import { filesAfterMove } from '../../../src/cli/sessions/fileCheckpoints.ts';
import { BlobStore } from '../../../src/context/index.ts';

/** A folder with one file that a session changed, and one that it created. */
async function setUp() {
  const base = mkdtempSync(join(tmpdir(), 'clawdcode-moved-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const open = (name: string) =>
    createFileCheckpoints({
      root: join(base, name),
      folder: join(base, 'unchanged'),
      blobs: new BlobStore(join(base, 'blobs')),
    });
  const [old, other] = [join(base, 'old'), join(base, 'other')];
  for (const folder of [old, other]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.txt'), 'one\n');
  }
  const files = open('old');
  await files.baseline();
  writeFileSync(join(old, 'a.txt'), 'two\n');
  writeFileSync(join(old, 'new.txt'), 'new\n');
  const { changes } = await files.capture();
  await files.close();
  return { base, old, other, open, changes };
}

test('a moved project is rewound at its new location', async () => {
  const { base, old, open, changes } = await setUp();
  const moved = join(base, 'moved');
  renameSync(old, moved);
  const files = filesAfterMove(open('moved'), old, moved);
  onTestFinished(() => files.close());
  expect((await files.diff(changes)).map(({ path }) => path)).toEqual([
    join(moved, 'a.txt'),
    join(moved, 'new.txt'),
  ]);
  const { changes: done, notes } = await files.apply(await files.plan(changes));
  expect(notes).toEqual([]);
  expect(done.map(({ path, after }) => [path, after === undefined])).toEqual([
    [join(moved, 'new.txt'), true],
    [join(moved, 'a.txt'), false],
  ]);
  expect(readFileSync(join(moved, 'a.txt'), 'utf8')).toBe('one\n');
  // And back again, with the current paths.
  await files.apply(await files.plan(done));
  expect(readFileSync(join(moved, 'a.txt'), 'utf8')).toBe('two\n');
});

test('another project’s files are unchanged, and the reason is given', async () => {
  const { old, other, open, changes } = await setUp();
  const files = filesAfterMove(open('other'), old, other);
  onTestFinished(() => files.close());
  const plan = await files.plan(changes);
  expect(plan.steps).toMatchObject([
    { path: join(old, 'a.txt'), action: 'refuse', reason: `it belongs to another project, ${old}` },
    { path: join(old, 'new.txt'), action: 'refuse' },
  ]);
  expect((await files.apply(plan)).changes).toEqual([]);
  expect(readFileSync(join(old, 'a.txt'), 'utf8')).toBe('two\n');
  expect(readFileSync(join(old, 'new.txt'), 'utf8')).toBe('new\n');
});
