// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of shell scripts.
/**
 * The user's own hooks and status line in a folder that they have not trusted: what may run code of the folder runs in
 * the sandbox, and the trust dialog lists it.
 *
 * @module-tag long
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasSandbox } from '../sandbox/hasSandbox.ts';
import { keys } from '../ui/screen.ts';
import { long } from './support/long.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

/** Ran outside: the sandbox protects the home. */
const trap = '#!/bin/sh\ntouch "$HOME/escaped"\necho ran\n';

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
}

async function configure({ work }: TestProgram, settings: object): Promise<void> {
  await put(join(work.data, 'config.json'), JSON.stringify(settings));
}

const atStart = (command: string) => ({
  hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] },
});
const hasEscaped = ({ work }: TestProgram): boolean => existsSync(join(work.home, 'escaped'));

describe.skipIf(!hasSandbox)('with a sandbox', long, () => {
  test.each<[hook: string, name: string, text: string]>([
    ['npx prettier --version', 'node_modules/.bin/prettier', trap],
    ['npm run -s lint', 'package.json', JSON.stringify({ scripts: { lint: 'touch "$HOME/escaped"' } })],
    ['make -s fmt', 'Makefile', 'fmt:\n\ttouch "$(HOME)/escaped"\n'],
    [
      'node -e \'require("left-pad")\'',
      'node_modules/left-pad/index.js',
      'require("fs").writeFileSync(process.env.HOME + "/escaped", "")',
    ],
    ['~/.claude/format.sh', 'node_modules/.bin/prettier', trap],
  ])('the hook %s runs no code of the folder outside it, and one line says so', async (hook, name, text) => {
    const setup = await setUpProgram();
    const { work, server } = setup;
    await configure(setup, atStart(hook));
    await put(
      join(work.home, '.claude/format.sh'),
      '#!/bin/bash\nfiles=(.)\nnpx prettier --version "${files[@]}"\n',
    );
    await put(join(work.repository, name), text);
    server.script({ text: 'Hello.' });
    const { stdout, stderr } = await setup.print(['-p', 'hi']);
    expect(hasEscaped(setup)).toBe(false);
    expect(stdout).toBe('Hello.\n');
    expect(stderr.match(/runs in the sandbox: it may run code of this folder/g)).toHaveLength(1);
  });

  test.each([
    ['~/.claude/status.sh', '#!/bin/bash\ngit diff --stat\ngit diff\ngit status --short\ngit log -1 -p\n'],
    ['~/.claude/status.py', '#!/usr/bin/env python3\nimport subprocess\nsubprocess.run(["git", "diff"])\n'],
  ])(
    'in a repository that makes git start programs, %s starts none of them outside',
    async (hook, script) => {
      const setup = await setUpProgram();
      const { work, server } = setup;
      await configure(setup, atStart(hook));
      await put(join(work.home, hook.slice(2)), script);
      await put(join(work.repository, 'tools/trap'), trap);
      await work.write('a.txt', 'one');
      await work.git('add', 'a.txt');
      await work.git('commit', '--quiet', '--message', 'One');
      await work.write('a.txt', 'other');
      await work.write('.gitattributes', '*.txt filter=f diff=d');
      const program = join(work.repository, 'tools/trap');
      for (const name of ['filter.f.clean', 'diff.d.command', 'diff.d.textconv', 'diff.external'])
        await work.git('config', name, program);
      server.script({ text: 'Hello.' });
      expect((await setup.print(['-p', 'hi'])).stdout).toBe('Hello.\n');
      expect(hasEscaped(setup)).toBe(false);
    },
  );

  test('a status line runs no program of the folder before an answer; a No is remembered, a Yes lets it run', async () => {
    const setup = await setUpProgram();
    const { work } = setup;
    const command = 'make -s line';
    await configure(setup, { statusLine: { command, refreshMs: 1000 } });
    await work.write('Makefile', 'line:\n\ttouch "$(HOME)/escaped"; echo ran\n');

    const left = setup.open();
    await left.waitFor('Do you trust this folder?');
    await left.press(keys.ctrl('c'));
    await left.exited;

    // Leaving was not an answer.
    const first = setup.open();
    await first.waitFor('Your own hooks and status line may run code from this folder:');
    await first.waitFor(`status line command: ${command}`);
    expect(hasEscaped(setup)).toBe(false);
    await first.answer('2');
    await first.waitFor(/^ran$/m);
    await first.waitForPrinted(/runs in the sandbox/);
    await first.submit('/exit');
    await first.exited;

    const second = setup.open();
    await second.waitFor(/^ran$/m);
    await second.waitForPrinted(/runs in the sandbox/);
    expect(second.everything()).not.toContain('Do you trust');
    await second.submit('/hooks ask');
    await second.waitForPrinted('The next start here asks');
    await second.submit('/exit');
    await second.exited;
    expect(hasEscaped(setup)).toBe(false);

    const third = setup.open();
    await third.waitFor('Do you trust this folder?');
    await third.answer('1');
    await third.until(() => hasEscaped(setup), 'the status line ran outside');
    await third.submit('/exit');
    await third.exited;
    await setup.open().waitFor(/^ran$/m);
  });
});

test(
  'own commands and scripts that certainly run nothing of the folder ask nothing, and run as usual',
  long,
  async () => {
    const setup = await setUpProgram();
    const { work, server } = setup;
    await configure(setup, {
      statusLine: { command: 'bash ~/.claude/status.sh' },
      hooks: {
        SessionStart: [
          {
            hooks: [
              { type: 'command', command: 'date >> ~/dates' },
              { type: 'command', command: 'jq -r .session_id >> ~/logged' },
            ],
          },
        ],
      },
    });
    await put(
      join(work.home, '.claude/status.sh'),
      '#!/bin/bash\nbranch=$(git branch --show-current)\necho "on $branch"\n',
    );
    server.otherwise(() => ({ text: 'Hello.' }));
    const terminal = await setup.ready();
    await terminal.waitFor('on main');
    for (const name of ['dates', 'logged'])
      await terminal.until(() => existsSync(join(work.home, name)), `${name} was written`);
    expect(terminal.everything()).not.toMatch(/sandbox|trust/);
  },
);

test('without a sandbox, a headless run does not start such a hook, and says so', long, async () => {
  const setup = await setUpProgram();
  await configure(setup, atStart('make -s fmt'));
  await setup.work.write('Makefile', 'fmt:\n\ttouch "$(HOME)/escaped"\n');
  setup.server.script({ text: 'Hello.' });
  const { stdout, stderr } = await setup.print(['-p', 'hi', '-s', 'danger-full-access']);
  expect(stdout).toBe('Hello.\n');
  expect(stderr).toContain(
    'This hook was not run: it may run code of this folder, which you have not trusted',
  );
  expect(hasEscaped(setup)).toBe(false);
});
