/** The sandbox as a user experiences it, with default settings. */
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { cp, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasSandbox } from '../sandbox/hasSandbox.ts';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { long } from './support/long.ts';
import { program } from './support/program.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] });

test.skipIf(!hasSandbox)(
  'a file that a rule denies reading is hidden from every program, even in bypassPermissions',
  async () => {
    const { server, work, print } = await setUpProgram();
    await mkdir(work.data, { recursive: true });
    const deny = ['Read(plans/**)', 'Read(*.pem)'];
    await writeFile(join(work.data, 'config.json'), JSON.stringify({ permissions: { deny } }));
    await mkdir(join(work.repository, 'plans'));
    for (const name of ['plans/a', 'one.pem', 'b'])
      await writeFile(join(work.repository, name), `IN ${name}`);
    // Programs of the project, whose code the rules cannot see.
    const pack = `const fs = require('fs'); for (const p of ['b', 'pla' + 'ns/a', 'one.' + 'pem']) try { console.log(fs.readFileSync(p, 'utf8')); } catch (e) { console.log(e.code, p); process.exitCode = 1 }`;
    await writeFile(join(work.repository, 'pack.js'), pack);
    server.script(bash('node pack.js'), bash('git status --short'), { text: 'Done.' });
    await print(['-p', 'go', '--dangerously-skip-permissions']);
    const told = JSON.stringify(server.requests().at(-1)?.messages);
    expect(told).toContain('IN b');
    expect(told).not.toContain('IN plans/a');
    expect(told).not.toContain('IN one.pem');
    expect(told).toContain(
      'The sandbox blocked it: the settings hide one.pem, plans from commands (a Read deny rule',
    );
    expect(told).toContain('?? pack.js');
  },
);

test('a token that a command shows without approval is removed from the output, also in the background', async () => {
  const { server, work, print } = await setUpProgram();
  const token = ['ghp', 'k7Qz2LmX9vRb4TnW8sYd3HfJ6pCg1AeU5oKi'].join('_');
  // A name that says nothing about secrets.
  await work.write('notes.txt', `deploy with ${token}\n`);
  await work.write('deploy.ts', `// deploy with ${token}\n`);
  await work.git('add', '.');
  await work.git('commit', '-qm', 'one');
  await work.write('notes.txt', 'deploy\n');
  await work.git('commit', '-qam', 'two');
  const inBackground = { name: 'Bash', input: { command: 'git show HEAD', run_in_background: true } };
  server.script(
    bash('git log -p'),
    bash('cat deploy.ts; grep -rn deploy .'),
    { calls: [inBackground] },
    { calls: [{ name: 'BashOutput', input: { task_id: 'b1', wait: 20_000 } }] },
    { text: 'Done.' },
  );
  await print(['-p', 'go']);
  const told = JSON.stringify(server.requests().at(-1)?.messages);
  expect(told.match(/-deploy with \[redacted: github-token \w+\]/g)).toHaveLength(2);
  expect(told.match(/\/\/ deploy with \[redacted: github-token \w+\]/g)).toHaveLength(3);
  expect(JSON.stringify(server.requests())).not.toContain(token);
});

