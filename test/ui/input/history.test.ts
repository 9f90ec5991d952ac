import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createHistoryFile,
  type HistoryWalk,
  moveInHistory,
  prepend,
  remember,
  startWalk,
} from '../../../src/ui/input/history.ts';

describe('moving through earlier prompts', () => {
  /** Presses ↑ (-1) and ↓ (1), with the text of the editor before each, and returns the shown texts. */
  const press = (start: HistoryWalk<string>, keys: readonly [-1 | 1, string][]): (string | undefined)[] => {
    let walk = start;
    return keys.map(([by, current]) => {
      const step = moveInHistory(walk, by, current);
      if (step === undefined) return undefined;
      walk = step.walk;
      return 'draft' in step.show ? step.show.draft : step.show.entry;
    });
  };

  test('moves to older ones and back to the draft, and stops at both ends', () => {
    expect(
      press(startWalk(['one', 'two']), [
        [-1, 'draft'],
        [-1, 'two'],
        [-1, 'one'],
        [1, 'one'],
        [1, 'two'],
        [1, 'draft'],
      ]),
    ).toEqual(['two', 'one', undefined, 'two', 'draft', undefined]);
  });

  test('keeps edits of entries on the way', () => {
    expect(
      press(startWalk(['one', 'two']), [
        [-1, 'draft'],
        [-1, 'two, edited'],
        [1, 'one'],
        [1, 'two, edited'],
        [-1, 'draft'],
      ]),
    ).toEqual(['two', 'one', 'two, edited', 'draft', 'two, edited']);
  });

  test('starts over after sending, and stores a repetition once', () => {
    const sent: HistoryWalk<string> = remember(remember(startWalk<string>(['one']), 'two'), 'two');
    expect(sent.entries).toEqual(['one', 'two']);
    expect(sent.position).toBe(2);
  });

  test('keeps its position when older entries are loaded', () => {
    const step = moveInHistory(startWalk<string>(['mine']), -1, 'draft');
    const walk = prepend(step?.walk ?? startWalk<string>([]), ['old']);
    expect(press(walk, [[-1, 'mine']])).toEqual(['old']);
    expect(press(walk, [[1, 'mine']])).toEqual(['draft']);
  });
});

describe('the history file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'history-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('keeps prompts for the next run, readable only by the user', async () => {
    const path = join(folder, 'project', 'history.jsonl');
    const history = createHistoryFile(path);
    expect(await history.load()).toEqual([]);
    await Promise.all(['one', 'two\nlines 漢字', 'two\nlines 漢字', 'three'].map(history.add));
    expect(await createHistoryFile(path).load()).toEqual(['one', 'two\nlines 漢字', 'three']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await chmod(path, 0o644);
    await history.add('four');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('loses only damaged lines', async () => {
    const path = join(folder, 'history.jsonl');
    await writeFile(path, '{"text":"one"}\nnot json\n{"text":5}\nnull\n\n{"text":"two"}\n{"text":"to');
    const history = createHistoryFile(path);
    expect(await history.load()).toEqual(['one', 'two']);
    await history.add('three');
    expect(await history.load()).toEqual(['one', 'two', 'three']);
  });

  test('keeps the newest thousand and the file small', async () => {
    const path = join(folder, 'history.jsonl');
    await writeFile(path, Array.from({ length: 2500 }, (_, at) => `{"text":"${at}"}\n`).join(''));
    const entries = await createHistoryFile(path).load();
    expect([entries.length, entries[0], entries.at(-1)]).toEqual([1000, '1500', '2499']);
    expect((await readFile(path, 'utf8')).split('\n').length).toBe(1001);
    expect(await readdir(folder)).toEqual(['history.jsonl']);
  });

  test('is shared by two runs without torn lines', async () => {
    const path = join(folder, 'history.jsonl');
    const [left, right] = [createHistoryFile(path), createHistoryFile(path)];
    const long = (name: string, at: number): string => `${name}${at} `.repeat(500);
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => [left.add(long('l', at)), right.add(long('r', at))]).flat(),
    );
    expect((await left.load()).length).toBe(80);
  });

  test('that cannot be written has no other effect', async () => {
    await writeFile(join(folder, 'file'), '');
    const history = createHistoryFile(join(folder, 'file', 'history.jsonl'));
    await history.add('one');
    expect(await history.load()).toEqual([]);
  });
});

test('the prompts of all projects are found; the last used project comes last', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'history-all-'));
  const [first, second] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')];
  await createHistoryFile(first).add('older');
  await createHistoryFile(second).add('newer');
  await utimes(first, 1, 1);
  await writeFile(join(folder, 'c.jsonl'), 'no json\n{"text":"torn');
  await utimes(join(folder, 'c.jsonl'), 2, 2);
  await symlink('/etc/hosts', join(folder, 'd.jsonl'));
  await writeFile(join(folder, 'notes.txt'), '{"text":"no history"}\n');
  expect(await createHistoryFile(first).loadAll?.()).toEqual(['older', 'newer']);
  expect(await createHistoryFile(join(folder, 'none', 'x.jsonl')).loadAll?.()).toEqual([]);
  await rm(folder, { recursive: true });
});
