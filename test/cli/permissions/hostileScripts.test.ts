/** Scripts and patterns in a repository's settings that would take long to read: they are read at each start. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executedFiles, filesOf } from '../../../src/cli/permissions/executedFiles.ts';
import { wordsOf } from '../../../src/cli/permissions/textWords.ts';
import { cpuMs } from '../../cpuTime.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

test.each(['*a'.repeat(25), '?'.repeat(300), '*a'.repeat(9000), '*'])(
  'a pattern of any length is matched at once: %.20s',
  (pattern) => {
    const home = temporaryFolder();
    const root = join(home, 'project');
    mkdirSync(join(root, 'scripts'), { recursive: true });
    const script = join(root, 'scripts', 'a'.repeat(200));
    writeFileSync(script, '');
    const found = filesOf({ command: `sh scripts/${pattern}` }, { root, home });
    expect(found.files).toEqual(pattern.length > 1000 ? [] : [script]);
  },
);

test.each([
  '(',
  '((',
  '$((',
  '[[',
  '[a',
  '{a,',
  '{,',
  '@(',
  '$(',
  '${',
  '`',
  '"',
  "'",
  '"$(',
  "$'\\",
  'x=(',
  'a ',
  '<<a ',
])('scripts full of %s are read in linear time', (part) => {
  const [short, long] = [2000, 16_000].map((length) =>
    cpuMs(() => wordsOf(part.repeat(length / part.length), new Map()), 3),
  );
  // With the square of the length it would be 64.
  expect((long ?? 0) / (short ?? 1)).toBeLessThan(32);
});

test('a module name of any length takes no time and memory', () => {
  const home = temporaryFolder();
  const command = `python3 -c "import ${'a.'.repeat(90_000)}a"`;
  expect(filesOf({ command }, { root: home, home }).files).toEqual([]);
});

test('all programs of a start share one limit', () => {
  const home = temporaryFolder();
  const root = join(home, 'project');
  mkdirSync(join(root, 'd'), { recursive: true });
  for (let at = 0; at < 3000; at += 1) writeFileSync(join(root, 'd', `f${at}N`), '');
  const hooks = Array.from({ length: 300 }, (_, at) => ({
    command: `for f in d/*N*.sh; do . $f; done; d/x${at}.sh $A/$B.sh`,
  }));
  const [one, all] = [hooks.slice(0, 1), hooks].map((some) =>
    cpuMs(() => executedFiles(some, { root, home }), 1),
  );
  expect((all ?? 0) / (one ?? 1)).toBeLessThan(150);
});

test('many module names in many folders are looked up to a limit', () => {
  const home = temporaryFolder();
  const folders = Array.from({ length: 98 }, (_, at) => `d${at}`);
  for (const folder of folders) mkdirSync(join(home, folder));
  const names = Array.from({ length: 24_000 }, (_, at) => `a${at.toString(36)}`);
  const command = `${folders.map((folder) => `cd ${folder}`).join('\n')}\npython3 -c "import ${names.join(',')}"`;
  expect(filesOf({ command }, { root: home, home }).isCut).toBe(true);
  const few = `python3 -c "import ${names.slice(0, 1000).join(',')}"`;
  const [long, short] = [command, few].map((one) =>
    cpuMs(() => filesOf({ command: one }, { root: home, home }), 1),
  );
  expect((long ?? 0) / (short ?? 1)).toBeLessThan(200);
});
