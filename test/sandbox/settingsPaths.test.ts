/** Paths in settings, in real namespaces: how links affect them, and what managed settings hide. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveSettingsPath } from '../../src/disk/settingsPaths.ts';
import { firstIsQuick, long } from '../e2e/support/long.ts';
import { type Confined, confined, type Given, hasSandbox } from './confined.ts';

/** A folder outside the project, with a file. */
function outside({ base }: Pick<Confined, 'base'>, name = 'outside'): string {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'data'), 'SECRET-DATA\n');
  return folder;
}

describe.skipIf(!hasSandbox)('a path in the settings', () => {
  for (const { row: path, options } of firstIsQuick(['build', 'packages/x/out', '../project/build']))
    test(
      `that does not exist yet opens nothing if a command links it elsewhere: ${path}`,
      options,
      async () => {
        const bench = await confined({ allowWrite: [path], denyRead: ['../../outside'], allowRead: [path] });
        const folder = outside(bench);
        const name = path.replace('../project/', '');
        await bench.run(`mkdir -p packages/x; ln -s ${folder} ${name}`);
        const { text } = await bench.run(`cat ${name}/data; echo x > ${name}/new; echo end`);
        expect(text).toMatch(/end$/);
        expect(text).not.toContain('SECRET');
        expect(existsSync(join(folder, 'new'))).toBe(false);
        // A real folder of that name is opened, as the settings say.
        rmSync(join(bench.root, name));
        expect((await bench.run(`mkdir -p ${name} && echo x > ${name}/new && cat ${name}/new`)).text).toBe(
          'x',
        );
      },
    );

  test('opens nothing outside the project once a part of it has become a link', long, async () => {
    const bench = await confined({ allowWrite: ['../../shared/a/b'], allowRead: ['../../shared/a/b'] });
    const [folder, shared] = [outside(bench), join(bench.base, 'shared')];
    mkdirSync(join(shared, 'a/b'), { recursive: true });
    mkdirSync(join(folder, 'b'));
    expect((await bench.run(`echo x > ${shared}/a/b/new && cat ${shared}/a/b/new`)).text).toBe('x');
    renameSync(join(shared, 'a'), join(shared, 'old'));
    symlinkSync(folder, join(shared, 'a'));
    expect((await bench.run(`echo x > ${shared}/a/b/new`)).text).toContain('Read-only');
    expect(existsSync(join(folder, 'b/new'))).toBe(false);
  });

  test(
    'that a command links elsewhere no longer adds the directory, or a repository in it, to the workspace',
    long,
    async () => {
      const roots: string[] = [];
      const bench = await confined({ workspace: () => roots });
      const added = resolveSettingsPath('packages/x', bench).realPath;
      roots.push(bench.root, added);
      const folder = outside(bench);
      mkdirSync(join(folder, '.git/hooks'), { recursive: true });
      await bench.run(`mkdir packages; ln -s ${folder} packages/x`);
      expect((await bench.run('echo x > packages/x/new')).text).toContain('Read-only');
      expect(existsSync(join(folder, 'new'))).toBe(false);
      expect(existsSync(join(folder, '.git/commondir'))).toBe(false);
      rmSync(join(bench.root, 'packages/x'));
      expect((await bench.run('mkdir packages/x && echo x > packages/x/new')).status).toBe('ok');
    },
  );

  test(
    'that leads through a link opens the target at the time the settings are read, even if the link changes later',
    long,
    async () => {
      const bench = await confined();
      const folder = outside(bench);
      symlinkSync(folder, join(bench.home, 'cache'));
      const { realPath } = resolveSettingsPath('~/cache', bench);
      const places: string[] = [realPath];
      const own = await confined({ allowWrite: places });
      expect((await own.run(`echo x > ${folder}/new && cat ${folder}/new`)).text).toBe('x');
      rmSync(join(bench.home, 'cache'));
      symlinkSync(bench.home, join(bench.home, 'cache'));
      expect((await own.run(`echo x > ${bench.home}/new`)).text).toContain('Read-only');
    },
  );

  test('opens nothing through a link in the project that an environment variable names', async () => {
    const roots: string[] = [];
    const env: Record<string, string> = {};
    const bench = await confined({ env, workspace: () => roots });
    roots.push(bench.root);
    for (const name of ['docs', 'go']) outside(bench, `home/${name}`);
    symlinkSync('../docs', join(bench.root, 'ext'));
    Object.assign(env, { TOOL_HOME: join(bench.root, 'ext'), GOPATH: join(bench.home, 'go') });
    const looked = await bench.run('cat ~/go/data; cat ~/docs/data ext/data', { basis: 'read-only' });
    expect(looked.text.match(/SECRET/g)).toHaveLength(1);
  });

  test('stays hidden at its target if a command removes the link to it', async () => {
    const bench = await confined({ denyRead: ['private'] });
    const folder = outside(bench);
    symlinkSync(folder, join(bench.root, 'private'));
    // As at the start of the program: the link exists when the settings are read.
    const own = await confined({ denyRead: [join(bench.root, 'private')] });
    expect((await own.run(`cat ${folder}/data`)).text).not.toContain('SECRET');
    rmSync(join(bench.root, 'private'));
    expect((await own.run(`cat ${folder}/data`)).text).not.toContain('SECRET');
  });
});

