/** What counts as a change by a command that the user let run in the sandbox. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hasChanged, namesIn } from '../../../src/cli/permissions/changedFiles.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

interface Project {
  readonly write: (...names: readonly string[]) => void;
  readonly at: (name: string) => string;
}

const ignored =
  'coverage/ dist/ node_modules .venv env/ prepared/ *.log __pycache__/ *.py[cod] .pnp.* package-lock.json .env* .conda .tox .vscode/'.split(
    ' ',
  );

/** Whether `change` counts, in a repository unless `isPlain`. */
async function counts(
  change: (project: Project) => void,
  { isPlain = false, onlyInstalls = false } = {},
): Promise<boolean> {
  const root = temporaryFolder();
  const at = (name: string): string => join(root, name);
  const write = (...names: readonly string[]): void => {
    for (const name of names) {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), name);
    }
  };
  write('package.json', 'src/a.js', 'src/b.js', 'lib/c.js', 'dist/old.js', 'dist/kept.js', 'prepared/x.js');
  write('node_modules/x/index.js', 'node_modules/.cache/x', '.venv/lib/pkg/a.py', 'app.log');
  write('prepared/.cache/x', 'prepared/node_modules/x/index.js', 'prepared/kept.js', 'env/pyvenv.cfg');
  write('.venv/lib/old/a.py', '.venv/lib/old/__pycache__/a.pyc');
  writeFileSync(at('.gitignore'), ignored.map((line) => `${line}\n`).join(''));
  if (!isPlain) {
    execFileSync('git', ['init', '-q'], { cwd: root });
    execFileSync('git', ['add', '-f', '.gitignore', 'src', 'lib', 'package.json', 'dist/kept.js'], {
      cwd: root,
    });
  }
  await delay(50);
  const before = await namesIn(root);
  const startedAtMs = Date.now();
  await delay(50);
  change({ write, at });
  const repository = isPlain ? undefined : root;
  const search = { startedAtMs, onlyInstalls, repository, env: process.env };
  const isChanged = await hasChanged(root, { before: before ?? new Map(), ...search });
  // So that it can be removed.
  if (existsSync(at('src/closed'))) chmodSync(at('src/closed'), 0o700);
  return isChanged;
}

test.each<[string, (project: Project) => void]>([
  ['nothing', () => undefined],
  [
    'ignored files',
    ({ write }) => write('coverage/a/b.html', 'dist/new.js', 'app.log', 'src/__pycache__/a.pyc'),
  ],
  [
    'ignored files of an editor, which it saves meanwhile, and code named after variables',
    ({ write }) => write('.vscode/settings.json', 'dist/env.js', 'dist/env.d.ts'),
  ],
  ['an ignored file that is gone', ({ at }) => rmSync(at('app.log'))],
  ['caches of tools next to packages', ({ write }) => write('node_modules/.vite/x', 'node_modules/.cache/x')],
  ['compiled Python code of packages', ({ write }) => write('.venv/lib/pkg/__pycache__/a.pyc')],
  ['a list of packages in an ignored folder', ({ write }) => write('prepared/test/package.json')],
  [
    'the caches that tools keep in a project',
    ({ write, at }) => {
      write('.ruff_cache/0.9/1', '.pytest_cache/v/x', 'src/.mypy_cache/3/x');
      writeFileSync(at('.ruff_cache/.gitignore'), '*\n');
    },
  ],
  ['what a compiler remembers next to packages', ({ write }) => write('node_modules/.tmp/app.tsbuildinfo')],
  ['what git itself writes', ({ write }) => write('.git/ORIG_HEAD', '.git/logs/HEAD')],
])('does not count: %s', async (_, change) => {
  expect(await counts(change)).toBe(false);
});

