/** What hooks may run once commands that were approved to run in the sandbox have changed files. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasSandbox } from '../sandbox/hasSandbox.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

/** Code that works in the project, and tries to leave it. */
const leaving = `const fs = require('fs'); fs.writeFileSync('inside', ''); fs.writeFileSync('../escaped', '');`;

async function openProject(files: Readonly<Record<string, string>>, settings: object) {
  const setup = await setUpProgram();
  const { work } = setup;
  const at = (name: string): string => join(work.repository, name);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(at(name), '..'), { recursive: true });
    await writeFile(at(name), text);
  }
  await mkdir(work.data, { recursive: true });
  await writeFile(join(work.data, 'config.json'), JSON.stringify(settings));
  execFileSync('git', ['add', '-A'], { cwd: work.repository });
  return { setup, at };
}

const afterBash = (command: string) => ({
  hooks: { PostToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] },
});
const bash = (command: string, more: object) => ({
  calls: [{ name: 'Bash', input: { command, ...more } }],
});

/** Runs a command that the user approves, in a folder that they trust. */
async function approve(setup: TestProgram, command: string, more = {}) {
  setup.server.script(bash(command, more), { text: 'Done.' });
  const terminal = setup.open();
  await terminal.waitFor('Do you trust this folder?');
  await terminal.answer('1');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('go');
  await terminal.waitFor('Runs in the sandbox.');
  await terminal.answer('1');
  await terminal.waitForPrinted('Done.');
  return terminal;
}

describe.skipIf(!hasSandbox)(
  'a command that the user approved to run in the sandbox',
  { tags: 'long' },
  () => {
    const files = {
      'lint.js': leaving,
      'package.json': JSON.stringify({ scripts: { test: 'node t.js', lint: 'node lint.js' } }),
      '.gitignore': 'coverage/\ninside\n',
      'coverage/old.txt': '',
    };

    test('confines hooks if it changes a file that git does not ignore, until the review', async () => {
      const { setup, at } = await openProject(
        {
          ...files,
          'lint.js': '',
          't.js': `require('fs').writeFileSync('lint.js', ${JSON.stringify(leaving)})`,
        },
        afterBash('npm run -s lint'),
      );
      const terminal = await approve(setup, 'npm test');
      expect(existsSync(at('inside'))).toBe(true);
      expect(existsSync(at('../escaped'))).toBe(false);
      await terminal.submit('/hooks reviewed');
      await terminal.waitFor('Have you reviewed these changes?');
      await terminal.answer('1');
      await terminal.waitForPrinted('run outside the sandbox again');
    });

    test('leaves hooks outside if it changes only what git ignores', async () => {
      const { setup, at } = await openProject(
        { ...files, 't.js': `require('fs').writeFileSync('coverage/new.txt', '')` },
        afterBash('npm run -s lint'),
      );
      const terminal = await approve(setup, 'npm test');
      expect(existsSync(at('coverage/new.txt'))).toBe(true);
      expect(existsSync(at('../escaped'))).toBe(true);
      await terminal.submit('/hooks reviewed');
      await terminal.waitForPrinted('No files were changed without your approval');
    });

    test('confines hooks while it runs in the background', async () => {
      const { setup, at } = await openProject(
        { ...files, 't.js': 'setTimeout(() => {}, 60_000)' },
        afterBash('npm run -s lint'),
      );
      await approve(setup, 'npm test', { run_in_background: true });
      expect(existsSync(at('inside'))).toBe(true);
      expect(existsSync(at('../escaped'))).toBe(false);
    });
  },
);

test.skipIf(!hasSandbox)(
  'in a folder that is not trusted, the user’s own MCP server that starts there runs its code in the sandbox',
  { tags: 'long' },
  async () => {
    const program = `#!/usr/bin/env node\n${leaving}`;
    const definition = { command: 'npx', args: ['-y', 'fsserver'], cwd: '.' };
    const { setup, at } = await openProject(
      { 'node_modules/.bin/fsserver': program },
      { mcpServers: { fs: definition } },
    );
    await chmod(at('node_modules/.bin/fsserver'), 0o755);
    setup.server.script({ text: 'Hello.' });
    await setup.print(['-p', 'go']);
    expect(existsSync(at('inside'))).toBe(true);
    expect(existsSync(at('../escaped'))).toBe(false);
  },
);
