/** Scripts and patterns in a repository's settings that would take long to read: they are read at each start. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesOf } from '../../../src/cli/permissions/executedFiles.ts';
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
