/** The user changes a decision half way; the old value must not come back. */
import { moduleName, modules, packageJson } from './files.ts';
import { known, type Program, type Task, type View } from './types.ts';

const FILES = 20;

export const changedMind: Task = {
  name: 'a decision that changed',
  files: {
    'package.json': packageJson,
    ...modules(3 * FILES, 4),
    'test/server.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { port } from '../src/server.js';
test('the port that holds now', () => assert.equal(port, 4822));
`,
  },
  prompts: [
    'The server must listen on port 4711. Read the first twenty modules to get to know the code; write nothing yet.',
    'Change of plan: the server must listen on port 4822. Read the next twenty modules.',
    'Now the last twenty, and then write src/server.js, which exports the port.',
  ],
  play: readOn,
  check: 'node --test test/server.test.js',
};

function* readOn(turn: number, first: View): Program {
  let view = first;
  for (let index = turn * FILES; index < (turn + 1) * FILES; index++)
    view = yield { call: 'Read', input: { file_path: `src/${moduleName(index)}.js` } };
  if (turn === 2) {
    const port = yield* known(view, /listen on port (\d+)/, 'listen on port');
    yield {
      call: 'Write',
      input: { file_path: 'src/server.js', content: `export const port = ${port.value ?? 80};\n` },
    };
  }
  yield { say: 'Done.' };
}
