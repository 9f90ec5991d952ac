import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readOnlyEnvironment } from '../../../src/tools/shell/childEnvironment.ts';
import { openWorkbench, type Workbench } from '../workbench.ts';

describe('the environment of read-only commands', () => {
  const env = readOnlyEnvironment(
    {
      HOME: '/home/me',
      PATH: ['/srv/app/node_modules/.bin', '/usr/bin', '', 'bin', '/home/me/.local/bin', '/srv/app/bin'].join(
        delimiter,
      ),
      BASH_ENV: '/srv/app/env.sh',
      CDPATH: '/elsewhere',
      GIT_DIR: '/srv/other',
      GIT_EXTERNAL_DIFF: './diff',
      GIT_CONFIG_GLOBAL: '/home/me/git/config',
      GIT_CONFIG_SYSTEM: '/srv/app/gitconfig',
      LD_LIBRARY_PATH: '/opt/lib:./lib:/srv/app/lib',
      NODE_OPTIONS: '--require ./evil.js',
      'BASH_FUNC_ls%%': '() { evil; }',
      LANG: 'C.UTF-8',
      XDG_CONFIG_HOME: '/srv/app/config',
      XDG_DATA_HOME: '/home/me/data',
      TERMINFO_DIRS: '/usr/share/terminfo:/srv/app/terminfo',
      VIRTUAL_ENV: '/srv/app/.venv',
    },
    ['/srv/app'],
  );
  test('finds only programs outside the project', () => {
    expect(env.PATH).toBe('/usr/bin:/home/me/.local/bin');
    expect(env.LD_LIBRARY_PATH).toBe('/opt/lib');
  });
  test('has no variable that steers shells and interpreters, and keeps the rest', () => {
    for (const name of [
      'BASH_ENV',
      'CDPATH',
      'NODE_OPTIONS',
      'BASH_FUNC_ls%%',
      'GIT_DIR',
      'GIT_EXTERNAL_DIFF',
      'XDG_CONFIG_HOME',
      'TERMINFO_DIRS',
    ])
      expect(env).not.toHaveProperty([name]);
    expect(env).toMatchObject({
      HOME: '/home/me',
      LANG: 'C.UTF-8',
      XDG_DATA_HOME: '/home/me/data',
      VIRTUAL_ENV: '/srv/app/.venv',
      GIT_CONFIG_GLOBAL: '/home/me/git/config',
    });
    expect(env.GIT_CONFIG_SYSTEM).toBeUndefined();
  });
  test('turns off programs that git would run', () => {
    const settings = Object.fromEntries(
      Array.from({ length: Number(env.GIT_CONFIG_COUNT) }, (_, index) => [
        env[`GIT_CONFIG_KEY_${index}`],
        env[`GIT_CONFIG_VALUE_${index}`],
      ]),
    );
    expect(settings).toMatchObject({
      'core.fsmonitor': 'false',
      'core.hooksPath': '/dev/null',
      'safe.bareRepository': 'explicit',
      'protocol.allow': 'never',
    });
    expect(env).toMatchObject({
      GIT_NO_LAZY_FETCH: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GOTOOLCHAIN: 'local',
      npm_config_logs_max: '0',
      npm_config_logs_dir: '/dev/null/npm/logs',
      npm_config_cache: '/dev/null/npm',
    });
  });
});

describe('a read-only command', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await openWorkbench({
      env: { ...process.env, PATH: `node_modules/.bin:${process.env.PATH ?? ''}` },
    });
    mkdirSync(join(bench.root, 'node_modules/.bin'), { recursive: true });
    execFileSync('git', ['init', '-q', bench.root]);
  });
  afterEach(() => bench.close());

  const run = (command: string, basis: 'read-only' | 'user'): ReturnType<Workbench['call']> =>
    bench.call('Bash', { command }, undefined, { basis });
  const edit = (command: string): ReturnType<Workbench['call']> =>
    bench.call('Bash', { command }, undefined, { basis: 'mode', isGuarded: true });
  const script = (name: string): void => {
    writeFileSync(join(bench.root, name), '#!/bin/sh\ntouch ran\nexec cat\n');
    chmodSync(join(bench.root, name), 0o755);
  };

  test('runs no program of the project; an approved one does', {
    tags: 'long',
  }, async () => {
    script('node_modules/.bin/tac');
    await run('tac /dev/null', 'read-only');
    await edit('tac /dev/null > x');
    expect(existsSync(join(bench.root, 'ran'))).toBe(false);
    await run('tac /dev/null', 'user');
    expect(existsSync(join(bench.root, 'ran'))).toBe(true);
  });

  test('starts no file monitor of git; an approved one does', { tags: 'long' }, async () => {
    script('watch');
    execFileSync('git', ['-C', bench.root, 'config', 'core.fsmonitor', './watch']);
    await run('git status', 'read-only');
    expect(existsSync(join(bench.root, 'ran'))).toBe(false);
    await run('git status', 'user');
    expect(existsSync(join(bench.root, 'ran'))).toBe(true);
  });

  test('verifies no signature, whatever format the repository configures', {
    tags: 'long',
  }, async () => {
    script('check');
    const git = (input: string, ...args: readonly string[]): string =>
      execFileSync('git', ['-C', bench.root, ...args], { input, encoding: 'utf8' }).trim();
    const signed = `tree ${git('', 'write-tree')}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\nx\n`;
    git('', 'update-ref', 'HEAD', git(signed, 'hash-object', '-t', 'commit', '-w', '--stdin'));
    git('', 'config', 'format.pretty', '%G? %s');
    git('', 'config', 'gpg.program', './check');
    expect((await run('git log -1', 'read-only')).text).toContain(' x');
    expect(existsSync(join(bench.root, 'ran'))).toBe(false);
    await run('git log -1', 'user');
    expect(existsSync(join(bench.root, 'ran'))).toBe(true);
  });

  test('uses no bare repository inside a folder, and git still shows changes', {
    tags: 'long',
  }, async () => {
    execFileSync('git', ['init', '-q', '--bare', join(bench.root, 'docs/api')]);
    const bare = await run('cd docs/api && git log -1', 'read-only');
    expect(bare.text).toMatch(/bare/i);
    writeFileSync(join(bench.root, 'a'), 'one\n');
    execFileSync('git', ['-C', bench.root, 'add', 'a']);
    writeFileSync(join(bench.root, 'a'), 'two\n');
    expect((await run(`cd ${bench.root} && git diff`, 'read-only')).text).toContain('+two');
  });
});
