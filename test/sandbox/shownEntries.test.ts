/** What a private temporary folder shows if files change at the worst moment or the file system does not support hard links. */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { atOnce } from '../../src/disk/slices.ts';
import { createShownEntries } from '../../src/sandbox/temporary/shownEntries.ts';

function places() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'shown-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const session = join(base, 'session');
  for (const folder of ['session/tmp/out', 'session/folders', 'shared', 'home'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const name of ['session/tmp/a.txt', 'session/tmp/out/b']) writeFileSync(join(base, name), 'content');
  writeFileSync(join(base, 'home/b'), 'secret');
  return { session, shared: join(base, 'shared'), own: join(session, 'tmp'), home: join(base, 'home') };
}

describe.skipIf(process.platform !== 'linux')('a private folder', () => {
  test('shows nothing of an entry that becomes a link just before it is linked', () => {
    const { home, ...given } = places();
    const shown = createShownEntries(given, (from, to) => {
      if (!basename(String(from)).startsWith('checked-')) {
        rmSync(from);
        symlinkSync(join(home, 'b'), from);
      }
      linkSync(from, to);
    });
    shown.files(() => true);
    atOnce(shown.folders(['out'], true));
    expect(readdirSync(given.shared, { recursive: true })).toEqual(['out']);
  });

  test('shows the file of the folder it opened, even if another replaces that folder', () => {
    const { home, ...given } = places();
    const shown = createShownEntries(given, (from, to) => {
      if (lstatSync(join(given.own, 'out')).isDirectory()) {
        renameSync(join(given.own, 'out'), join(given.own, 'out2'));
        symlinkSync(home, join(given.own, 'out'));
      }
      linkSync(from, to);
    });
    atOnce(shown.folders(['out']));
    expect(readFileSync(join(given.shared, 'out/b'), 'utf8')).toBe('content');
  });

  test('shows everything at the end if hard links are impossible', () => {
    const { home, ...given } = places();
    const shown = createShownEntries(given, () => {
      throw Object.assign(new Error('link'), { code: 'EPERM' });
    });
    symlinkSync(join(home, 'b'), join(given.own, 'link.txt'));
    symlinkSync(join(home, 'b'), join(given.own, 'out/link'));
    const showAll = (isLast: boolean): readonly unknown[] => {
      shown.files(() => true, isLast);
      atOnce(shown.folders(['out'], isLast));
      return readdirSync(given.shared, { recursive: true }).sort();
    };
    expect(showAll(false)).toEqual(['out']);
    expect(showAll(true)).toEqual(['a.txt', 'out', 'out/b']);
    expect(readFileSync(join(given.shared, 'out/b'), 'utf8')).toBe('content');
  });

  test('shows up to a thousand entries of a large folder, and everything at the end', () => {
    const { home: _, ...given } = places();
    for (let at = 0; at < 1500; at++) writeFileSync(join(given.own, `out/${at}`), '');
    const shown = createShownEntries(given);
    const count = (isLast: boolean): number => {
      atOnce(shown.folders(['out'], isLast));
      return readdirSync(join(given.shared, 'out')).length;
    };
    expect([count(false), count(false), count(true)]).toEqual([1000, 1000, 1501]);
    rmSync(join(given.own, 'out/7'));
    expect(count(true)).toBe(1500);
    expect(lstatSync(join(given.shared, 'out/8')).nlink).toBe(2);
  });
});