test('a rule for one part of a command, or the sandbox, does not let another part show a token', async () => {
  const { server, work, print } = await setUpProgram();
  await mkdir(work.data, { recursive: true });
  const settings = { permissions: { allow: ['Bash(node --version)'] }, sandbox: { autoAllow: true } };
  await writeFile(join(work.data, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
  const token = ['ghp', 'k7Qz2LmX9vRb4TnW8sYd3HfJ6pCg1AeU5oKi'].join('_');
  await work.write('deploy.ts', `// deploy with ${token}\n`);
  server.script(
    bash('node --version && cat deploy.ts'),
    bash('node --version; git status; tail -1 deploy.ts'),
    ...(hasSandbox ? [bash('sh -c "cat dep*.ts"')] : []),
    { text: 'Done.' },
  );
  await print(['-p', 'go']);
  const told = JSON.stringify(server.requests().at(-1)?.messages);
  expect(told.match(/deploy with \[redacted: github-token \w+\]/g)).toHaveLength(hasSandbox ? 3 : 2);
  expect(JSON.stringify(server.requests())).not.toContain(token);
});

test.skipIf(!hasSandbox)(
  'no command can read the key that signs file changes, even if the settings open the data folder',
  long,
  async () => {
    const { server, work, print } = await setUpProgram();
    await mkdir(work.data, { recursive: true });
    const settings = { sandbox: { allowRead: ['~/.clawdcode'] } };
    await writeFile(join(work.data, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
    server.script(
      { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'x' } }] },
      bash('cd ~/.clawdcode && ls && cat config.json && wc -c < checkpoints.key'),
      { text: 'Done.' },
    );
    await print(['-p', 'go', '--dangerously-skip-permissions', '--sandbox', 'workspace-write']);
    expect((await readFile(join(work.data, 'checkpoints.key'))).length).toBe(32);
    const told = String(server.requests().at(-1)?.messages.at(-1)?.content);
    expect(told).toContain('allowRead');
    expect(told).toMatch(/checkpoints\.key: (?:Permission denied|Operation not permitted)/);
  },
);

test.skipIf(!hasSandbox)(
  'a search of a project with secrets runs without approval, does not see them, and says so',
  async () => {
    const { server, work, print } = await setUpProgram();
    await writeFile(join(work.repository, '.env'), 'TOKEN=in-the-env-file\n');
    await writeFile(join(work.repository, 'app.ts'), 'TOKEN\n');
    server.script(bash('grep -rn TOKEN .'), bash('grep -rn TOKEN . .env'), { text: 'Done.' });
    await print(['-p', 'go']);
    const [searched, named] = server
      .requests()
      .slice(-2)
      .map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(searched).toContain('app.ts:1:TOKEN');
    expect(searched).toContain('(Hidden from this command, as secrets or because of a rule: .env.');
    expect(named).toContain('This call was not approved');
    expect(JSON.stringify(server.requests())).not.toContain('in-the-env-file');
  },
);

test.skipIf(!hasSandbox)(
  'nor does a search in the background or of a subagent, whatever programs it uses',
  async () => {
    const { server, work, print } = await setUpProgram();
    for (const folder of ['src', 'config']) await mkdir(join(work.repository, folder));
    for (const name of ['.env', 'config/.env', 'service-account.json', 'src/server.key'])
      await writeFile(join(work.repository, name), '{"TOKEN":"a-secret-value"}\n');
    await writeFile(join(work.repository, 'app.json'), '{"TOKEN":"in-the-app"}\n');
    const searches = [
      'find . -type f | xargs grep TOKEN',
      "find . -name '*.json' -exec awk /TOKEN/ {} +",
      'for i in 1 2; do grep -r TOKEN .; done',
      "find . -type f -not -path './.git/*' -exec cat {} +",
    ];
    const asking = ['for f in *; do cat "$f"; done', 'jq . *.json', 'cat .e*; grep -r TOKEN .'];
    const all = [...searches, ...asking];
    const inBackground = (command: string) => ({ command: `${command}; sleep 0.5`, run_in_background: true });
    server.script(
      { calls: all.map((command) => ({ name: 'Bash', input: inBackground(command) })) },
      {
        calls: searches.map((_, at) => ({
          name: 'BashOutput',
          input: { task_id: `b${at + 1}`, wait: 10_000 },
        })),
      },
      {
        calls: [
          {
            name: 'Agent',
            input: { subagent_type: 'general-purpose', description: 'search', prompt: 'Search it.' },
          },
        ],
      },
      { calls: all.map((command) => ({ name: 'Bash', input: { command } })) },
      { text: 'Searched.' },
      { text: 'Done.' },
    );
    await print(['-p', 'go']);
    expect(JSON.stringify(server.requests())).not.toContain('a-secret-value');
    const results = server
      .requests()
      .map(({ messages }) => messages.filter(({ role }) => role === 'tool').map(textOf));
    const [, started = [], read = [], , searched = []] = results;
    const later = read.slice(all.length);
    expect(later).toHaveLength(searches.length);
    for (const at of searches.keys()) {
      expect(`${started[at]}${later[at]}`).toContain('in-the-app');
      expect(searched[at]).toContain('in-the-app');
    }
    for (const text of [started, searched].flatMap((all) => all.slice(searches.length)))
      expect(text).toContain('This call was not approved');
  },
);

test.skipIf(!hasSandbox)(
  'what a search may have seen of a secret that was saved meanwhile reaches neither the model nor the disk',
  async () => {
    const { server, work, print } = await setUpProgram();
    const at = (name: string): string => join(work.repository, name);
    writeFileSync(at('.env'), '{"TOKEN":"first-value"}\n');
    const command = 'until [ -e go ]; do sleep 0.02; done; grep -rn TOKEN .; seq 90000 | sed s/^/line/';
    const steps = [
      () => ({ calls: [{ name: 'Bash', input: { command, run_in_background: true } }] }),
      () => {
        writeFileSync(at('saved'), '{"TOKEN":"second-value"}\n');
        renameSync(at('saved'), at('.env'));
        writeFileSync(at('go'), '');
        return { calls: [{ name: 'BashOutput', input: { task_id: 'b1', wait: 10_000 } }] };
      },
      () => ({ text: 'Done.' }),
    ];
    server.otherwise(() => steps.shift()?.() ?? { text: 'More than expected.' });
    await print(['-p', 'go']);
    const told = textOf(server.requests().at(-1)?.messages.at(-1));
    expect(told).toContain('The output is withheld: another program replaced or created .env');
    const stored = spawnSync('grep', ['-rlE', 'second-value|line77777', work.home], { encoding: 'utf8' });
    expect(stored).toMatchObject({ status: 1, stdout: '' });
  },
);

test.skipIf(!hasSandbox)(
  'a program cannot change ClawdCode if it is installed in the project, even in bypassPermissions',
  async () => {
    const { server, work, print } = await setUpProgram();
    const [node = '', installed = ''] = program();
    const own = join(work.repository, 'node_modules/clawdcode');
    await cp(dirname(dirname(installed)), own, { recursive: true });
    const [piece = ''] = (await readdir(join(own, 'dist'))).filter((name) =>
      name.startsWith('LanguageServers'),
    );
    const script = `const fs = require('fs'); for (const p of ['dist/${piece}', 'bin/clawdcode.js', 'x']) try { fs.appendFileSync('node_modules/clawdcode/' + p, ';'); } catch (e) { console.log(e.code, p) }`;
    await writeFile(join(work.repository, 'build.js'), script);
    server.script(bash('node build.js'), { text: 'Done.' });
    const command = [node, join(own, 'bin/clawdcode.js')];
    await print(['-p', 'go', '--dangerously-skip-permissions'], { command });
    const told = JSON.stringify(server.requests().at(-1)?.messages);
    expect(told).toContain(`EROFS dist/${piece}\\nEROFS bin/clawdcode.js`);
    const edit = {
      calls: [{ name: 'Write', input: { file_path: join(own, 'dist/new.cjs'), content: 'x' } }],
    };
    server.script(edit, { text: 'Done.' });
    await print(['-p', 'go', '--permission-mode', 'acceptEdits'], { command });
    expect(JSON.stringify(server.requests().at(-1)?.messages)).toContain('controls ClawdCode itself');
    expect(existsSync(join(own, 'dist/new.cjs'))).toBe(false);
  },
);

test.skipIf(!hasSandbox)(
  'a file that a rule denies editing cannot be written by any program, even in bypassPermissions',
  async () => {
    const { server, work, print } = await setUpProgram();
    await mkdir(work.data, { recursive: true });
    const deny = ['Edit(plans/**)', 'Edit(*.lock)'];
    await writeFile(join(work.data, 'config.json'), JSON.stringify({ permissions: { deny } }));
    await mkdir(join(work.repository, 'plans'));
    for (const name of ['plans/a', 'one.lock', 'b']) await writeFile(join(work.repository, name), 'old');
    const script = `const fs = require('fs'); for (const p of ['b', 'pla' + 'ns/a', 'one.' + 'lock']) try { fs.writeFileSync(p, 'new'); } catch (e) { console.log(e.code, p); process.exitCode = 1 }`;
    await writeFile(join(work.repository, 'change.js'), script);
    server.script(bash('node change.js'), bash('cat plans/a'), { text: 'Done.' });
    await print(['-p', 'go', '--dangerously-skip-permissions']);
    const contents = ['plans/a', 'one.lock', 'b'].map((name) =>
      readFile(join(work.repository, name), 'utf8'),
    );
    expect(await Promise.all(contents)).toEqual(['old', 'old', 'new']);
    expect(JSON.stringify(server.requests().at(-1)?.messages)).toContain('EROFS plans/a');
  },
);

describe.skipIf(!hasSandbox)('with a sandbox', long, () => {
  test('one key lets everything run in it; a blocked command is offered outside, once', async () => {
    const { server, work, ready } = await setUpProgram();
    // Protected files cannot be written.
    server.script(
      bash('touch one'),
      bash('touch two'),
      bash('echo x > .git/hooks/post-commit'),
      bash('echo y > .git/config'),
      { text: 'All done.' },
    );
    const terminal = await ready();
    await terminal.submit('go');
    await terminal.waitFor('Runs in the sandbox.');
    await terminal.answer('s');
    await terminal.press(keys.enter);
    await terminal.waitFor('Run outside the sandbox');
    expect(existsSync(join(work.repository, 'one'))).toBe(true);
    expect(existsSync(join(work.repository, 'two'))).toBe(true);
    await terminal.answer('y');
    await terminal.until(() => existsSync(join(work.repository, '.git/hooks/post-commit')), 'it ran outside');
    await terminal.waitFor('$ echo y > .git/config');
    await terminal.answer('1', '\r');
    await terminal.waitForPrinted('All done.');
    const results = (await work.sessions())[0]?.entries.flatMap(({ toolResult }) => toolResult ?? []) ?? [];
    expect(results.map(({ permission }) => permission?.basis)).toEqual([
      'user',
      'sandbox',
      'sandbox',
      'sandbox',
    ]);
    expect(results.map(({ sandbox }) => sandbox?.mode).slice(0, 3)).toEqual([
      ...['workspace-write', 'workspace-write', 'none'],
    ]);
    expectTried(terminal, 'confirm:sandbox');
  });

  test('a rule that denies reading a file also applies to code that runs without asking', long, async () => {
    const { server, work, print } = await setUpProgram();
    await mkdir(work.data, { recursive: true });
    await writeFile(
      join(work.data, 'config.json'),
      JSON.stringify({ sandbox: { autoAllow: true }, permissions: { deny: ['Read(./plans/**)'] } }),
    );
    await mkdir(join(work.repository, 'plans'));
    for (const name of ['plans/a', 'b']) await writeFile(join(work.repository, name), `IN ${name}`);
    const read = (file: string) =>
      bash(`node -e 'console.log(require("fs").readFileSync("${file}", "utf8"))'`);
    server.script(read('b'), read('plans/a'), { text: 'Done.' });
    await print(['-p', 'go']);
    const told = JSON.stringify(server.requests().at(-1)?.messages);
    expect(told).toContain('IN b');
    expect(told).not.toContain('IN plans/a');
  });

  test('with -p the model is told what was blocked; -s removes the sandbox', long, async () => {
    const { server, work, print } = await setUpProgram();
    const command = `node -e 'require("fs").writeFileSync(".git/hooks/post-commit", "x\\n")'`;
    server.script(bash(command), { text: 'Stopped.' }, bash(command), { text: 'Written.' });
    const allow = ['--allowed-tools', 'Bash'];
    expect(await print(['-p', 'go', ...allow])).toMatchObject({ code: 0, stdout: 'Stopped.\n' });
    const result = JSON.stringify(server.requests()[1]?.messages.at(-1));
    expect(result).toMatch(
      /sandbox blocked it: it tried to write outside the workspace or to a protected file/,
    );
    expect(existsSync(join(work.repository, '.git/hooks/post-commit'))).toBe(false);
    await print(['-p', 'go', ...allow, '-s', 'danger-full-access']);
    expect(await readFile(join(work.repository, '.git/hooks/post-commit'), 'utf8')).toBe('x\n');
  });

  test(
    'documents, paths on the command line and files that Write creates in the temporary folder remain afterwards, nothing else',
    long,
    async () => {
      const { server, work, access, print } = await setUpProgram();
      const at = (name: string) => join(work.temporary, name);
      await mkdir(work.data, { recursive: true });
      await writeFile(join(work.data, 'config.json'), JSON.stringify({ sandbox: { autoAllow: true } }));
      server.script(
        { calls: [{ name: 'Write', input: { file_path: at('run.sh'), content: 'echo made\n' } }] },
        bash(
          `cd "$TMPDIR" && chmod +x run.sh && ./run.sh > out.txt && mkdir ${at('work')} other node-compile-cache .X11-unix && touch work/a`,
        ),
        { calls: [{ name: 'Read', input: { file_path: at('out.txt') } }] },
        { text: 'Done.' },
      );
      const env = work.env({ ...access, TMPDIR: work.temporary });
      const rules = ['Read', 'Write'].map((tool) => `${tool}(/${work.temporary}/**)`);
      const args = ['-p', 'go', '--allowed-tools', rules.join()];
      expect(await print(args, { env })).toMatchObject({ code: 0, stdout: 'Done.\n' });
      const [, , , read] = server.requests();
      expect(JSON.stringify(read?.messages.at(-1))).toContain('made');
      expect((await readdir(work.temporary)).filter((name) => !name.startsWith('clawdcode-'))).toEqual([
        'out.txt',
        'run.sh',
        'work',
      ]);
      expect((await lstat(at('run.sh'))).mode & 0o111).not.toBe(0);
      for (const name of ['out.txt', 'run.sh']) expect((await lstat(at(name))).isFile()).toBe(true);
    },
  );
});

test.skipIf(!hasSandbox)('each project has its own caches', long, async () => {
  const { server, work, access, print } = await setUpProgram();
  const other = join(work.home, 'other');
  await mkdir(other);
  const show = bash('echo "at $npm_config_cache" && touch "$npm_config_cache-made"');
  server.script(show, { text: 'One.' }, show, { text: 'Two.' });
  await mkdir(work.data, { recursive: true });
  await writeFile(join(work.data, 'config.json'), JSON.stringify({ sandbox: { autoAllow: true } }));
  for (const cwd of [work.repository, other])
    expect(await print(['-p', 'go'], { env: work.env(access), cwd })).toMatchObject({ code: 0 });
  const caches = [1, 3].map(
    (at) => /at (\S+?\/npm)\b/.exec(JSON.stringify(server.requests()[at]?.messages.at(-1)))?.[1],
  );
  expect(caches).toHaveLength(new Set(caches).size);
  for (const cache of caches) expect(existsSync(`${cache}-made`)).toBe(true);
});

test(
  'without one, the status line and the dialog say so, and nothing is allowed because of it',
  long,
  async () => {
    const { server, work, ready, access } = await setUpProgram();
    const broken = join(dirname(work.repository), 'broken');
    await mkdir(broken);
    await writeFile(join(broken, 'bwrap'), '#!/bin/sh\necho no user namespaces >&2\nexit 1\n', {
      mode: 0o755,
    });
    await mkdir(work.data, { recursive: true });
    await writeFile(join(work.data, 'config.json'), JSON.stringify({ sandbox: { autoAllow: true } }));
    server.script(bash('touch one'), { text: 'Done.' });
    const terminal = await ready([], {
      env: work.env({ ...access, PATH: `${broken}:${process.env.PATH}` }),
      columns: 100,
    });
    await terminal.waitFor(/no sandbox/);
    await terminal.submit('go');
    await terminal.waitForWrapped('Runs without a sandbox: bubblewrap does not work here');
    await terminal.answer('y');
    await terminal.waitForPrinted('Done.');
    const [result] = (await work.sessions())[0]?.entries.flatMap(({ toolResult }) => toolResult ?? []) ?? [];
    expect(result?.sandbox?.mode).toBe('none');
  },
);
