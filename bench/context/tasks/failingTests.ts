/** Tests failed at the beginning; each is repaired later, by what its failure said. Running them again is possible. */
import { moduleName, modules, packageJson } from './files.ts';
import { newest, type Program, type Task, type View } from './types.ts';

const FILES = 12;
const READS = 30;

export const failingTests: Task = {
  name: 'failures seen long ago',
  files: {
    'package.json': packageJson,
    ...modules(READS, 5),
    ...Object.fromEntries(
      Array.from({ length: FILES }, (_unused, index) => [
        `src/limit${index}.js`,
        'export const limit = 0;\n',
      ]),
    ),
    'test/limits.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
for (let index = 0; index < ${FILES}; index++) {
  test('limit ' + index, async () => {
    const { limit } = await import('../src/limit' + index + '.js');
    assert.ok(limit === 300 + 37 * index, 'limit' + index + '.js must export ' + (300 + 37 * index) + ' and not ' + limit);
  });
}
`,
  },
  prompts: [
    'Run the tests with node --test, read all modules, then repair every limit that a test complains of.',
  ],
  play: repairAll,
  check: 'node --test test/limits.test.js',
};

const RUN = { call: 'Bash', input: { command: 'node --test test/limits.test.js' } } as const;

function* repairAll(_turn: number, first: View): Program {
  let view: View = first;
  view = yield RUN;
  for (let index = 0; index < READS; index++)
    view = yield { call: 'Read', input: { file_path: `src/${moduleName(index)}.js` } };
  for (let index = 0; index < FILES; index++) {
    const pattern = new RegExp(`limit${index}\\.js must export (\\d+)`);
    let value = newest(view.text, pattern);
    if (value === undefined && view.hasRecall) {
      view = yield { call: 'Recall', input: { query: `limit${index}.js must export` } };
      value = newest(view.last, pattern);
    }
    if (value === undefined) {
      view = yield RUN;
      value = newest(view.last, pattern);
    }
    const file_path = `src/limit${index}.js`;
    yield { call: 'Read', input: { file_path } };
    view = yield { call: 'Write', input: { file_path, content: `export const limit = ${value ?? 0};\n` } };
  }
  view = yield RUN;
  yield { say: 'All repaired.' };
}
