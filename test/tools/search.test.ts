import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listFiles } from '../../src/cli/process/projectFiles.ts';
import { runGit } from '../../src/disk/ownGit.ts';
import { createRedactor } from '../../src/redact/redact.ts';
import { firstAreQuick } from '../e2e/support/long.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await openWorkbench({
    isSensitive: (path) => path.endsWith('.env'),
    openRedactor: async () => createRedactor(),
  });
  const files: Record<string, string> = {
    '.gitignore': 'node_modules\n*.log\n',
    '.git/config': 'foo',
    '.env': 'foo=secret\n',
    '.github/ci.yml': 'run: foo\n',
    'src/a.ts': 'const foo = 1;\nlet x;\nlet y;\nlet z;\nfoo();\n',
    'src/b.js': 'foo\n',
    'src/deep/c.ts': 'FOO\n--flag\n12-not context\n',
    'src/-dash.ts': 'dash\n',
    'debug.log': 'foo\n',
    'node_modules/pkg/index.js': 'foo\n',
    'wide.txt': `${'w'.repeat(3000)}wide\n`,
  };
  for (const [index, [name, content]] of Object.entries(files).entries()) {
    const path = join(bench.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, 1_700_000_000 + index, 1_700_000_000 + index);
  }
  // Outside a repository ripgrep would ignore .gitignore.
  mkdirSync(join(bench.root, '.git/refs'), { recursive: true });
});
afterEach(() => bench.close());

const glob = async (pattern: string, path?: string) => (await bench.call('Glob', { pattern, path })).text;
const grep = (pattern: string, more: Record<string, unknown> = {}) =>
  bench.call('Grep', { pattern, ...more });

describe('Glob', () => {
  const patterns = [
    ['src/**/*.ts', 'src/-dash.ts\nsrc/deep/c.ts\nsrc/a.ts'],
    ['./src/*.js', 'src/b.js'],
    ['**/*.yml', '.github/ci.yml'],
    ['**/config', 'No files match.'],
    ['node_modules/**/*.js', 'node_modules/pkg/index.js'],
    ['*.ts', 'src/-dash.ts\nsrc/deep/c.ts\nsrc/a.ts'],
    ['src/*.{ts,js}', 'src/-dash.ts\nsrc/b.js\nsrc/a.ts'],
    ['**/*.log', 'No files match.'],
    ['src/a.ts', 'src/a.ts'],
    ['nothing', 'No files match.'],
  ] as const;
  for (const {
    row: [pattern, expected],
    options,
  } of firstAreQuick(5, patterns))
    test(pattern, options, async () => {
      expect(await glob(pattern)).toBe(expected);
    });

  test('searches the path and names files relative to the working directory', async () => {
    expect(await glob('*.ts', 'src/deep')).toBe('src/deep/c.ts');
    expect(await glob(`${bench.root}/src/deep/*`)).toBe('src/deep/c.ts');
    expect(await glob('*', 'sr')).toMatch(/does not exist\. Did you mean .*\/src\?/);
    await bench.call('Bash', { command: 'cd src/deep' });
    expect(await glob('../*.js')).toBe(join(bench.root, 'src/b.js'));
  });

  test('finds files in the root if the shell is elsewhere', async () => {
    await bench.call('Bash', { command: 'cd src/deep' });
    const hint = `${join(bench.root, 'src/deep/src')} does not exist. Did you mean ${join(bench.root, 'src')}?`;
    expect(await glob('src/*.ts')).toBe(hint);
    expect(await glob('*.ts', 'src')).toBe(hint);
    expect((await bench.call('Grep', { pattern: 'x', path: 'src' })).text).toBe(hint);
  });

  test('needs permission for the directory that is searched', async () => {
    const access = async (pattern: string, path?: string) => {
      const prepared = await bench.prepare('Glob', { pattern, path });
      return prepared.type === 'ready' ? prepared.access : prepared;
    };
    expect(await access('*.ts')).toMatchObject({ type: 'read', paths: [bench.root] });
    expect(await access('/etc/**/*.conf')).toMatchObject({ type: 'read', paths: ['/etc'] });
    expect(await access('../x/*')).toMatchObject({ type: 'read', paths: [join(dirname(bench.root), 'x')] });
  });

  test('returns all matches: how many are shown is decided later', {
    tags: 'long',
  }, async () => {
    for (let index = 0; index < 150; index += 1) writeFileSync(join(bench.root, `n${index}.md`), '');
    expect((await glob('*.md')).split('\n')).toHaveLength(150);
  });
});