test.each<[string, (project: Project) => void]>([
  ['a tracked file', ({ write }) => write('src/a.js')],
  ['a new file', ({ write }) => write('src/new.js')],
  ['a compiled module, although ignored', ({ write }) => write('src/json.pyc')],
  ['a file that is gone', ({ at }) => rmSync(at('src/a.js'))],
  ['a folder that is gone', ({ at }) => rmSync(at('lib'), { recursive: true })],
  ['a moved file', ({ at }) => renameSync(at('src/a.js'), at('src/c.js'))],
  ['a moved folder with old files', ({ at }) => renameSync(at('prepared'), at('src/lib'))],
  [
    'a folder with old files in the place of another',
    ({ at }) => {
      renameSync(at('lib'), at('dist/lib'));
      renameSync(at('prepared'), at('lib'));
    },
  ],
  [
    'a file whose times were set back',
    ({ write, at }) => {
      write('src/a.js');
      utimesSync(at('src/a.js'), 1, 1);
    },
  ],
  ['a tracked file in an ignored folder', ({ write }) => write('dist/kept.js')],
  ['a package', ({ write }) => write('node_modules/x/index.js')],
  ['a new package', ({ write }) => write('node_modules/y/index.js')],
  ['a Python package', ({ write }) => write('.venv/lib/pkg/a.py')],
  ['a virtual environment of another name', ({ write }) => write('env/lib/pkg/a.py')],
  ['variables that a hook may load, although ignored', ({ write }) => write('.env')],
  ['the same in a folder', ({ write }) => write('src/.env.local')],
  ['an environment of Conda', ({ write }) => write('.conda/lib/python3.11/site-packages/x/__init__.py')],
  ['a program in it', ({ write }) => write('.conda/bin/x')],
  ['an environment of tox', ({ write }) => write('.tox/py311/lib/python3.11/site-packages/x/__init__.py')],
  ['the loader of packages', ({ write }) => write('.pnp.cjs')],
  ['a list of packages', ({ write }) => write('package-lock.json')],
  [
    'a moved package with a cache',
    ({ at }) => {
      renameSync(at('node_modules/x'), at('dist/x'));
      renameSync(at('prepared'), at('node_modules/x'));
    },
  ],
  [
    'a moved folder in a package with compiled code',
    ({ at }) => renameSync(at('prepared'), at('.venv/lib/old/other')),
  ],
  [
    'a moved folder of packages',
    ({ at }) => {
      renameSync(at('node_modules'), at('dist/node_modules'));
      renameSync(at('prepared/node_modules'), at('node_modules'));
    },
  ],
  [
    'a link to other packages',
    ({ at }) => {
      renameSync(at('node_modules'), at('dist/node_modules'));
      symlinkSync(at('prepared/node_modules'), at('node_modules'));
    },
  ],
  [
    'a tracked file in an ignored folder that was moved there',
    ({ at }) => {
      renameSync(at('dist'), at('coverage'));
      renameSync(at('prepared'), at('dist'));
    },
  ],
  [
    'a file whose name is not UTF-8',
    ({ at }) => writeFileSync(Buffer.concat([Buffer.from(at('src/z')), Buffer.from([0xff])]), ''),
  ],
  [
    'a folder whose name is not UTF-8',
    ({ at }) => mkdirSync(Buffer.concat([Buffer.from(at('src/z')), Buffer.from([0xff])])),
  ],
  [
    'a new folder that cannot be listed',
    ({ write, at }) => {
      write('src/closed/a.js');
      chmodSync(at('src/closed'), 0o311);
    },
  ],
  [
    'a file that it has made git ignore',
    ({ write, at }) => {
      write('src/new.js');
      writeFileSync(at('src/.gitignore'), '*');
    },
  ],
  [
    'the same with git’s own list',
    ({ write, at }) => {
      write('src/new.js');
      writeFileSync(at('.git/info/exclude'), 'new.js\n');
    },
  ],
])('counts: %s', async (_, change) => {
  expect(await counts(change)).toBe(true);
});

test('without a repository, everything counts', async () => {
  expect(await counts(() => undefined, { isPlain: true })).toBe(false);
  expect(await counts(({ write }) => write('dist/new.js'), { isPlain: true })).toBe(true);
});

test('after a command that only installs, packages do not count, but other files do', async () => {
  const install = ({ write }: Project): void => write('node_modules/y/index.js', '.venv/lib/pkg/b.py');
  expect(await counts(install, { onlyInstalls: true })).toBe(false);
  const lock = ({ write }: Project): void => write('package-lock.json');
  expect(await counts(lock, { onlyInstalls: true })).toBe(false);
  expect(await counts(({ write }) => write('package.json'), { onlyInstalls: true })).toBe(true);
});
