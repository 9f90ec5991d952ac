import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { namesIn } from '../../src/disk/fileLookups.ts';
import { createInterruptedCommands } from '../../src/sandbox/places/interruptedCommands.ts';
import { readList, writeList } from '../../src/sandbox/places/listNotes.ts';
import { unreportedSetAside } from '../../src/sandbox/protectedChanges.ts';

let folder: string;
beforeEach(() => {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'list-notes-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  folder = made;
});

/** The pid of a process that has ended. */
const ended = (): number => spawnSync(process.execPath, ['-e', '']).pid;

test('a list of thousands of paths is read back unchanged', () => {
  const paths = Array.from({ length: 5000 }, (_, at) => `/project/packages/folder-${at}/.git`);
  writeList(join(folder, 'notes', 'a'), paths);
  expect(readList(join(folder, 'notes', 'a'))).toEqual(paths);
  expect(readList(join(folder, 'missing'))).toEqual([]);
  const notes = join(folder, 'set-aside');
  writeList(join(notes, String(ended())), paths);
  expect(unreportedSetAside(notes, ['/project'])).toHaveLength(paths.length);
});

test('if the list of files before a command is too large to read, all files count as left behind by it', () => {
  const before = new Map(Array.from({ length: 100 }, (_, at) => [`/p/${at}/.git`, 's'] as const));
  const left = (maxBytes: number): number => {
    const notes = join(folder, String(maxBytes));
    createInterruptedCommands(notes, maxBytes).begin(['/p'], before);
    renameSync(join(notes, nameIn(notes)), join(notes, `${ended()}-1`));
    return createInterruptedCommands(notes, maxBytes).take(['/p'], new Map([...before, ['/p/new', 's']]))
      .size;
  };
  expect(left(1_000_000)).toBe(1);
  expect(left(1000)).toBe(101);
});

const nameIn = (notes: string): string => namesIn(notes)[0] ?? '';
