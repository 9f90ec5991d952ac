/** The same change in many files: whoever forgets which are done does some of them twice. */
import { moduleName, modules, packageJson } from './files.ts';
import type { Program, Task, View } from './types.ts';

const FILES = 30;

export const manyFiles: Task = {
  name: 'one change in thirty files',
  files: {
    'package.json': packageJson,
    ...modules(FILES, 6),
    'test/versions.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
for (let index = 0; index < ${FILES}; index++) {
  const name = 'part' + String(index).padStart(2, '0');
  test(name, async () => assert.equal((await import('../src' + name + '.js')).version, 2));
}
`,
  },
  prompts: ['Read each module in src and raise its version to 2, all thirty of them. Say when none is left.'],
  play: raiseAll,
  check: 'node --test test/versions.test.js',
};

/** Begins at the front again and again, as one does who looks for what is left to do. */
function* raiseAll(_turn: number, first: View): Program {
  let view: View = first;
  for (let round = 0; round < FILES; round++) {
    const left = Array.from({ length: FILES }, (_unused, index) => moduleName(index)).filter(
      (name) => !isDone(view.text, name),
    );
    const [next] = left;
    if (next === undefined || round === FILES) break;
    for (const name of [next]) {
      view = yield { call: 'Read', input: { file_path: `src/${name}.js` } };
      // What was done before and forgotten shows when it is read.
      if (view.last.includes('export const version = 2')) {
        round--;
        view = yield { call: 'Bash', input: { command: `echo src/${name}.js was done before` } };
        continue;
      }
      const edit = { file_path: `src/${name}.js`, old_string: 'version = 1;', new_string: 'version = 2;' };
      view = yield { call: 'Edit', input: edit };
    }
  }
  yield { say: 'None is left.' };
}

/** An edit of it that the request still tells of, in whatever form. */
function isDone(text: string, name: string): boolean {
  return new RegExp(
    `(Edit|edit|modified|Modified|changed|done)[^\\n]{0,400}${name}|${name}\\.js[^\\n]{0,80}(\\+\\d|done before|has been updated|edited|modified)`,
  ).test(text);
}