describe.skipIf(!hasSandbox)('a path that managed settings hide', () => {
  const hidden = '../../outside';
  /** A temporary folder inside the hidden folder. */
  const temporary: Given['temporary'] = ({ base }) => [join(base, 'outside/tmp')];
  const ways: readonly (readonly [string, Given])[] = [
    ['allowRead for it', { allowRead: [hidden] }],
    ['allowWrite for a folder around it', { allowWrite: ['../..'] }],
    ['a temporary folder in it', { temporary }],
    ['default settings', {}],
    ['allowRead for a file in it', { allowRead: [`${hidden}/data`] }],
    ['allowRead for a folder around it', { allowRead: ['../..'] }],
    ['allowRead for everything', { allowRead: ['/'] }],
    ['allowWrite for it', { allowWrite: [hidden] }],
    ['allowWrite for a folder in it', { allowWrite: [`${hidden}/deep`] }],
    ['a rule for it', { readByRule: ({ home }) => [join(home, '../outside')] }],
    [
      'the user’s own denyRead for a folder around it, and allowRead',
      { denyRead: ['../..'], allowRead: ['../..'] },
    ],
  ];
  for (const { row, options } of firstIsQuick(ways))
    test(`is not opened by ${row[0]}`, options, async () => {
      const [, given] = row;
      const bench = await confined({ denyReadAlways: [hidden], ...given });
      const folder = outside(bench);
      for (const name of ['deep', 'tmp']) outside(bench, `outside/${name}`);
      for (const basis of ['user', 'read-only'] as const) {
        const { text } = await bench.run(
          `cd ${folder}/deep; cat ${folder}/data ${folder}/deep/data ${folder}/tmp/data; ls -A ${folder}; echo x > ${folder}/new; mv ${folder} ${bench.base}/moved; echo end`,
          { basis },
        );
        expect(text, basis).toMatch(/end$/);
        expect(text, basis).not.toMatch(/SECRET|^data$/m);
        expect(existsSync(join(folder, 'new')), basis).toBe(false);
      }
      expect(readFileSync(join(folder, 'data'), 'utf8')).toBe('SECRET-DATA\n');
    });

  for (const { row: which, options } of firstIsQuick(['a folder in it', 'it', 'a folder around it']))
    test(`is not opened by adding ${which} to the workspace`, options, async () => {
      const roots: string[] = [];
      const bench = await confined({ denyReadAlways: [hidden], workspace: () => roots });
      const folder = outside(bench);
      outside(bench, 'outside/deep');
      const added = { it: folder, 'a folder in it': join(folder, 'deep') }[which] ?? bench.base;
      roots.push(bench.root, added);
      const { text } = await bench.run(
        `cat ${folder}/data ${folder}/deep/data; echo x > ${folder}/deep/new; echo in > in.txt; cat in.txt`,
      );
      expect(text).not.toContain('SECRET');
      expect(text).toMatch(/^in$/m);
      expect(existsSync(join(folder, 'deep/new'))).toBe(false);
    });

  test('may be a file, or a folder in the project', async () => {
    const given: Given = { denyReadAlways: ['keys', '~/plain.txt'], allowRead: ['keys', '~/plain.txt'] };
    const bench = await confined(given);
    mkdirSync(join(bench.root, 'keys'));
    writeFileSync(join(bench.root, 'keys/a'), 'SECRET-A');
    const { text } = await bench.run('cat keys/a ~/plain.txt; mv keys k2; mkdir keys2 && echo in');
    expect(text).not.toMatch(/SECRET|^plain$/m);
    expect(text).toMatch(/^in$/m);
    expect(existsSync(join(bench.root, 'keys/a'))).toBe(true);
  });

  test.each([
    ['a folder around the project', '~', 'Start ClawdCode in another folder'],
    ['the project', '.', 'Start ClawdCode in another folder'],
    ['the temporary folder', '../../tmp', 'Set TMPDIR to another folder'],
  ])('prevents every command if it is %s, and the result says why', async (_, path, advice) => {
    const bench = await confined({ denyReadAlways: [path], allowRead: [path], allowWrite: [path] });
    for (const basis of ['user', 'read-only'] as const) {
      const { text, status } = await bench.run('echo ran > ran.txt; echo ran', { basis });
      expect(status).toBe('error');
      expect(text).toContain(`managed settings of this machine hide`);
      expect(text).toContain(advice);
      expect(text).not.toContain('ran\n');
    }
    expect(existsSync(join(bench.root, 'ran.txt'))).toBe(false);
  });

  test('prevents commands that would run in it', async () => {
    let at = '';
    const bench = await confined({ denyReadAlways: [hidden], context: { cwd: () => at } });
    at = outside(bench);
    const { text } = await bench.run('cat data');
    expect(text).not.toContain('SECRET');
    expect(text).toContain('Run it in another folder');
  });
});