describe('Grep', () => {
  test('lists files, newest first, without ignored and secret ones', async () => {
    const outcome = await grep('foo');
    expect(outcome.text).toBe(
      'src/b.js\nsrc/a.ts\n.github/ci.yml\n(1 file that may contain secrets left out; pass one as path to search it.)',
    );
    expect(outcome).toMatchObject({
      status: 'ok',
      kind: 'search',
      display: { title: '"foo"', summary: '3 files' },
    });
    expect((await grep('secret', { path: '.env', output_mode: 'content' })).text).toBe('.env:1:foo=secret');
  });

  test('shows lines with context, always in the same order', async () => {
    const outcome = await grep('foo', { output_mode: 'content', path: 'src', '-C': 1 });
    expect(outcome.text).toBe(
      'src/a.ts:1:const foo = 1;\nsrc/a.ts-2-let x;\n--\nsrc/a.ts-4-let z;\nsrc/a.ts:5:foo();\nsrc/b.js:1:foo',
    );
    expect(outcome.display).toEqual({ title: '"foo" in src', summary: '3 matches in 2 files' });
  });

  test('removes tokens from lines in a folder or a large file, unless the call was approved', async () => {
    const token = ['ghp', 'k7Qz2LmX9vRb4TnW8sYd3HfJ6pCg1AeU5oKi'].join('_');
    const line = `const deploy = '${token}'; // deploy`;
    writeFileSync(join(bench.root, 'src/deep/d.ts'), `${line}\n// deploy\n`);
    writeFileSync(join(bench.root, 'large.log'), `${line}\n${'a line of a log\n'.repeat(140_000)}`);
    const search = async (path: string, basis: 'read-only' | 'user') =>
      bench.call('Grep', { pattern: 'deploy', output_mode: 'content', path }, undefined, { basis });
    const inFolder = await search('src', 'read-only');
    expect(inFolder.text).toMatch(
      /^src\/deep\/d.ts:1:const deploy = '\[redacted: github-token \w+\]'; \/\/ deploy\nsrc\/deep\/d.ts:2:\/\/ deploy$/,
    );
    expect(JSON.stringify([inFolder, await search('large.log', 'read-only')])).not.toContain(token);
    // A decision judges all of a smaller file.
    expect((await search('src/deep/d.ts', 'read-only')).text).toContain(token);
    for (const path of ['src', 'large.log']) expect((await search(path, 'user')).text).toContain(token);
    const none = { pattern: 'no such text', output_mode: 'content' };
    expect((await bench.call('Grep', none, undefined, { basis: 'read-only' })).text).toBe('No matches.');
    const read = async (basis: 'read-only' | 'user') =>
      bench.call('Read', { file_path: 'large.log', limit: 2 }, undefined, { basis });
    const shown = await read('read-only');
    expect(shown.text).toMatch(
      /^ {5}1\tconst deploy = '\[redacted: github-token \w+\]'; \/\/ deploy\n {5}2\ta line of a log\n/,
    );
    expect(JSON.stringify(shown)).not.toContain(token);
    expect((await read('user')).text).toContain(token);
    expect((await read('read-only')).text).not.toContain(token);
    const similar = { old_string: "const deploy = 'x'; // deploy", new_string: 'x' };
    const edit = await bench.call('Edit', { file_path: 'large.log', ...similar });
    expect(edit.text).toMatch(
      /The most similar lines are:\n +1\tconst deploy = '\[redacted: github-token \w+\]'/,
    );
  });

  const inputs: readonly (readonly [object, string])[] = [
    [{ output_mode: 'count', path: 'src' }, 'src/a.ts:2\nsrc/b.js:1'],
    [{ '-i': true, type: 'ts', path: 'src/deep' }, 'src/deep/c.ts'],
    [
      { output_mode: 'content', path: 'src/a.ts', '-n': false, '-A': 1 },
      'src/a.ts:const foo = 1;\nsrc/a.ts-let x;\n--\nsrc/a.ts:foo();',
    ],
    [
      { output_mode: 'content', path: 'src', head_limit: 1 },
      'src/a.ts:1:const foo = 1;\n(The first 1 of 3 lines; narrow the search or raise head_limit.)',
    ],
    [{ type: 'ts' }, 'src/a.ts'],
    [{ glob: '*.js' }, 'src/b.js'],
    [{ glob: '**/*', path: 'src' }, 'src/b.js\nsrc/a.ts'],
  ];
  for (const {
    row: [more, expected],
    options,
  } of firstAreQuick(4, inputs))
    test(`respects ${JSON.stringify(more)}`, options, async () => {
      expect((await grep('foo', { ...more })).text).toBe(expected);
    });

  test('with very many lines shows the first of every file, and stores them all', async () => {
    for (let index = 0; index < 30; index += 1) {
      const lines = Array.from({ length: index === 7 ? 500 : 3 }, (_, line) => `many ${line}`);
      writeFileSync(join(bench.root, `many${String(index).padStart(2, '0')}.txt`), lines.join('\n'));
    }
    const outcome = await grep('many', { output_mode: 'content', glob: 'many*.txt' });
    const lines = outcome.text.split('\n');
    expect(lines.length).toBeLessThanOrEqual(251);
    for (let index = 0; index < 30; index += 1)
      expect(outcome.text).toContain(`many${String(index).padStart(2, '0')}.txt:1:many 0`);
    expect(outcome.text).toMatch(/many07\.txt: \(\+3\d\d more in this file\)/);
    expect(lines.at(-1)).toBe(
      '(250 lines, the first of each file, of 587 lines; narrow the search or raise head_limit.)',
    );
    const whole = bench.blobs.get(outcome.original?.hash ?? '')?.toString() ?? '';
    expect(whole.split('\n')).toHaveLength(588);
    expect(whole).toContain('many07.txt:500:many 499');
  });

  test.each([
    ['--flag', 'src/deep/c.ts:2:--flag'],
    ['not context', 'src/deep/c.ts:3:12-not context'],
    ['no such text', 'No matches.'],
  ])('finds %j', async (pattern, expected) => {
    const { text, display } = await grep(pattern, { output_mode: 'content' });
    expect(text).toBe(expected);
    expect(display?.summary === 'no matches').toBe(text === 'No matches.');
  });

  test('finds a match over several lines', async () => {
    const { text } = await grep('let x;\\nlet y', { multiline: true, output_mode: 'content' });
    expect(text).toBe('src/a.ts:2:let x;\nsrc/a.ts:3:let y;');
  });

  test('cuts long lines', async () => {
    expect((await grep('wide', { output_mode: 'content' })).text.length).toBeLessThan(700);
  });

  test('accepts a path that starts with a dash', async () => {
    await bench.call('Bash', { command: 'cd src' });
    expect((await grep('dash', { path: '-dash.ts' })).text).toBe('-dash.ts');
  });

  test.each([
    [{ pattern: 'a(' }, /regex parse error/],
    [{ pattern: 'a', type: 'nonsense' }, /unrecognized file type/],
    [{ pattern: 'a', path: 'nowhere' }, /does not exist/],
  ])('explains %j', async (input, expected) => {
    const outcome = await bench.call('Grep', input);
    expect(outcome.status).toBe('error');
    expect(outcome.text).toMatch(expected);
  });

  test('explains that the working directory was removed', { tags: 'long' }, async () => {
    await bench.call('Bash', { command: 'mkdir gone && cd gone' });
    // `exec` leaves no shell that could report its directory.
    await bench.call('Bash', { command: 'rmdir ../gone && exec true' });
    const outcome = await grep('foo', { path: bench.root });
    expect(outcome).toMatchObject({
      status: 'error',
      text: expect.stringContaining('is the directory gone?'),
    });
  });

  test('stops at an interrupt', async () => {
    const outcome = await bench.call('Grep', { pattern: 'foo' }, AbortSignal.abort());
    expect(outcome).toMatchObject({ status: 'partial', display: { summary: 'interrupted' } });
  });
});

