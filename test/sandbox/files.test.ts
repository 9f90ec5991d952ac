/** @module-tag long */
import { execFileSync, type StdioOptions, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Grant } from '../../src/protocol/permissions.ts';
import { createCompletedGitFolders } from '../../src/sandbox/places/git/completedGitFolders.ts';
import { unreportedSetAside } from '../../src/sandbox/protectedChanges.ts';
import { programNames } from '../../src/sandbox/temporary/temporaryNames.ts';
import { SCRATCH_NAME } from '../../src/tools/shell/scratch.ts';
import { confined, hasSandbox } from './confined.ts';

describe.skipIf(!hasSandbox)('files in the sandbox', { tags: 'long' }, () => {
  test('only the workspace and the temporary folder are writable', async () => {
    const { run, root, tmp, home, base } = await confined();
    const { text, status } = await run(
      `echo a > in.txt; echo b > ${tmp}/t.txt; echo c > ${home}/out.txt; echo d > ${base}/out.txt; mkdir -p sub/deep; cat in.txt`,
    );
    expect(status).toBe('ok');
    expect(text).toContain('Read-only file system');
    expect(readFileSync(join(root, 'in.txt'), 'utf8')).toBe('a\n');
    expect(readFileSync(join(tmp, 't.txt'), 'utf8')).toBe('b\n');
    expect(existsSync(join(root, 'sub/deep'))).toBe(true);
    expect(existsSync(join(home, 'out.txt'))).toBe(false);
    expect(existsSync(join(base, 'out.txt'))).toBe(false);
  });

  test('a read-only command cannot write, has no network and does not see .env', {
    tags: 'long',
  }, async () => {
    const { run, root, tmp } = await confined();
    writeFileSync(join(root, '.env'), 'KEY=SECRET-ENV\n');
    const { text } = await run(
      `echo a > in.txt; echo b > ${tmp}/t.txt; cat .env; cat <<EOF\n${'long here-document\n'.repeat(5000)}EOF\n`,
      { basis: 'read-only' },
    );
    expect(text).not.toContain('SECRET');
    expect(text).toContain('long here-document');
    expect(existsSync(join(root, 'in.txt'))).toBe(false);
    expect(existsSync(join(tmp, 't.txt'))).toBe(false);
    expect((await run('cat .env')).text).toContain('SECRET-ENV');
  });

  test('a search does not see files that its permission excludes, and its result says so', {
    tags: 'long',
  }, async () => {
    const { run, root } = await confined();
    const deep = join(root, 'a/b/c/d/e/f/g/h');
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'notes'), 'KEY=DEEP\n');
    writeFileSync(join(root, 'in.txt'), 'KEY=PLAIN\n');
    writeFileSync(join(root, '.env'), 'KEY=ENV\n');
    const look = { basis: 'read-only', hiding: [join(deep, 'notes')] } as const;
    const { text, display } = await run('grep -r KEY .', look);
    expect(text).toContain('KEY=PLAIN');
    expect(text).not.toMatch(/DEEP|ENV|Permission denied|exit code/);
    expect(text).toContain(
      '(Hidden from this command, as secrets or because of a rule: a/b/c/d/e/f/g/h/notes.',
    );
    expect(display.summary).toContain('without a/b/c/d/e/f/g/h/notes');
    expect((await run('grep -r KEY .', { basis: 'read-only' })).text).toContain('DEEP');
    const approved = await run('grep -r KEY .; echo x > new.txt', { ...look, basis: 'user' });
    expect(approved.text).not.toMatch(/DEEP|KEY=ENV/);
    expect(existsSync(join(root, 'new.txt'))).toBe(false);
  });

  test('no approval offers to run a read-only command outside the sandbox', async () => {
    const asked: string[] = [];
    const confirm = async ({ title }: { title: string }): Promise<boolean> => asked.push(title) > 0;
    const { run, root, sandbox } = await confined({ context: { confirm } });
    writeFileSync(join(root, 'server.key'), 'KEY=SECRET\n');
    const hiding = [join(root, 'server.key')];
    const command = 'grep -r KEY .; echo "touch: cannot touch x: Read-only file system"; exit 1';
    const { text } = await run(command, { basis: 'read-only', hiding });
    expect(text).not.toContain('SECRET');
    expect(text).toContain('A read-only command stays in the sandbox.');
    await run(command, { basis: 'read-only' });
    expect(asked).toEqual([]);
    await run(command, { basis: 'user', hiding });
    expect(asked).toEqual([]);
    const refusal = async (grant: Grant): Promise<string | undefined> =>
      (await sandbox.outside({ command, cwd: root, env: {}, scratch: root, grant }, 'asked')).refusal;
    for (const grant of [{ basis: 'read-only' }, { basis: 'user', hiding }] as const)
      expect(await refusal(grant)).toContain('only in a sandbox');
    expect(await refusal({ basis: 'user' })).toBeUndefined();
    await run(command, { basis: 'user' });
    expect(asked).toEqual(['Run outside the sandbox?']);
  });

  test('a command that leaves the sandbox gets the environment for programs outside it', async () => {
    const outside = (env: Readonly<Record<string, string>>) => ({ ...env, WHERE: 'outside' });
    const isExcluded = (command: string): boolean => command.startsWith('echo excluded');
    const { run, sandbox, root } = await confined({ options: { outside, isExcluded } });
    expect((await run('echo excluded "$WHERE"')).text).toBe('excluded outside');
    expect((await run('echo confined "$WHERE"')).text).toBe('confined ');
    const grant = { basis: 'user' } as const;
    const rerun = await sandbox.outside(
      { command: 'true', cwd: root, env: {}, scratch: root, grant },
      'asked',
    );
    expect(rerun.launch('sh', []).env).toEqual({ WHERE: 'outside' });
  });

  test('the result of a background search lists the hidden files', async () => {
    const { run, root } = await confined();
    const hiding = ['a.key', 'b.key', 'c\nd.key'].map((name) => join(root, name));
    for (const path of hiding) writeFileSync(path, 'KEY\n');
    const grant = { basis: 'read-only', hiding } as const;
    const { text, display } = await run('grep -r KEY .; sleep 1', { ...grant, background: true });
    expect(text).toContain(
      '(Hidden from this command, as secrets or because of a rule: a.key, b.key, "c\\nd.key".)',
    );
    expect(display.summary).toContain('without a.key and 2 more');
  });

  test('a search sees a hidden secret as an empty file that cannot be changed', {
    tags: 'long',
  }, async () => {
    const { run, root } = await confined();
    for (const folder of ['a', 'b']) {
      mkdirSync(join(root, folder));
      writeFileSync(join(root, folder, '.env'), `KEY=${folder}\n`);
    }
    const look = { basis: 'read-only', hiding: [join(root, 'a/.env'), join(root, 'b/.env')] } as const;
    const checks = [
      'test -f a/.env && echo file',
      '[ ! -s a/.env ] && echo empty',
      'cat a/.env && echo readable',
      'diff a/.env b/.env && echo equal',
      'ls -l a/.env',
      'echo x > a/.env; chmod 666 a/.env; rm -f a/.env; ln b/.env a/c; :',
    ];
    const { text } = await run(checks.join('; '), look);
    expect(text).toMatch(/^file\nempty\nreadable\nequal\n-r/);
    expect(text).not.toContain('KEY=');
    expect((await run('cat a/.env b/.env')).text).toBe('KEY=a\nKEY=b');
    expect((await run('cat a/.env; echo end', look)).text).toMatch(/^end\n/);
  });

  test('a secret whose name is not UTF-8 is hidden with its folder, and commands elsewhere still work', {
    tags: 'long',
  }, async () => {
    const { run, root } = await confined();
    for (const folder of ['src', 'odd']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'src/a.js'), 'KEY=PLAIN\n');
    for (const place of [root, join(root, 'odd')])
      writeFileSync(Buffer.concat([Buffer.from(join(place, '.env.')), Buffer.from([0xff])]), 'KEY=ODD\n');
    const { text, status } = await run('grep -r KEY src', { basis: 'read-only' });
    expect({ text, status }).toEqual({ text: 'src/a.js:KEY=PLAIN', status: 'ok' });
    expect((await run('grep -r KEY odd', { basis: 'read-only' })).text).not.toContain('ODD');
  });

  test('a command runs even if a secret to hide is removed before it starts', {
    tags: 'long',
  }, async () => {
    const { run, root } = await confined();
    writeFileSync(join(root, 'in.txt'), 'KEY=PLAIN\n');
    const { text, status } = await run('grep -r KEY .', {
      basis: 'read-only',
      hiding: [join(root, '.env.tmp')],
    });
    expect(text).toContain('./in.txt:KEY=PLAIN');
    expect(status).toBe('ok');
    expect(existsSync(join(root, '.env.tmp'))).toBe(false);
  });

  test('a sandbox that fails to start is not reported as having blocked the command', {
    tags: 'long',
  }, async () => {
    const { run, root } = await confined();
    // bubblewrap tries to create the target and fails.
    symlinkSync('missing', join(root, '.env'));
    const { text } = await run('echo ran', { basis: 'read-only', hiding: [join(root, '.env')] });
    expect(text).not.toMatch(/^ran/m);
    expect(text).toContain('bwrap: ');
    expect(text).toContain('Read-only file system');
    expect(text).not.toContain('The sandbox blocked it');
  });

  test('a secret that a rule lets the model read is not hidden from a search', { tags: 'long' }, async () => {
    const opened = new Set<string>();
    const { run, root } = await confined({ options: { isReadable: (path) => opened.has(path) } });
    writeFileSync(join(root, '.env'), 'KEY=ENV\n');
    writeFileSync(join(root, 'server.key'), 'KEY=SERVER\n');
    const look = () => run('grep -r KEY .', { basis: 'read-only', hiding: [join(root, 'server.key')] });
    expect((await look()).text).not.toMatch(/=ENV|SERVER/);
    opened.add(join(root, '.env'));
    const { text } = await look();
    expect(text).toContain('KEY=ENV');
    expect(text).not.toContain('SERVER');
  });

  test('without a sandbox, a command with hidden files does not run', async () => {
    const { run, root } = await confined({ options: { enabled: false } });
    const { text } = await run('echo ran', { basis: 'read-only', hiding: [join(root, 'x')] });
    expect(text).not.toMatch(/^ran/m);
    expect(text).toContain('it may run only in a sandbox');
  });

  test('a script that settings run outside the sandbox is read-only, while other files stay writable', {
    tags: 'long',
  }, async () => {
    const executedFiles = (root: string) =>
      ['scripts/lint.sh', 'scripts/missing.sh'].map((name) => join(root, name));
    const { run, root } = await confined({ executedFiles });
    mkdirSync(join(root, 'scripts'));
    writeFileSync(join(root, 'scripts/lint.sh'), 'old\n');
    const { text } = await run('echo a > scripts/other.sh; echo b > scripts/lint.sh; rm -f scripts/lint.sh');
    expect(text).toContain('Read-only file system');
    expect(readFileSync(join(root, 'scripts/lint.sh'), 'utf8')).toBe('old\n');
    expect(readFileSync(join(root, 'scripts/other.sh'), 'utf8')).toBe('a\n');
  });

  test('files that rules deny editing are read-only for every program, while other files stay writable', {
    tags: 'long',
  }, async () => {
    const denyWrite = (root: string) => ['locked', 'src/one.ts', 'missing'].map((name) => join(root, name));
    const { run, root } = await confined({ denyWrite });
    for (const folder of ['locked/deep', 'src']) mkdirSync(join(root, folder), { recursive: true });
    for (const file of ['locked/deep/a.ts', 'src/one.ts', 'src/two.ts'])
      writeFileSync(join(root, file), 'old\n');
    await run(
      `for f in locked/deep/a.ts src/one.ts src/two.ts; do node -e "require('fs').writeFileSync('$f', 'new')"; done`,
    );
    await run('rm -rf locked; mv src s; mv src/one.ts x; touch locked/b; cp src/two.ts src/one.ts');
    expect(readFileSync(join(root, 'locked/deep/a.ts'), 'utf8')).toBe('old\n');
    expect(readFileSync(join(root, 'src/one.ts'), 'utf8')).toBe('old\n');
    expect(readFileSync(join(root, 'src/two.ts'), 'utf8')).toBe('new');
    expect(readdirSync(join(root, 'locked'))).toEqual(['deep']);
    expect((await run('cat locked/deep/a.ts')).text).toContain('old');
  });

  test("keys and passwords in the home and in the program's own data are hidden", async () => {
    const { run, home } = await confined();
    writeFileSync(join(home, 'server.pem'), 'SECRET-PEM');
    writeFileSync(join(home, '.env'), 'A=SECRET-HOME-ENV');
    const { text } = await run(
      `cat ~/server.pem ~/.env ~/.ssh/id_rsa ~/.netrc ~/.clawdcode/config.json; ls -A ~/.ssh ~/.clawdcode; cat ~/plain.txt; echo x > ~/.ssh/new`,
    );
    expect(text).not.toContain('SECRET');
    expect(text).toContain('plain');
    expect(existsSync(join(home, '.ssh/new'))).toBe(false);
  });

  test('in folders that environment variables name, secrets are hidden and other files are not', {
    tags: 'long',
  }, async () => {
    const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'moved-')));
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
    const env: Record<string, string> = {
      XDG_CONFIG_HOME: join(elsewhere, 'config'),
      XDG_DATA_HOME: join(elsewhere, 'data'),
      CARGO_HOME: join(elsewhere, 'cargo'),
      GNUPGHOME: join(elsewhere, 'gnupg'),
      DOCKER_CONFIG: join(elsewhere, 'docker'),
      KUBECONFIG: `${join(elsewhere, 'kube1')}:${join(elsewhere, 'kube2')}`,
      GOOGLE_APPLICATION_CREDENTIALS: join(elsewhere, 'google.json'),
      npm_config_userconfig: join(elsewhere, 'npmrc'),
      KRB5CCNAME: `FILE:${join(elsewhere, 'tickets')}`,
      SLACK_TOKEN_FILE: join(elsewhere, 'slack'),
      PGPASSFILE: '/dev/null',
      PASSWORD_STORE_DIR: '/',
    };
    const files =
      'config/gh/hosts.yml data/keyrings/k cargo/credentials.toml gnupg/private docker/config.json kube1 kube2 google.json npmrc tickets slack';
    for (const file of files.split(' ')) {
      mkdirSync(dirname(join(elsewhere, file)), { recursive: true });
      writeFileSync(join(elsewhere, file), `SECRET ${file}`);
    }
    for (const file of ['config/ordinary', 'cargo/config.toml'])
      writeFileSync(join(elsewhere, file), `fine ${file}\n`);
    const { run } = await confined({ env });
    const { text } = await run(
      `cd ${elsewhere}; cat ${files}; cat config/ordinary cargo/config.toml; : > /dev/null`,
    );
    expect(text).not.toContain('SECRET');
    expect(text).toContain('fine config/ordinary\nfine cargo/config.toml');
    expect(text).not.toMatch(/\/dev\/null/);
  });

  test.each(['/', '/usr', '/dev', 'the project through a link', 'the home through a link'])(
    'an environment variable that moves secrets to %s hides nothing else',
    { tags: 'long' },
    async (value) => {
      const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'moved-')));
      onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
      const link = join(elsewhere, 'link');
      const chosen = value.startsWith('/') ? value : link;
      const { run, root, home } = await confined({
        env: { GNUPGHOME: chosen, XDG_CONFIG_HOME: chosen, STEPPATH: chosen },
      });
      symlinkSync(value === 'the project through a link' ? root : home, link);
      const { text } = await run('ls /usr/bin/env; : > /dev/null; touch made; cat ~/plain.txt ~/.ssh/id_rsa');
      expect(text).toMatch(/^\/usr\/bin\/env$/m);
      expect(text).toMatch(/^plain$/m);
      expect(text).not.toMatch(/SECRET|read-only/i);
      expect(existsSync(join(root, 'made'))).toBe(true);
    },
  );

  test('secrets in the home that the system records for the user are hidden even if HOME differs', {
    tags: 'long',
  }, async () => {
    const systemHome = realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
    onTestFinished(() => rmSync(systemHome, { recursive: true, force: true }));
    mkdirSync(join(systemHome, '.ssh'));
    writeFileSync(join(systemHome, '.ssh/id_rsa'), 'SECRET');
    writeFileSync(join(systemHome, 'plain.txt'), 'other\n');
    const { run } = await confined({ systemHome });
    const { text } = await run(`cat ${systemHome}/.ssh/id_rsa ${systemHome}/plain.txt ~/.ssh/id_rsa`);
    expect(text).not.toContain('SECRET');
    expect(text).toMatch(/^other$/m);
  });

  test('an entirely hidden folder is reported once; nothing runs if a file cannot be hidden', async () => {
    let refusal: string | undefined;
    const { run, root } = await confined({
      options: {
        denied: async () => {
          const many = join(root, 'many');
          return { paths: [many], whole: [many], ...(refusal === undefined ? {} : { refusal }) };
        },
      },
    });
    mkdirSync(join(root, 'many'));
    writeFileSync(join(root, 'many/one'), 'SECRET-ONE');
    const first = await run('cat many/*');
    expect(first.text).not.toContain('SECRET-ONE');
    expect(first.text).toContain('The sandbox hides all of many from commands');
    expect(JSON.stringify(first)).toContain('(see sandbox.allowRead): many');
    expect((await run('true')).text).not.toContain('hides all');
    refusal = 'it cannot be hidden';
    expect((await run('touch ran')).text).toContain('it cannot be hidden');
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  test('settings open and hide additional paths', async () => {
    const { run, home } = await confined({
      allowWrite: ['~/cache'],
      denyRead: ['~/plain.txt', 'private'],
      allowRead: ['~/.netrc'],
    });
    mkdirSync(join(home, 'cache'));
    mkdirSync(join(home, 'project/private'));
    writeFileSync(join(home, 'project/private/p'), 'SECRET-P');
    const { text } = await run('echo a > ~/cache/a; cat ~/cache/a; cat ~/.netrc ~/plain.txt private/p');
    expect(text).toMatch(/^a$/m);
    expect(text).toContain('SECRET-NETRC');
    expect(text).not.toMatch(/plain$|SECRET-P/m);
  });

  test('files that other programs obey cannot be changed, moved or replaced', { tags: 'long' }, async () => {
    const { run, root } = await confined();
    for (const folder of ['.git/hooks', '.vscode', '.github/workflows'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of [
      '.git/config',
      '.git/HEAD',
      '.vscode/tasks.json',
      '.clawdcode.json',
      '.mcp.json',
      '.github/workflows/ci.yml',
    ])
      writeFileSync(join(root, file), 'before');
    const attempts = [
      'echo x > .git/config',
      'echo x > .git/hooks/pre-commit',
      'ln -s /bin/sh .git/hooks/post-commit',
      'rm -rf .git',
      'mv .git .git2',
      'mv .git/hooks .git/hooks2',
      'rm .git/config; cp in .git/config',
      'echo x > .vscode/tasks.json',
      'mv .vscode v2',
      'mv .clawdcode.json c2',
      'echo x > .mcp.json',
      'mv .github g2; mkdir -p .github/workflows; echo x > .github/workflows/ci.yml',
      `python3 -c "open('.git/config','w').write('x')"`,
    ];
    for (const attempt of attempts) await run(attempt);
    for (const file of ['.git/config', '.vscode/tasks.json', '.clawdcode.json', '.mcp.json'])
      expect(readFileSync(join(root, file), 'utf8'), file).toBe('before');
    expect(existsSync(join(root, '.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(join(root, '.git/hooks/post-commit'))).toBe(false);
    expect((await run('echo x > .git/index')).text).toContain('Read-only file system');
  });

  test('git settings and hooks cannot be changed or redirected in any repository of the workspace', {
    tags: 'long',
  }, async () => {
    const { run, root } = await confined();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.email=a@b.c', '-c', 'user.name=A', ...args], { cwd: root });
    git('init', '-q', '--template=', '.');
    git('init', '-q', 'services/api');
    git('commit', '-qm', 'one', '--allow-empty');
    git('worktree', 'add', '-q', 'linked');
    // A submodule whose name has two parts.
    git('init', '-q', '--bare', '.git/modules/libs/json');
    const attempts = [
      'mkdir evil; echo "[core]" > evil/config; echo ../evil > .git/commondir',
      'echo ../evil > services/api/.git/commondir',
      'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit',
      'echo x > services/api/.git/hooks/pre-commit',
      'echo x >> services/api/.git/config',
      'mv services/api/.git services/api/.git2',
      'echo x >> .git/modules/libs/json/config',
      'echo x > .git/modules/libs/json/hooks/post-checkout',
      'mv .git/modules/libs .git/modules/l2',
      'echo ../../../evil > .git/worktrees/linked/commondir',
    ];
    for (const attempt of attempts)
      expect((await run(attempt)).text, attempt).toMatch(/read-only file system|resource busy/i);
    const { text, status } = await run(
      'git config user.name || true; git status -sb && git -C linked status -sb && git -C services/api status -sb',
    );
    expect(status, text).toBe('ok');
  });

  test("a project file that git's settings include cannot be changed", {
    tags: 'long',
  }, async () => {
    const { run, root, home } = await confined();
    await run('git init -q . && mkdir conf && echo "[user]" | tee conf/shared conf/own conf/other');
    writeFileSync(join(root, '.git/config'), '[core]\n[include]\n\tpath = ../conf/shared\n');
    writeFileSync(join(home, '.gitconfig'), '[include]\n\tpath = ~/project/conf/own\n');
    const { text } = await run('for f in shared own other; do echo x > conf/$f; done; mv conf gone');
    expect(text.replaceAll('\n', ' ')).toMatch(/conf\/shared: Read-only.*conf\/own: Read-only.*gone.*busy/i);
    expect(readFileSync(join(root, 'conf/other'), 'utf8')).toBe('x\n');
  });

  test.each<[string, string, string, (folders: { root: string; home: string }) => void]>([
    [
      'the repository’s settings',
      'scripts/hooks',
      'scripts/hooks/pre-commit',
      ({ root }) => execFileSync('git', ['-C', root, 'config', 'core.hooksPath', 'scripts/hooks']),
    ],
    [
      'Husky in a package',
      'packages/a/.husky/_',
      'packages/a/.husky/pre-commit',
      ({ root }) => execFileSync('git', ['-C', root, 'config', 'core.hooksPath', 'packages/a/.husky/_']),
    ],
    [
      'the user’s settings',
      'ci/hooks',
      'ci/hooks/pre-push',
      ({ home }) => writeFileSync(join(home, '.gitconfig'), '[core]\n\thooksPath = "ci/hooks" # all\n'),
    ],
    [
      'an included settings file',
      'tools/git',
      'tools/git/deep/run.sh',
      ({ root }) => {
        writeFileSync(join(root, 'shared'), '[core] hooksPath = ~/project/tools/git\n');
        execFileSync('git', ['-C', root, 'config', 'include.path', '../shared']);
      },
    ],
  ])(
    'a hook folder cannot be changed if it is named by %s',
    { tags: 'long' },
    async (_, folder, file, set) => {
      const { run, root, home } = await confined();
      execFileSync('git', ['init', '-q', '.'], { cwd: root });
      for (const place of [folder, dirname(file), 'other']) mkdirSync(join(root, place), { recursive: true });
      writeFileSync(join(root, file), 'before');
      set({ root, home });
      const top = folder.split('/')[0] ?? '';
      const { text } = await run(
        `echo x > ${file}; echo x > ${folder}/new; mv ${top} gone; echo x > other/f; echo x > ${top}/beside; cat other/f`,
      );
      expect(text).toMatch(/Read-only[\s\S]*new: Read-only[\s\S]*busy[\s\S]*^x$/m);
      expect(readFileSync(join(root, file), 'utf8')).toBe('before');
      expect(existsSync(join(root, top, 'beside'))).toBe(true);
    },
  );

  test('commands run even if hooks or other protected files are links, wherever they lead', {
    tags: 'long',
  }, async () => {
    const { run, root, base } = await confined();
    mkdirSync(join(base, 'shared-hooks'));
    execFileSync('git', ['init', '-q', '--template=', '.'], { cwd: root });
    symlinkSync(join(base, 'shared-hooks'), join(root, '.git/hooks'));
    symlinkSync('/nowhere', join(root, 'CLAUDE.md'));
    symlinkSync('/proc', join(root, '.vscode'));
    const { text } = await run('echo fine; readlink /proc/self; ls /proc | grep -c "^[0-9]"');
    expect(text).toMatch(/^fine\n\d+\n\d$/m);
  });

  test('files added to a git folder to protect it are removed when the session ends', {
    tags: 'long',
  }, async () => {
    const { run, root, sandbox } = await confined();
    execFileSync('git', ['init', '-q', '.'], { cwd: root });
    const before = readdirSync(join(root, '.git'));
    await run('git tag -d none');
    expect(existsSync(join(root, '.git/commondir'))).toBe(true);
    sandbox.dispose();
    const now = readdirSync(join(root, '.git'));
    expect(now.filter((name) => name !== 'remotes')).toEqual(before);
  });

  test('no files are added to a repository outside the project that a link leads to', {
    tags: 'long',
  }, async () => {
    const { run, root, base } = await confined();
    const other = join(base, 'other');
    execFileSync('git', ['init', '-q', '--template=', other]);
    execFileSync('git', ['init', '-q', '--template=', '.'], { cwd: root });
    mkdirSync(join(root, 'sub'));
    symlinkSync(join(other, '.git'), join(root, 'sub/.git'));
    const before = readdirSync(join(other, '.git'));
    await run('git tag -d none');
    expect(readdirSync(join(other, '.git'))).toEqual(before);
    expect(existsSync(join(root, '.git/commondir'))).toBe(true);
  });

  test('files that two sessions added to a git folder stay until the last session ends', {
    tags: 'long',
  }, async () => {
    const { root, base } = await confined();
    execFileSync('git', ['init', '-q', '.'], { cwd: root });
    const [folder, notes] = [join(root, '.git'), join(base, 'notes')];
    const commondir = (): boolean => existsSync(join(folder, 'commondir'));
    const [first, second] = [createCompletedGitFolders(notes), createCompletedGitFolders(notes)];
    for (const session of [first, second])
      session.completeAll([root], { writable: [root], closed: [], home: base });
    first.release();
    expect(commondir()).toBe(true);
    second.release();
    expect(commondir()).toBe(false);
    expect(readdirSync(notes)).toEqual([]);
  });

  test('the next session removes files that a killed session added to a git folder', {
    tags: 'long',
  }, async () => {
    const { run, root, home, sandbox } = await confined();
    const other = join(home, 'other');
    execFileSync('git', ['init', '-q', other]);
    execFileSync('git', ['init', '-q', '.'], { cwd: root });
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    mkdirSync(join(home, '.clawdcode/sandbox/git'), { recursive: true });
    writeFileSync(join(home, `.clawdcode/sandbox/git/${pid}-1`), JSON.stringify([join(other, '.git')]));
    writeFileSync(join(other, '.git/commondir'), '.\n');
    await run('true');
    expect(existsSync(join(other, '.git/commondir'))).toBe(false);
    sandbox.dispose();
    expect(readdirSync(join(home, '.clawdcode/sandbox/git'))).toEqual([]);
  });

  describe('in the temporary folder', { tags: 'long' }, () => {
    const entries = (tmp: string): string[] =>
      readdirSync(tmp)
        .filter((name) => !name.startsWith('clawdcode-'))
        .sort();

    test('documents, and files and folders that a command names, are visible outside and to the next command, and outlast the session', {
      tags: 'long',
    }, async () => {
      const { run, tmp, sandbox } = await confined();
      await run(`echo one > ${tmp}/notes.txt; mkdir -p ${tmp}/made/deep; echo two > ${tmp}/made/deep/a`);
      expect(readFileSync(join(tmp, 'notes.txt'), 'utf8')).toBe('one\n');
      expect(readFileSync(join(tmp, 'made/deep/a'), 'utf8')).toBe('two\n');
      const { text } = await run(
        `echo more >> ${tmp}/notes.txt; cat ${tmp}/notes.txt "$TMPDIR"/made/deep/a; rm -r ${tmp}/made`,
      );
      expect(text).toBe('one\nmore\ntwo');
      expect(readdirSync(tmp)).not.toContain('made');
      expect((await run(`cat ${tmp}/notes.txt`, { basis: 'read-only' })).text).toBe('one\nmore');
      await run(
        `mkdir ${tmp}/kept; cd ${tmp}/kept; echo three > b; echo old > c; ln -s b d; echo x > ../fix.py; echo x > "${tmp}/run"`,
      );
      // Replaces the file rather than its content.
      await run(`cd ${tmp}/kept; echo new > c2; mv c2 c; rm d; ln -s c d; sed -i s/one/1/ ../notes.txt`);
      expect(readFileSync(join(tmp, 'notes.txt'), 'utf8')).toBe('1\nmore\n');
      expect(readFileSync(join(tmp, 'kept/d'), 'utf8')).toBe('new\n');
      await sandbox.dispose();
      expect(readdirSync(join(tmp, SCRATCH_NAME)).filter((name) => name.startsWith('session'))).toEqual([]);
      expect(lstatSync(join(tmp, 'notes.txt')).isSymbolicLink()).toBe(false);
      expect(readFileSync(join(tmp, 'notes.txt'), 'utf8')).toBe('1\nmore\n');
      expect(readFileSync(join(tmp, 'kept/b'), 'utf8')).toBe('three\n');
      expect(entries(tmp)).toEqual(['kept', 'notes.txt', 'run']);
    });

    test('files that other programs might run, import or obey stay private to the session, whatever their names', {
      tags: 'long',
    }, async () => {
      const { run, call, root, tmp, sandbox } = await confined();
      const files =
        'random.py json.py os.py git ls node fix.js run.sh x.so a.out t.zip .x.log -rf.log config.json AGENTS.md requirements.txt';
      const folders = 'jiti node-jiti ncc-cache caxa embedded-pg bin lib report.md';
      const script = `for f in ${files}; do echo x > "./$f"; done; mkdir ${folders}; for d in ${folders}; do echo x > $d/x.txt; done; echo x > out.png`;
      writeFileSync(join(root, 'script'), `cd ${tmp}; ${script}`);
      expect((await run('sh ./script')).status).toBe('ok');
      expect(entries(tmp)).toEqual(['out.png']);
      expect(
        (await run(`cd ${tmp} && ls ${files.replace('-rf.log', '')} | wc -l; cat jiti/x.txt; cd -`)).text,
      ).toMatch(/^15\nx/);
      const { text } = await call('Read', { file_path: join(tmp, 'fix.js') });
      const place = /use (\S+)$/.exec(text)?.[1] ?? '';
      expect((await call('Read', { file_path: place })).text).toContain('x');
      await sandbox.dispose();
      expect(entries(tmp)).toEqual(['out.png']);
    });

    test('a command cannot redirect writes from outside through its visible files', {
      tags: 'long',
    }, async () => {
      const { run, call, root, home, tmp, sandbox } = await confined();
      const bashrc = join(home, '.bashrc');
      writeFileSync(bashrc, 'before\n');
      const wait = 'while [ ! -f go ]; do sleep 0.02; done';
      await run(
        `echo one > ${tmp}/build.log; mkdir -p ${tmp}/out/deep; echo two > ${tmp}/out/result.log; ${wait}; cd ${tmp}; for f in build.log out/result.log out/new.log out/deep/x.log; do ln -s ${bashrc} l; mv -f l $f; done; mv out out2; ln -s ${home} out; echo end`,
        { background: true },
      );
      expect(readFileSync(join(tmp, 'build.log'), 'utf8')).toBe('one\n');
      await vi.waitFor(() => expect(readFileSync(join(tmp, 'out/result.log'), 'utf8')).toBe('two\n'));
      writeFileSync(join(root, 'go'), '');
      expect((await call('BashOutput', { task_id: 'b1', wait: 20_000 })).text).toContain('end');
      for (const name of ['build.log', 'out/result.log', 'out/new.log'])
        if (existsSync(dirname(join(tmp, name)))) appendFileSync(join(tmp, name), 'outside\n');
      await run(`true ${tmp}/out2`);
      await sandbox.dispose();
      for (const path of readdirSync(tmp, { recursive: true, encoding: 'utf8' }))
        expect(lstatSync(join(tmp, path)).isSymbolicLink(), path).toBe(false);
      expect(readFileSync(bashrc, 'utf8')).toBe('before\n');
    });

    test('links out of a folder, pipes and sockets do not appear', { tags: 'long' }, async () => {
      const { run, home, tmp, sandbox } = await confined();
      await run(
        `mkdir -p ${tmp}/out/a/b; cd ${tmp}/out; echo x > a/f; mkfifo pipe; ln -s ${home}/.bashrc one; ln -s ../../../home/plain.txt a/two; ln -s a/f in1; ln -s ../f a/b/in2; ln -s ../.. a/b/up; ln -s a/b/up/../../home trick; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('s')"`,
      );
      await sandbox.dispose();
      expect(readdirSync(join(tmp, 'out'), { recursive: true, encoding: 'utf8' }).sort()).toEqual([
        'a',
        'a/b',
        'a/b/in2',
        'a/f',
        'in1',
      ]);
      expect(readFileSync(join(tmp, 'out/a/b/in2'), 'utf8')).toBe('x\n');
    });

    test("commands see files that the session's tools write in a folder created by a command", {
      tags: 'long',
    }, async () => {
      const { run, call, tmp, sandbox } = await confined();
      await run(`mkdir ${tmp}/app; echo one > ${tmp}/app/a.txt`);
      const [a, b] = [join(tmp, 'app/a.txt'), join(tmp, 'app/src/b.txt')];
      await call('Read', { file_path: a });
      const edit = { file_path: a, old_string: 'one', new_string: 'two' };
      expect(await call('Edit', edit)).toMatchObject({ status: 'ok' });
      expect(await call('Write', { file_path: b, content: 'three\n' })).toMatchObject({ status: 'ok' });
      sandbox.adopt(a, 'modified');
      sandbox.adopt(b, 'created');
      expect((await run(`(cd ${tmp}/app; cat a.txt src/b.txt; sed -i s/three/four/ src/b.txt)`)).text).toBe(
        'two\nthree',
      );
      expect(readFileSync(b, 'utf8')).toBe('four\n');
      await sandbox.dispose();
      expect(readFileSync(a, 'utf8')).toBe('two\n');
      expect(readFileSync(b, 'utf8')).toBe('four\n');
    });

    test('tools and commands can both change a file of the session, but not one that another program created', {
      tags: 'long',
    }, async () => {
      const { run, call, tmp, sandbox } = await confined();
      const [script, other] = [join(tmp, 'run.sh'), join(tmp, 'other.sh')];
      expect((await call('Write', { file_path: script, content: 'echo one\n' })).status).toBe('ok');
      writeFileSync(other, 'echo other\n');
      sandbox.adopt(script, 'created');
      const { text } = await run(
        `chmod +x ${script} && sed -i s/one/two/ ${script} && ${script}; chmod +x ${other}`,
      );
      expect(text).toMatch(/^two\nchmod: .*Read-only/);
      expect((await call('Read', { file_path: script })).text).toContain('echo two');
      const edit = { file_path: script, old_string: 'two', new_string: 'three' };
      expect(await call('Edit', edit)).toMatchObject({ status: 'ok' });
      sandbox.adopt(script, 'modified');
      expect((await run(script)).text).toBe('three');
      await sandbox.dispose();
      expect(lstatSync(script).isFile()).toBe(true);
      expect(readFileSync(script, 'utf8')).toBe('echo three\n');
    });

    test('a visible file that becomes a link disappears', { tags: 'long' }, async () => {
      const { run, tmp } = await confined();
      await run(`echo one > ${tmp}/a.txt`);
      await run(`rm ${tmp}/a.txt; ln -s ~/plain.txt ${tmp}/a.txt`);
      expect(readdirSync(tmp)).not.toContain('a.txt');
    });

    test('a command can use a name that is visible for another session', {
      tags: 'long',
    }, async () => {
      const { run, tmp } = await confined();
      const other = join(tmp, SCRATCH_NAME, 'session-1-abcdef/tmp');
      mkdirSync(other, { recursive: true });
      chmodSync(join(tmp, SCRATCH_NAME), 0o700);
      writeFileSync(join(other, 'out.txt'), 'other');
      linkSync(join(other, 'out.txt'), join(tmp, 'out.txt'));
      mkdirSync(join(tmp, 'out'));
      mkdirSync(join(dirname(other), 'folders'));
      writeFileSync(join(dirname(other), 'folders/out'), String(statSync(join(tmp, 'out')).ino));
      expect((await run(`mkdir ${tmp}/out && echo own > ${tmp}/out.txt; cat ${tmp}/out.txt`)).text).toBe(
        'own',
      );
      expect(readFileSync(join(tmp, 'out.txt'), 'utf8')).toBe('other');
    });

    test('if the private folder cannot be created, commands write only to their own scratch folder', {
      tags: 'long',
    }, async () => {
      const { run, tmp } = await confined({ options: { scratchParent: () => undefined } });
      writeFileSync(join(tmp, SCRATCH_NAME), '');
      const { text } = await run(`echo x > ${tmp}/x.txt; f=$(mktemp) && echo y > $f && cat $f`);
      expect(text).toMatch(/x\.txt: Read-only.*\n^y$/m);
    });

    test('files that a background command writes appear while it runs', { tags: 'long' }, async () => {
      const { run, call, root, tmp } = await confined();
      await run(`echo up > ${tmp}/server.log; while [ ! -f go ]; do sleep 0.05; done`, { background: true });
      expect(readFileSync(join(tmp, 'server.log'), 'utf8')).toBe('up\n');
      writeFileSync(join(root, 'go'), '');
      await call('BashOutput', { task_id: 'b1', wait: 20_000 });
    });

    test('existing files can be read but not changed', async () => {
      const { run, tmp } = await confined();
      mkdirSync(join(tmp, 'build123'));
      for (const name of ['crash.log', 'build123/main']) writeFileSync(join(tmp, name), 'before');
      const { text } = await run(
        `cd ${tmp}; cat crash.log build123/main; echo x > crash.log; echo x > build123/main; echo x > build123/new; rm -rf *; mv build123 b; mkdir build123; echo x > build123/main`,
      );
      expect(text).toMatch(/^beforebefore/);
      expect(text).toMatch(
        /crash\.log: Read-only[\s\S]*build123\/main: Read-only[\s\S]*build123\/new: Read-only/,
      );
      for (const name of ['crash.log', 'build123/main'])
        expect(readFileSync(join(tmp, name), 'utf8')).toBe('before');
      expect(readdirSync(join(tmp, 'build123'))).toEqual(['main']);
    });

    test('an entry that a command names is mounted rather than linked, and stays available to the next command', {
      tags: 'long',
    }, async () => {
      const { run, tmp } = await confined();
      mkdirSync(join(tmp, 'data/deep'), { recursive: true });
      for (const name of ['data/deep/a.txt', 'log.txt']) writeFileSync(join(tmp, name), 'x\n');
      const { text } = await run(
        `find ${tmp}/data -type f; cp -r ${tmp}/data ${tmp}/copy && echo y > ${tmp}/copy/deep/a.txt && cat ${tmp}/copy/deep/a.txt; [ -L ${tmp}/log.txt ] || echo file`,
      );
      expect(text).toBe(`${tmp}/data/deep/a.txt\ny\nfile`);
      expect((await run('(cd "$TMPDIR" && cat */deep/a.txt *.txt)')).text).toBe('y\nx\nx');
      expect(readFileSync(join(tmp, 'copy/deep/a.txt'), 'utf8')).toBe('y\n');
    });

    test('a link that a command names exposes nothing hidden', { tags: 'long' }, async () => {
      const { run, home, tmp } = await confined();
      symlinkSync(home, join(tmp, 'home-link'));
      symlinkSync(join(home, '.ssh/id_rsa'), join(tmp, 'key-link'));
      const { text } = await run(
        `cat ${tmp}/home-link/.ssh/id_rsa ${tmp}/home-link/.netrc ${tmp}/key-link; cat ${tmp}/home-link/plain.txt`,
      );
      expect(text).toContain('plain');
      expect(text).not.toContain('SECRET');
    });

    test('nothing is mounted through a link with which a command replaced an entry', {
      tags: 'long',
    }, async () => {
      const { run, home, tmp } = await confined();
      // Where bubblewrap keeps the machine's files while it mounts, and where they end up.
      for (const root of ['/oldroot', '/newroot', '']) {
        writeFileSync(join(tmp, 'given.txt'), 'given\n');
        await run(`cd ${tmp} && ln -sfn ${root}${home}/.planted giv''en.txt`);
        expect((await run(`ls ${tmp}/given.txt; echo end`)).text).toContain('end');
        expect(existsSync(join(home, '.planted')), root).toBe(false);
      }
    });

    test('nothing is mounted through a link that replaces an entry mounted before', {
      tags: 'long',
    }, async () => {
      const { run, home, tmp } = await confined();
      writeFileSync(join(tmp, 'given.txt'), 'given\n');
      expect((await run(`cat ${tmp}/given.txt`)).text).toMatch(/^given/);
      await run(`cd ${tmp} && ln -sfn /oldroot${home}/.planted giv''en.txt`);
      expect((await run(`ls ${tmp}/given.txt; echo end`)).text).toContain('end');
      expect(existsSync(join(home, '.planted'))).toBe(false);
    });

    test('a running command cannot change files that another program creates', {
      tags: 'long',
    }, async () => {
      const { run, call, root, tmp } = await confined();
      const evil = `echo ready > ready; while [ ! -f go ]; do sleep 0.02; done; for f in ${tmp}/go-build1/main ${tmp}/*/*/outside/go-build1/main; do echo evil > $f; done; echo end`;
      await run(evil, { background: true });
      mkdirSync(join(tmp, 'go-build1'));
      writeFileSync(join(tmp, 'go-build1/main'), 'before');
      writeFileSync(join(root, 'go'), '');
      expect((await call('BashOutput', { task_id: 'b1', wait: 20_000 })).text).toContain('end');
      expect(readFileSync(join(tmp, 'go-build1/main'), 'utf8')).toBe('before');
    });

    test('files that programs outside would run, load or obey never appear', {
      tags: 'long',
    }, async () => {
      const { run, tmp, sandbox } = await confined({
        options: {
          temporary: { parentName: SCRATCH_NAME, isOfProgram: programNames({ number: 1234, name: 'alice' }) },
        },
      });
      const names =
        'node-compile-cache tsx-1234 bunx-1234-prettier@latest jest_rs node_modules .X11-unix tmux-1234 pytest-of-alice made.so';
      const { status, text } = await run(
        `cd ${tmp} && mkdir ${names} && for d in ${names}; do echo x > $d/x; done`,
      );
      expect(status, text).toBe('ok');
      await run(`cd ${tmp} && ln -s ~/plain.txt link.txt && mkfifo pipe.txt; ls ${names}`);
      await sandbox.dispose();
      expect(entries(tmp)).toEqual([]);
    });

    test('a command can read the entries that it names among thousands', { tags: 'long' }, async () => {
      const { run, tmp } = await confined();
      for (let at = 0; at < 3000; at++) writeFileSync(join(tmp, `entry${at}.txt`), `in ${at}\n`);
      expect((await run(`cat ${tmp}/entry2999.txt ${tmp}/entry7.txt`)).text).toBe('in 2999\nin 7');
    });

    test('at most a thousand of the files that a command creates appear; the session sees all of them', {
      tags: 'long',
    }, async () => {
      const { run, tmp, sandbox } = await confined();
      expect((await run(`cd ${tmp} && seq -f 'made%.0f.txt' 2500 | xargs touch`)).status).toBe('ok');
      const made = (): number => readdirSync(tmp).filter((name) => name.startsWith('made')).length;
      expect(made()).toBe(1000);
      expect((await run(`ls ${tmp} | grep -c made`)).text).toBe('2500');
      await sandbox.dispose();
      expect(made()).toBe(1000);
    });

    test('secrets and the folders of other sessions stay hidden', { tags: 'long' }, async () => {
      const { run, tmp } = await confined({ denyRead: ['../../tmp/private'] });
      mkdirSync(join(tmp, 'private'));
      writeFileSync(join(tmp, 'private/key'), 'SECRET');
      await run('true');
      const other = join(tmp, SCRATCH_NAME, 'session-1-abcdef/tmp');
      mkdirSync(other, { recursive: true });
      writeFileSync(join(other, 'key'), 'SECRET');
      const { text } = await run(`cat ${tmp}/private/key; find ${tmp}/ -name key | xargs cat; echo end`);
      expect(text).toContain('end');
      expect(text).not.toContain('SECRET');
    });

    test('visible files of a killed session stay, and a later session adds the rest and cleans up', {
      tags: 'long',
    }, async () => {
      const { run, tmp } = await confined();
      const { pid } = spawnSync(process.execPath, ['-e', '']);
      const session = join(tmp, SCRATCH_NAME, `session-${pid}-abcdef`);
      for (const folder of ['tmp/report/sub', 'tmp/taken', 'tmp/other', 'folders'])
        mkdirSync(join(session, folder), { recursive: true, mode: 0o700 });
      chmodSync(join(tmp, SCRATCH_NAME), 0o700);
      for (const name of ['run', 'report.txt', 'left.txt', 'left.py', 'report/a', 'report/sub/b', 'taken/a'])
        writeFileSync(join(session, 'tmp', name), 'done\n');
      symlinkSync('/etc/passwd', join(session, 'tmp/report/link'));
      for (const name of ['run', 'report.txt']) linkSync(join(session, 'tmp', name), join(tmp, name));
      for (const name of ['report', 'taken']) {
        mkdirSync(join(tmp, name));
        writeFileSync(
          join(session, 'folders', name),
          String(statSync(join(tmp, name)).ino + (name === 'taken' ? 1 : 0)),
        );
      }
      utimesSync(session, 1, 1);
      await run('true');
      await vi.waitFor(() =>
        expect(readdirSync(join(tmp, SCRATCH_NAME)).filter((name) => name.includes('abcdef'))).toEqual([]),
      );
      for (const name of ['run', 'report.txt', 'left.txt', 'report/a', 'report/sub/b'])
        expect(readFileSync(join(tmp, name), 'utf8'), name).toBe('done\n');
      expect(readdirSync(join(tmp, 'report')).sort()).toEqual(['a', 'sub']);
      expect(readdirSync(join(tmp, 'taken'))).toEqual([]);
      for (const name of ['left.py', 'other']) expect(existsSync(join(tmp, name)), name).toBe(false);
    });

    test('changes by the user or another program to visible files are kept', {
      tags: 'long',
    }, async () => {
      const { run, tmp, sandbox } = await confined();
      await run(
        `cd ${tmp}; for f in a b c; do echo one > $f.txt; done; mkdir -p ${tmp}/out; echo one > out/a`,
      );
      rmSync(join(tmp, 'a.txt'));
      for (const name of ['b.txt', 'out/a']) {
        writeFileSync(join(tmp, `${name}2`), 'user\n');
        renameSync(join(tmp, `${name}2`), join(tmp, name));
      }
      await run(`cd ${tmp}; rm b.txt; echo two > c2; mv c2 c.txt; rm -r out`);
      await sandbox.dispose();
      expect(existsSync(join(tmp, 'a.txt'))).toBe(false);
      for (const name of ['b.txt', 'out/a']) expect(readFileSync(join(tmp, name), 'utf8')).toBe('user\n');
      expect(readFileSync(join(tmp, 'c.txt'), 'utf8')).toBe('two\n');
    });

    test('nothing appears in a folder where an environment variable makes programs look for code', {
      tags: 'long',
    }, async () => {
      const { run, tmp } = await confined({
        options: {
          temporary: {
            parentName: SCRATCH_NAME,
            isOfProgram: programNames({}),
            isOnPath: (name) => name === 'venv',
          },
        },
      });
      await run(`mkdir -p ${tmp}/venv/bin ${tmp}/other; echo x > ${tmp}/venv/bin/git`);
      expect(existsSync(join(tmp, 'other'))).toBe(true);
      expect(existsSync(join(tmp, 'venv'))).toBe(false);
      expect((await run(`cat ${tmp}/venv/bin/git`)).text).toBe('x');
    });

    test('commands work if one temporary folder is inside another', { tags: 'long' }, async () => {
      const { run, base, tmp } = await confined({ temporary: ({ base }) => [base, join(base, 'tmp')] });
      writeFileSync(join(tmp, 'in.txt'), 'in\n');
      const { text } = await run(
        `cat ${tmp}/in.txt; echo a > ${tmp}/a.txt; echo b > ${base}/b.txt; cat ${tmp}/a.txt ${base}/b.txt; echo x > ${tmp}/in.txt`,
      );
      expect(text).toMatch(/^in\na\nb\n.*in\.txt: Read-only/);
      expect(readFileSync(join(tmp, 'a.txt'), 'utf8')).toBe('a\n');
      expect(readFileSync(join(base, 'b.txt'), 'utf8')).toBe('b\n');
    });

    test('a project is writable, but nothing around it', { tags: 'long' }, async () => {
      const { run, root, base } = await confined({ temporary: ({ base }) => [base] });
      const { text } = await run(
        `echo in > in.txt; echo x > ${base}/home/out.txt; cat in.txt; cat ~/plain.txt`,
      );
      expect(text).toMatch(/out\.txt: Read-only[\s\S]*^in\nplain$/m);
      expect(readFileSync(join(root, 'in.txt'), 'utf8')).toBe('in\n');
    });
  });

  test('a parent folder of secrets or the project cannot be moved', { tags: 'long' }, async () => {
    const { run, root, home } = await confined({ allowWrite: ['~'] });
    mkdirSync(join(home, '.config/gh'), { recursive: true });
    writeFileSync(join(home, '.config/gh/hosts.yml'), 'SECRET-GH');
    await run('mv ~/.config ~/c2; mv ~/project ~/p2');
    expect(existsSync(join(home, '.config/gh/hosts.yml')) && existsSync(root)).toBe(true);
    expect(
      (await run('cat ~/.config/gh/* ~/c2/gh/*; echo new > ~/.config/new; cat ~/.config/new')).text,
    ).toMatch(/^new$/m);
  });

  test("a cache in the program's own data stays writable, whatever it contains", {
    tags: 'long',
  }, async () => {
    const { run, home } = await confined({ allowWrite: ['~/.clawdcode/cache'] });
    mkdirSync(join(home, '.clawdcode/cache'));
    await run('mkdir -p ~/.clawdcode/cache/npm/_logs && echo one > ~/.clawdcode/cache/npm/_logs/1');
    const { text } = await run(
      'echo two > ~/.clawdcode/cache/npm/_logs/2; cat ~/.clawdcode/cache/npm/_logs/*',
    );
    expect(text).toBe('one\ntwo');
  });

  test('a project inside a hidden folder exposes nothing around it', { tags: 'long' }, async () => {
    const { run, root } = await confined({ denyRead: ['~'] });
    const { text } = await run('ls -A ~; cat ~/plain.txt; echo in > in.txt; cat in.txt');
    expect(text).not.toMatch(/plain$/m);
    expect(text).toMatch(/^in$/m);
    expect(readFileSync(join(root, 'in.txt'), 'utf8')).toBe('in\n');
    expect((await run('cat in.txt', { basis: 'read-only' })).text).toMatch(/^in$/m);
  });

  test('a home inside a temporary folder stays read-only', { tags: 'long' }, async () => {
    const { run } = await confined({ temporary: ({ base }) => [base] });
    const { text } = await run('echo x > ~/.bashrc; echo x > ~/notes; echo in > in.txt; cat in.txt');
    expect(text).toMatch(/\.bashrc: Read-only[\s\S]*notes: Read-only[\s\S]*^in$/m);
  });

  test('if the home is the temporary folder, files that shells and editors obey stay protected', {
    tags: 'long',
  }, async () => {
    const { run, home } = await confined({ temporary: ({ home }) => [home] });
    writeFileSync(join(home, '.bashrc'), 'before');
    mkdirSync(join(home, '.config/fish'), { recursive: true });
    await run('echo x > ~/.bashrc; echo x > ~/.config/fish/config.fish; echo x > ~/notes');
    expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('before');
    expect(existsSync(join(home, '.config/fish/config.fish'))).toBe(false);
    expect(existsSync(join(home, 'notes'))).toBe(true);
  });

  test('git works: commits, branches, stashes', async () => {
    const { run } = await confined();
    await run('git init -q .; git config user.email a@b.c; git config user.name A');
    await run('echo a > a');
    const first = await run('git add a && git commit -qm one && git checkout -qb next');
    expect(first.status, first.text).toBe('ok');
    await run('echo b >> a');
    const { text, status } = await run(
      'git stash && git stash pop && git commit -qam two && git log --oneline',
    );
    expect(status, text).toBe('ok');
    expect(text).toMatch(/two[\s\S]*one/);
  });

  test('git works in read-only commands', { tags: 'long' }, async () => {
    const { run } = await confined();
    await run(
      'git init -q . && git -c user.name=T -c user.email=t@example.invalid commit -q --allow-empty -m one',
    );
    expect((await run('git log --format=%s', { basis: 'read-only' })).text).toMatch(/^one$/m);
  });

  test('a linked worktree can commit to its repository but change nothing else there', {
    tags: 'long',
  }, async () => {
    const { run, root, base } = await confined();
    const script = `cd ${base} && git init -q main && cd main && git config user.email a@b.c && git config user.name A && git commit -qm one --allow-empty && rm -rf ${root} && git worktree add -q ${root} -b wt`;
    expect(spawnSync('sh', ['-c', script], { env: { PATH: process.env.PATH, HOME: base } }).status).toBe(0);
    await run('echo a > a');
    const { text, status } = await run('git add a && git commit -qm two && git log --oneline');
    expect(status, text).toBe('ok');
    await run(
      `echo x > ${base}/main/.git/config; echo x > ${base}/main/.git/hooks/pre-commit; echo x > ${base}/main/x`,
    );
    expect(readFileSync(join(base, 'main/.git/config'), 'utf8')).not.toBe('x\n');
    expect(existsSync(join(base, 'main/.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(join(base, 'main/x'))).toBe(false);
  });

  test.each([
    [
      'a worktree with relative paths',
      'git init -q main; git -C main commit -qm one --allow-empty; git -C main worktree add -q ../home/wt; cd home/wt; echo "gitdir: ../../main/.git/worktrees/wt" > .git; echo "../../../../home/wt/.git" > ../../main/.git/worktrees/wt/gitdir',
      'home/wt',
    ],
    [
      'a submodule',
      'git init -q lib; git -C lib commit -qm one --allow-empty; git init -q home/main; cd home/main; git -c protocol.file.allow=always submodule add -q ../../lib sub',
      'home/main/sub',
    ],
  ])(
    '%s can commit to its git folder but not change settings or hooks there',
    { tags: 'long' },
    async (_, script, place) => {
      const workspace: string[] = [];
      const { run, base } = await confined({ workspace: () => workspace });
      const git = ['-c', 'user.email=a@b.c', '-c', 'user.name=A'].join(' ');
      const set = `git config --global user.email a@b.c; git config --global user.name A; ${script}`;
      const env = { PATH: process.env.PATH, HOME: base };
      expect(spawnSync('sh', ['-ec', set], { cwd: base, env, encoding: 'utf8' })).toMatchObject({
        status: 0,
      });
      const root = join(base, place);
      workspace.push(root);
      await run(`echo a > ${root}/a`);
      const { text, status } = await run(
        `cd ${root} && git add a && git ${git} commit -qm two && git log --oneline`,
      );
      expect(status, text).toBe('ok');
      const folder = execFileSync('git', ['rev-parse', '--path-format=absolute', '--git-common-dir'], {
        cwd: root,
        encoding: 'utf8',
      }).trim();
      await run(
        `echo x > ${folder}/config; echo x > ${folder}/hooks/pre-commit; echo ../evil > ${folder}/commondir`,
      );
      expect(readFileSync(join(folder, 'config'), 'utf8')).not.toBe('x\n');
      expect(existsSync(join(folder, 'hooks/pre-commit'))).toBe(false);
    },
  );

  test('a .git file that points elsewhere makes nothing writable', { tags: 'long' }, async () => {
    const { run, root, base } = await confined();
    mkdirSync(join(base, 'victim/worktrees/w'), { recursive: true });
    mkdirSync(join(base, 'victim/objects'));
    writeFileSync(join(root, '.git'), `gitdir: ${base}/victim/worktrees/w\n`);
    await run(`echo x > ${base}/victim/x`);
    expect(existsSync(join(base, 'victim/x'))).toBe(false);
  });

  test.each<[string, string, RegExp]>([
    ['a file in the project folder', 'echo x > .mcp.json', /changed \.mcp\.json, which/],
    ['a folder', 'mkdir .vscode; echo x > .vscode/tasks.json', /changed \.vscode, which/],
    ['a link that becomes a file', 'rm CLAUDE.md; echo x > CLAUDE.md', /changed CLAUDE\.md, which/],
    ['a file in a package', 'echo x > packages/a/CLAUDE.md', /changed packages\/a\/CLAUDE\.md, which/],
    [
      'a file in a folder of a package',
      'echo x >> packages/a/.vscode/tasks.json',
      /changed packages\/a\/\.vscode, which/,
    ],
    [
      'a workflow',
      'mkdir -p .github/workflows; echo x > .github/workflows/a.yml',
      /\.github\/workflows, which/,
    ],
    ['a bare repository', 'git init -q --bare packages/a/data', /changed packages\/a\/data\/HEAD, which/],
  ])(
    'the model is told about changed files that could not be protected: %s',
    { tags: 'long' },
    async (_, command, note) => {
      const { run, root } = await confined();
      execFileSync('git', ['init', '-q', '.'], { cwd: root });
      mkdirSync(join(root, 'packages/a/.vscode'), { recursive: true });
      for (const file of ['AGENTS.md', 'packages/a/CLAUDE.md', 'packages/a/.vscode/tasks.json'])
        writeFileSync(join(root, file), 'before');
      symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'));
      expect((await run('echo x > a; git add a; cat AGENTS.md')).text).not.toContain('It created');
      expect((await run(command)).text).toMatch(note);
      expect((await run('git status --short > /dev/null')).text).not.toContain('It created');
    },
  );

  describe('a nested repository that git enters', { tags: 'long' }, () => {
    const make =
      'git init -q node_modules/x; cd node_modules/x; git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m m; cd ../..; git update-index --add --cacheinfo 160000,$(git -C node_modules/x rev-parse HEAD),node_modules/x';
    /** A repository, a command whose settings make git run a program, and whether the user's git status ran it. */
    const started = async () => {
      const given = await confined({ mayChangeGit: true });
      execFileSync('git', ['init', '-q', '.'], { cwd: given.root });
      const evil = `git -C node_modules/x config core.fsmonitor 'touch "${given.home}/ran"; false'`;
      const isRunByStatus = (): boolean => {
        execFileSync('git', ['status'], { cwd: given.root, stdio: 'ignore' });
        return existsSync(join(given.home, 'ran'));
      };
      return { ...given, evil, isRunByStatus };
    };

    test('is reported', { tags: 'long' }, async () => {
      const { run, root } = await started();
      expect((await run(make)).text).toMatch(/changed node_modules\/x\/\.git, which/);
      expect(existsSync(join(root, 'node_modules/x/.git'))).toBe(true);
      expect((await run('echo')).text).not.toContain('It created');
    });

    test('is renamed if its settings start programs', { tags: 'long' }, async () => {
      const { run, root, evil, isRunByStatus } = await started();
      const { text, display } = await run(`${make}; ${evil}`);
      const said =
        'node_modules/x/.git (renamed to .git-set-aside: its settings may start programs at your next git status)';
      expect(text).toContain(said);
      expect(display.summary).toContain(said);
      expect(existsSync(join(root, 'node_modules/x/.git-set-aside/config'))).toBe(true);
      expect(isRunByStatus()).toBe(false);
    });

    test('is renamed and reported even after an interrupt', { tags: 'long' }, async () => {
      const { run, root, evil } = await started();
      const abort = new AbortController();
      const interrupted = run(`${make}; ${evil}; touch done; sleep 30`, { signal: abort.signal });
      await vi.waitFor(() => expect(existsSync(join(root, 'done'))).toBe(true), { timeout: 30_000 });
      abort.abort();
      expect((await interrupted).text).toContain('node_modules/x/.git (renamed to .git-set-aside');
    });

    test('is kept if it borrows objects from another repository', { tags: 'long' }, async () => {
      const { run, root, home } = await started();
      const borrow =
        'git init -q node_modules/x; git -C node_modules/x -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m m; echo ~/other/objects > node_modules/x/.git/objects/info/alternates; git update-index --add --cacheinfo 160000,$(git -C node_modules/x rev-parse HEAD),node_modules/x';
      mkdirSync(join(home, 'other/objects'), { recursive: true });
      expect((await run(borrow)).text).toMatch(
        /changed node_modules\/x\/\.git, node_modules\/x\/\.git\/objects\/info\/alternates, which/,
      );
      expect(existsSync(join(root, 'node_modules/x/.git'))).toBe(true);
    });

    test('is reported by the next session if the first one ended before reporting it', {
      tags: 'long',
    }, async () => {
      const { run, root, home, evil } = await started();
      const notes = join(home, '.clawdcode/sandbox/set-aside');
      await run(`${make}; ${evil}`);
      expect(readdirSync(notes)).toEqual([]);
      const { pid } = spawnSync(process.execPath, ['-e', '']);
      const script = join(home, 'session.ts');
      const from = JSON.stringify(resolve(import.meta.dirname, '../../src/sandbox/protectedChanges.ts'));
      writeFileSync(
        script,
        `import { createQuarantine } from ${from};
         createQuarantine(process.argv[2]).move(process.argv[3], { reason: process.argv[4] });
         process.kill(process.pid, 'SIGKILL');`,
      );
      mkdirSync(join(root, 'sub/.git'), { recursive: true });
      spawnSync(process.execPath, [
        '--experimental-strip-types',
        '--no-warnings',
        script,
        notes,
        join(root, 'sub/.git'),
        'its settings may start programs at your next git status',
      ]);
      expect(pid).toBeGreaterThan(0);
      expect(unreportedSetAside(notes, [join(home, 'elsewhere')])).toEqual([]);
      expect(unreportedSetAside(notes, [root])).toEqual([
        `A command in an earlier session created ${root}/sub/.git (renamed to .git-set-aside: its settings may start programs at your next git status).`,
      ]);
      expect(unreportedSetAside(notes, [root])).toEqual([]);
    });

    test('has settings that a later command cannot change', { tags: 'long' }, async () => {
      const { run, evil, isRunByStatus } = await started();
      await run(make);
      expect((await run(evil)).text).toMatch(/Read-only file system|Device or resource busy|could not/i);
      expect(isRunByStatus()).toBe(false);
    });

    test('is kept if it existed before the command', { tags: 'long' }, async () => {
      const { run, root, evil } = await started();
      execFileSync('sh', ['-c', `${make}; ${evil}`], { cwd: root });
      expect((await run('echo > new.txt')).text).not.toContain('It created');
      expect(existsSync(join(root, 'node_modules/x/.git'))).toBe(true);
    });
  });

  test('changes that an interrupted command makes while ending are reported once', {
    tags: 'long',
  }, async () => {
    const { run, root } = await confined();
    const abort = new AbortController();
    const command = "trap 'echo x > .mcp.json; exit' TERM; touch ready; while :; do sleep 0.05; done";
    const interrupted = run(command, { signal: abort.signal });
    await vi.waitFor(() => expect(existsSync(join(root, 'ready'))).toBe(true), { timeout: 30_000 });
    abort.abort();
    const texts = [(await interrupted).text];
    // The command may still be ending; on a slow machine it is killed instead.
    await new Promise((done) => setTimeout(done, 1000));
    texts.push((await run('true')).text, (await run('true')).text);
    const told = texts.filter((text) => text.includes('It created or changed .mcp.json'));
    expect(told).toHaveLength(existsSync(join(root, '.mcp.json')) ? 1 : 0);
  });

  test('changes that a background command makes are reported once', { tags: 'long' }, async () => {
    const { run, call, root } = await confined();
    await run('while [ ! -f go ]; do sleep 0.05; done; echo x > .mcp.json', { background: true });
    expect((await call('BashOutput', { task_id: 'b1' })).text).not.toContain('It created');
    writeFileSync(join(root, 'go'), '');
    expect((await call('BashOutput', { task_id: 'b1', wait: 20_000 })).text).toContain(
      'It created or changed .mcp.json',
    );
    expect((await call('BashOutput', { task_id: 'b1' })).text).not.toContain('It created');
  });

  test('a folder that the parent shell left open is not reachable', { tags: 'long' }, async () => {
    const { home, root } = await confined();
    const script = join(root, 'host.ts');
    const from = (path: string) => JSON.stringify(resolve(import.meta.dirname, '../../src', path));
    writeFileSync(
      script,
      `import { closeInheritedFiles } from ${from('sandbox/probe.ts')};
       import { spawnSync } from 'node:child_process';
       const list = () => spawnSync('sh', ['-c', 'ls -l /proc/self/fd'], { encoding: 'utf8' }).stdout;
       console.log('BEFORE', list());
       closeInheritedFiles();
       console.log('AFTER', list());`,
    );
    const folder = openSync(home, 'r');
    onTestFinished(() => closeSync(folder));
    // A high descriptor: Node closes those next to the standard ones for its children.
    const stdio: StdioOptions = [
      ...Array.from({ length: 40 }, (_, at) => (at === 1 ? 'pipe' : 'ignore')),
      folder,
    ];
    const { stdout } = spawnSync(process.execPath, ['--experimental-strip-types', '--no-warnings', script], {
      stdio,
      encoding: 'utf8',
    });
    const [before = '', after = ''] = stdout.split('AFTER');
    expect(before).toContain(`-> ${home}`);
    expect(after).toContain('total');
    expect(after).not.toContain(`-> ${home}`);
  });

  test('links do not lead out of the sandbox', async () => {
    const { run, root, home } = await confined();
    symlinkSync(home, join(root, 'up'));
    symlinkSync(join(home, '.ssh/id_rsa'), join(root, 'key'));
    const { text } = await run('echo x > up/written; cat key');
    expect(text).not.toContain('SECRET');
    expect(existsSync(join(home, 'written'))).toBe(false);
  });

  test('the scratch folders of other commands are not visible', { tags: 'long' }, async () => {
    const { run } = await confined();
    await run('sleep 30', { background: true });
    const { text } = await run('ls -d "$TMPDIR"/clawdcode-*/clawdcode-*/');
    expect(text.trim().split('\n')).toHaveLength(1);
  });

  test('files that appear while a background command runs are protected from the next command', {
    tags: 'long',
  }, async () => {
    const { run, call, root, tmp } = await confined();
    mkdirSync(join(root, '.vscode'));
    const wait = 'while [ ! -f go ]; do sleep 0.02; done';
    await run(`mkdir -p .claude sub && git init -q sub/in && touch ready; ${wait}`, { background: true });
    await vi.waitFor(() => expect(existsSync(join(root, 'ready'))).toBe(true), 20_000);
    const mounts = async () => (await run(`grep -o ' ${root}/[^ ]*' /proc/self/mountinfo; true`)).text;
    writeFileSync(join(tmp, 'given.txt'), 'given');
    expect((await run(`cat ${tmp}/given.txt`)).text).toBe('given');
    const during = await mounts();
    for (const path of ['.vscode', '.claude', 'sub', 'sub/in/.git'])
      expect(during).toContain(`${root}/${path}`);
    // Replaces the folder as editors replace files.
    rmSync(join(root, '.vscode'), { recursive: true });
    mkdirSync(join(root, 'fresh'));
    renameSync(join(root, 'fresh'), join(root, '.vscode'));
    expect(await mounts()).toContain(`${root}/.vscode`);
    writeFileSync(join(root, 'go'), '');
    await call('BashOutput', { task_id: 'b1', wait: 20_000 });
  });

  test('a protected file that a command creates is reported to the model and the user', {
    tags: 'long',
  }, async () => {
    const { run } = await confined();
    const { text, display } = await run('mkdir .vscode; echo {} > .vscode/tasks.json');
    expect(text).toMatch(/\.vscode.*other programs/);
    expect(display.summary).toMatch(/ · changed files that other programs run: \.vscode/);
    expect((await run('echo hello')).display.summary).not.toContain('other programs');
  });

  describe('a command that runs without approval', () => {
    test.each([0, 400])(
      'sees the project, programs and dot files in the home, but none of %i other files there',
      { tags: 'long' },
      async (count) => {
        const { run, home, root } = await confined();
        for (let at = 0; at < count; at += 1) writeFileSync(join(home, `a${at}.txt`), 'private\n');
        mkdirSync(join(home, 'letters'));
        writeFileSync(join(home, 'letters/one.txt'), 'private\n');
        mkdirSync(join(home, 'dotfiles'));
        writeFileSync(join(home, 'dotfiles/gitconfig'), '[user]\n\tname = Me\n');
        writeFileSync(join(home, 'dotfiles/plan.txt'), 'private\n');
        symlinkSync('dotfiles/gitconfig', join(home, '.gitconfig'));
        writeFileSync(join(home, '.inputrc'), 'shown\n');
        writeFileSync(join(root, 'in.txt'), 'shown\n');
        const command =
          'cat in.txt ~/.inputrc ~/.gitconfig; cat ~/.ssh/id_rsa ~/.netrc; cat ~/plain.txt ~/a*.txt ~/letters/one.txt ../letters/one.txt ~/dotfiles/plan.txt';
        const looked = await run(command, { basis: 'read-only' });
        expect(looked.text).toMatch(/shown\nshown\n\[user\]/);
        expect(looked.text).not.toMatch(/private|^plain$|SECRET/m);
        const asked = await run(command);
        expect(asked.text.match(/private/g)).toHaveLength(3 + count);
      },
    );

    test.each([2, 4])(
      'does not see untracked secrets, and sees tracked files unchanged (index version %i)',
      { tags: 'long' },
      async (version) => {
        const { run, root } = await confined();
        const git = (...args: readonly string[]) =>
          execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root });
        mkdirSync(join(root, 'packages/a/test'), { recursive: true });
        for (const file of ['.env', 'packages/a/.env', 'packages/a/.env.local', 'packages/a/test/key.pem'])
          writeFileSync(join(root, file), `in ${file}\n`);
        git('init', '-q');
        git('config', 'index.version', String(version));
        git('add', '-f', '.env', 'packages/a/test/key.pem');
        git('commit', '-qm', 'first');
        writeFileSync(join(root, 'packages/a/test/key.pem'), 'other\n');
        const show = 'git status --short -uno; git diff; cat .env packages/a/.env packages/a/.env.local';
        const looked = (await run(show, { basis: 'read-only' })).text;
        expect(looked).toMatch(/^ M packages\/a\/test\/key\.pem\n/);
        expect(looked).toContain('+other');
        expect(looked).toMatch(/^in \.env$/m);
        expect(looked).not.toContain('in packages/a/.env');
        expect((await run(show)).text).toContain('in packages/a/.env.local');
      },
    );

    test('does not see a secret that a command has listed in the index, in this session or an earlier one', {
      tags: 'long',
    }, async () => {
      const { run, root, home } = await confined({ mayChangeGit: true });
      const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
      git('init', '-q');
      writeFileSync(join(root, '.env'), 'SECRET-ENV\n');
      expect((await run('cat .env', { basis: 'read-only' })).text).not.toContain('SECRET-ENV');
      const id = git('hash-object', '-w', '-t', 'blob', '/dev/null').trim();
      await run(`git update-index --add --cacheinfo 100644,${id},.env`);
      expect(git('ls-files')).toBe('.env\n');
      expect((await run('cat .env', { basis: 'read-only' })).text).not.toContain('SECRET-ENV');
      expect(readFileSync(join(home, '.clawdcode/sandbox/secrets.json'), 'utf8')).toContain(root);
      git('add', '-f', '.env');
      expect((await run('cat .env', { basis: 'read-only' })).text).toContain('SECRET-ENV');
      writeFileSync(join(root, '.env'), 'SECRET-CHANGED\n');
      expect((await run('cat .env', { basis: 'read-only' })).text).toContain('SECRET-CHANGED');
    });

    test('works in a folder outside the project that the user lets the shell enter', {
      tags: 'long',
    }, async () => {
      let at = '';
      const { run, home } = await confined({ context: { cwd: () => at } });
      mkdirSync(join(home, 'other/deep'), { recursive: true });
      for (const folder of ['other', 'other/deep']) {
        at = join(home, folder);
        const { text } = await run('pwd', { basis: 'read-only' });
        expect(text.split('\n')[0]).toBe(at);
      }
    });

    test('sees paths that settings and rules open, programs on the PATH with their libraries, and borrowed git objects', {
      tags: 'long',
    }, async () => {
      const { run, home, root } = await confined({
        allowRead: ['~/notes'],
        readByRule: ({ home: at }) => [join(at, 'shared')],
        programs: ({ home: at }) => `${join(at, 'tools/bin')}:/usr/bin:/bin`,
      });
      for (const name of ['notes', 'shared', 'tools/bin', 'tools/lib', 'other/objects/pack', 'other/more']) {
        mkdirSync(join(home, name), { recursive: true });
        writeFileSync(join(home, name, 'file'), `in ${name}\n`);
      }
      execFileSync('git', ['init', '-q', root]);
      writeFileSync(join(root, '.git/objects/info/alternates'), `${join(home, 'other/objects')}\n`);
      const all = 'notes shared tools/bin tools/lib other/objects/pack other/more';
      const { text } = await run(`cd ~ && for f in ${all}; do cat "$f/file"; done`, { basis: 'read-only' });
      for (const name of all.split(' ').slice(0, -1)) expect(text).toContain(`in ${name}`);
      expect(text).not.toContain('in other/more');
    });
  });

  test('in read-only mode, even an approved command cannot write to the project', {
    tags: 'long',
  }, async () => {
    const { run, root } = await confined({ options: { mode: 'read-only' } });
    const { text } = await run('echo a > in.txt; echo "$TMPDIR"; echo b > "$TMPDIR/b" && cat "$TMPDIR/b"');
    expect(text).toContain('Read-only file system');
    expect(text).toMatch(/^b$/m);
    expect(existsSync(join(root, 'in.txt'))).toBe(false);
  });
});
