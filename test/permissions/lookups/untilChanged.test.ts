import { linkSync, renameSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { untilChanged } from '../../../src/permissions/lookups/untilChanged.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const setup = (age = 10_000) => {
  const folder = temporaryFolder();
  const file = join(folder, 'notes.txt');
  writeFileSync(file, 'one');
  utimesSync(file, 5, 5);
  const asked: string[] = [];
  const lookUp = untilChanged(
    (path) => {
      asked.push(path);
      return path.endsWith('notes.txt');
    },
    () => Date.now() + age,
  );
  return { folder, file, asked, lookUp };
};

test('a file that has not changed is looked at once', () => {
  const { file, asked, lookUp } = setup();
  expect([lookUp(file), lookUp(file), lookUp(file)]).toEqual([true, true, true]);
  expect(asked).toHaveLength(1);
});

test('a file that has only just changed is looked at each time', () => {
  const { file, asked, lookUp } = setup(0);
  lookUp(file);
  lookUp(file);
  expect(asked).toHaveLength(2);
});

test.each([
  ['other content of the same size', (file: string) => writeFileSync(file, 'two')],
  [
    'another file with the same size and time',
    (file: string) => {
      writeFileSync(`${file}.new`, 'two');
      utimesSync(`${file}.new`, 5, 5);
      renameSync(`${file}.new`, file);
    },
  ],
  ['another time of change', (file: string) => utimesSync(file, 1, 1)],
  [
    'a link to another file',
    (file: string) => {
      writeFileSync(`${file}.target`, 'one');
      unlinkSync(file);
      symlinkSync(`${file}.target`, file);
    },
  ],
])('is looked at again: %s', (_, change) => {
  const { file, asked, lookUp } = setup();
  lookUp(file);
  change(file);
  lookUp(file);
  expect(asked).toHaveLength(2);
});

test('the answer may depend on the name, and there is none for what is no file', () => {
  const { folder, file, asked, lookUp } = setup();
  const other = join(folder, 'other.txt');
  linkSync(file, other);
  expect([lookUp(file), lookUp(other)]).toEqual([true, false]);
  expect([lookUp(folder), lookUp(join(folder, 'missing')), lookUp(folder)]).toEqual([false, false, false]);
  expect(asked).toEqual([file, other, folder, join(folder, 'missing'), folder]);
});