test('unreadable directories do not hide what was found', async () => {
  if (process.getuid?.() === 0) return;
  chmodSync(join(bench.root, 'src/deep'), 0);
  expect((await grep('foo')).status).toBe('partial');
  chmodSync(join(bench.root, 'src/deep'), 0o755);
});

describe('while another program works in the same folders', () => {
  /** Runs a Node script in the workspace, again and again, until the result is called. */
  async function running(script: string): Promise<() => Promise<unknown>> {
    const code = `const fs = require('node:fs'); fs.writeFileSync('ready', ''); for (;;) { ${script} }`;
    const other = spawn(process.execPath, ['-e', code], { cwd: bench.root, stdio: 'ignore' });
    onTestFinished(() => void other.kill('SIGKILL'));
    await vi.waitFor(() => expect(existsSync(join(bench.root, 'ready'))).toBe(true), 20_000);
    return () => {
      other.kill('SIGKILL');
      return once(other, 'exit');
    };
  }

  test('a folder that is replaced by a link shows nothing from elsewhere', { tags: 'long' }, async () => {
    const elsewhere = join(bench.root, '../elsewhere');
    for (const [folder, text] of [
      [join(bench.root, 'd/in'), 'inside'],
      [join(elsewhere, 'in'), 'OUTSIDE'],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      for (let at = 0; at < 40; at += 1) writeFileSync(join(folder, `${text}${at}.txt`), `needle ${text}\n`);
    }
    symlinkSync('../elsewhere', join(bench.root, 'link'));
    const stop = await running(
      "fs.renameSync('d', 'aside'); fs.renameSync('link', 'd'); fs.renameSync('d', 'link'); fs.renameSync('aside', 'd');",
    );
    for (let at = 0; at < 15; at += 1) {
      expect((await grep('needle', { output_mode: 'content' })).text).not.toContain('OUTSIDE');
      expect(await glob('**/*.txt')).not.toContain('OUTSIDE');
    }
    await stop();
  });

  test('a folder that keeps changing is left out, and the rest is found', { tags: 'long' }, async () => {
    mkdirSync(join(bench.root, 'busy'));
    writeFileSync(join(bench.root, 'busy/a.ts'), 'foo\n');
    const stop = await running("fs.writeFileSync('busy/x', ''); fs.rmSync('busy/x');");
    // On a busy machine, the folder may not change during a search.
    const found = async () => (await grep('foo', { path: 'busy' })).text;
    await expect.poll(found).toMatch(/^\(1 file left out: .* Search again\.\)$/m);
    await expect.poll(() => glob('busy/*.ts')).toContain('1 file left out');
    expect(await glob('src/*.js')).toBe('src/b.js');
    await stop();
    expect(await glob('busy/*.ts')).toBe('busy/a.ts');
  });
});

describe.skipIf(process.platform === 'win32')('a pipe in place of a file with patterns', () => {
  const pipe = (name: string) => execFileSync('mkfifo', [join(bench.root, name)]);

  test.each(['.gitignore', '.ignore', '.rgignore', 'src/.gitignore', 'src/deep/.ignore'])(
    'called %s is left out, and all others apply',
    async (name) => {
      mkdirSync(join(bench.root, '.git'), { recursive: true });
      mkdirSync(join(bench.root, 'src/node_modules'));
      writeFileSync(join(bench.root, 'src/node_modules/x.ts'), 'foo\n');
      writeFileSync(join(bench.root, name === '.ignore' ? '.gitignore' : '.ignore'), 'node_modules\n');
      rmSync(join(bench.root, name), { force: true });
      pipe(name);
      const note = `(${name} is a pipe and not a file, so no patterns were read from it.)`;
      const before = await grep('foo', { path: 'src/a.ts' });
      expect(before.text).toContain('src/a.ts');
      const found = await grep('foo');
      expect(found.text.split('\n')).toEqual(expect.arrayContaining(['src/a.ts', note]));
      expect(found.text).not.toContain('node_modules');
      expect(found.status).toBe('ok');
      const listed = await glob('src/**/*.ts');
      expect(listed.split('\n')).toEqual(expect.arrayContaining(['src/a.ts', note]));
      expect(listed).not.toContain('node_modules');
    },
  );

  test('is left out where the screen lists files and git its changes', async () => {
    const root = realpathSync(bench.root);
    rmSync(join(root, '.git'), { recursive: true });
    execFileSync('git', ['init', '-q'], { cwd: root });
    pipe('.ignore');
    pipe('src/.gitignore');
    const place = { cwd: root, root, env: process.env };
    expect(await listFiles(place, root)).toContain('src/a.ts');
    const git = { env: process.env, workspace: [root] };
    const call = { cwd: root, timeoutMs: 60_000, maxBytes: 1e6 };
    const { code, stdout } = await runGit(git, { ...call, args: ['status', '--porcelain', '-uall'] });
    expect([code, stdout.toString()]).toEqual([0, expect.stringContaining('src/a.ts')]);
  });
});

describe.skipIf(process.platform === 'win32')('a link to a device in place of a file with patterns', () => {
  const lead = (name: string, to = '/dev/zero') => symlinkSync(to, join(bench.root, name));
  const ignored = ['node_modules/x.ts', 'src/node_modules/x.ts'];

  beforeEach(() => {
    mkdirSync(join(bench.root, '.git'), { recursive: true });
    for (const name of ignored) {
      mkdirSync(dirname(join(bench.root, name)), { recursive: true });
      writeFileSync(join(bench.root, name), 'foo\n');
    }
  });

  test.each(['.ignore', '.rgignore', '.gitignore'])(
    'in the searched folder or above it is left out with all of its kind: %s',
    async (name) => {
      rmSync(join(bench.root, name), { force: true });
      lead(name);
      const note = `(${name} is a device and not a file, so files that ${name} files list are included.)`;
      const found = await grep('foo');
      expect(found.text.split('\n')).toEqual(expect.arrayContaining(['src/a.ts', note]));
      expect(found.status).toBe('ok');
      expect(found.text.includes('src/node_modules/x.ts')).toBe(name === '.gitignore');
      const inside = (await glob('*.ts', 'src')).split('\n');
      expect(inside).toEqual(expect.arrayContaining(['src/a.ts', note]));
    },
  );

  test('a link to /dev/null is an empty file', async () => {
    lead('src/.ignore', '/dev/null');
    lead('.ignore', '/dev/null');
    const { text } = await grep('foo');
    expect(text).toContain('src/a.ts');
    expect(text).not.toContain('device');
  });

  test.skipIf(process.platform !== 'linux').each([
    ['src/deep/.gitignore', '/dev/zero'],
    ['src/deep/.ignore', '/dev/full'],
  ])(
    'deeper down is left out with its folder, and the rest is found: %s to %s',
    { tags: 'long' },
    async (name, to) => {
      writeFileSync(join(bench.root, 'src/deep/hidden [x].ts'), 'foo\n');
      lead(name, to);
      const note = `(${name} is a device and not a file, so src/deep was left out. Pass it as path to search it.)`;
      for (const found of [await grep('foo'), await grep('foo', { path: 'src' })]) {
        expect(found.text.split('\n')).toEqual(expect.arrayContaining(['src/a.ts', note]));
        expect(found.text).not.toContain('node_modules');
        expect(found.text).not.toContain('src/deep/hidden');
        expect(found.status).toBe('ok');
      }
      expect((await glob('src/**/*.ts')).split('\n')).toEqual(expect.arrayContaining(['src/a.ts', note]));
      expect((await grep('foo', { path: 'src/deep' })).text).toContain('src/deep/hidden [x].ts');
      const root = realpathSync(bench.root);
      expect(await listFiles({ root, env: process.env }, root)).toContain('src/a.ts');
    },
  );

  test.skipIf(process.platform !== 'linux')(
    'is left out in a folder with wildcards in its name, and in one outside the working directory',
    { tags: 'long' },
    async () => {
      const folder = join(bench.root, 'src/{a,b}[c]*');
      mkdirSync(folder);
      writeFileSync(join(folder, 'x.ts'), 'foo\n');
      symlinkSync('/dev/zero', join(folder, '.ignore'));
      expect((await grep('foo')).text).toContain('src/a.ts');
      await bench.call('Bash', { command: 'cd src/deep' });
      const { text } = await grep('foo', { path: bench.root });
      expect(text).toContain(`${bench.root}/src/a.ts`);
      expect(text).toContain(`${folder} was left out`);
    },
  );
});

test('lines of an ignore file that is a link to a secret do not appear in messages', async () => {
  writeFileSync(join(bench.root, 'netrc.env'), 'machine x password {hunter2SECRET\n');
  for (const name of ['.ignore', 'src/.rgignore'])
    symlinkSync(join(bench.root, 'netrc.env'), join(bench.root, name));
  for (const path of ['src', '.', 'src/deep']) {
    const found = await grep('foo', { path });
    const none = await grep('nothing at all', { path });
    expect(found.text + none.text + (await glob('nothing', path))).not.toContain('hunter2');
    expect(none.text).toContain('No matches.');
  }
  expect((await grep('foo', { glob: '{a' })).text).toContain('error parsing glob');
});
