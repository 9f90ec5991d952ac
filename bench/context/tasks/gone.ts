/** A number deep in an output that cannot be had again: the file is gone after it was shown. */
import { createRandom } from '../random.ts';
import { moduleName, modules, packageJson } from './files.ts';
import { known, type Program, type Task, type View } from './types.ts';

const FILES = 40;
const OFFSET = '48213';

export const gone: Task = {
  name: 'a number that is gone',
  files: {
    'package.json': packageJson,
    ...modules(FILES, 2),
    'dump.log': dump(),
    'test/offset.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offset } from '../src/offset.js';
test('the offset of the migration', () => assert.equal(offset, ${OFFSET}));
`,
  },
  prompts: [
    'Show dump.log once and delete it, it must not stay. Then read all modules, and write src/offset.js with the offset that the dump names for shard kestrel.',
  ],
  play: showThenWrite,
  check: 'node --test test/offset.test.js',
};

function* showThenWrite(_turn: number, first: View): Program {
  let view = first;
  view = yield { call: 'Bash', input: { command: 'cat dump.log && rm dump.log' } };
  for (let index = 0; index < FILES; index++)
    view = yield { call: 'Read', input: { file_path: `src/${moduleName(index)}.js` } };
  const offset = yield* known(view, /shard kestrel: offset (\d+)/, 'shard kestrel: offset');
  yield {
    call: 'Write',
    input: { file_path: 'src/offset.js', content: `export const offset = ${offset.value ?? 0};\n` },
  };
  yield { say: 'Written.' };
}

/** About 20 kB; the line that matters stands in the middle. */
function dump(): string {
  const random = createRandom(3);
  const line = (): string =>
    `row ${random.between(1, 99_999)} of shard heron: checksum ${random.between(1, 99_999_999)}`;
  const half = (): string[] => Array.from({ length: 190 }, line);
  return [...half(), `shard kestrel: offset ${OFFSET}`, ...half()].join('\n');
}
