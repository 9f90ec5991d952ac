/** A rule that the user gave at the beginning has to hold at the end, when the code is written. */
import { moduleName, modules, packageJson } from './files.ts';
import { known, type Program, type Task, type View } from './types.ts';

const FILES = 40;

export const constraint: Task = {
  name: 'a rule from the beginning',
  files: {
    'package.json': packageJson,
    ...modules(FILES),
    'test/price.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundPrice } from '../src/price.js';
test('rounds to the step that the user named', () => {
  assert.equal(roundPrice(1234), 1225);
  assert.equal(roundPrice(1240), 1250);
});
`,
  },
  prompts: [
    'Please read all modules in src one after the other, then write src/price.js with roundPrice(cents). Never round to anything but steps of 25 cents, that is a rule of our shop.',
  ],
  play: readThenWrite,
  check: 'node --test test/price.test.js',
};

function* readThenWrite(_turn: number, first: View): Program {
  let view = first;
  for (let index = 0; index < FILES; index++)
    view = yield { call: 'Read', input: { file_path: `src/${moduleName(index)}.js` } };
  const step = yield* known(view, /steps of (\d+) cents/, 'steps of');
  const cents = step.value ?? '10';
  yield {
    call: 'Write',
    input: {
      file_path: 'src/price.js',
      content: `export const roundPrice = (cents) => Math.round(cents / ${cents}) * ${cents};\n`,
    },
  };
  yield { say: 'Written.' };
}
