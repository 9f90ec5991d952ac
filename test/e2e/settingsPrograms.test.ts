/** What hooks, MCP servers and the status line may do after the model has edited files without approval. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { hasSandbox } from '../sandbox/hasSandbox.ts';
import { keys } from '../ui/screen.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

/** The user's settings, and a trusted project without a package.json, so that the model may create one. */
async function own({ work }: TestProgram, settings: object): Promise<void> {
  await rm(join(work.repository, 'package.json'), { force: true });
  await mkdir(work.data, { recursive: true });
  await writeFile(join(work.data, 'config.json'), JSON.stringify(settings));
  const trust = { folders: { [work.repository]: '2026-11-30T09:00:00Z' }, grants: { [work.repository]: [] } };
  await writeFile(join(work.data, 'trust.json'), JSON.stringify(trust));
}

const afterWrite = (command: string) => ({
  hooks: { PostToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command }] }] },
});
const write = (name: string, content: string, { work }: TestProgram) => ({
  calls: [{ name: 'Write', input: { file_path: join(work.repository, name), content } }],
});
const texts = ({ server }: TestProgram): string =>
  (server.requests().at(-1)?.messages ?? []).map(textOf).join('\n');
const accept = ['--permission-mode', 'acceptEdits'];
/** Shell text that a task runner runs: it works in the project, and tries to leave it. */
const leaving = 'date > inside; date > ../escaped';

describe.skipIf(!hasSandbox)('with a sandbox', { tags: 'long' }, () => {
  test.each([
    ['npm run -s lint', 'package.json', JSON.stringify({ scripts: { lint: leaving } })],
    ['make -s lint', 'Makefile', `lint:\n\t${leaving}\n`],
    ['node tools', 'tools/other.js', ''],
  ])(
    'after an edit in accept-edits mode, what %s finds runs in the sandbox',
    { tags: 'long' },
    async (hook, file, content) => {
      const setup = await setUpProgram();
      const at = (name: string): string => join(setup.work.repository, name);
      await own(setup, afterWrite(hook));
      await mkdir(at('tools'));
      await writeFile(at('tools/index.js'), "require('./other.js');");
      const js = `const fs = require('fs'); fs.writeFileSync('inside', ''); fs.writeFileSync('../escaped', '');`;
      setup.server.script(write(file, content === '' ? js : content, setup), { text: 'Done.' });
      const { stderr } = await setup.print(['-p', 'go', ...accept, '--debug']);
      expect(existsSync(at('inside'))).toBe(true);
      expect(existsSync(at('../escaped'))).toBe(false);
      expect(stderr + texts(setup)).toMatch(/It ran in the sandbox: it tried to write outside the workspace/);
    },
  );

  test('the user can let it run outside; a repository cannot', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    const outcome = async (): Promise<boolean> => {
      setup.server.script(write('package.json', JSON.stringify({ scripts: { lint: leaving } }), setup), {
        text: 'Done.',
      });
      await setup.print(['-p', 'go', ...accept]);
      return existsSync(join(setup.work.repository, '../escaped'));
    };
    await writeFile(
      join(setup.work.repository, '.clawdcode.json'),
      JSON.stringify({ sandbox: { excludedCommands: ['npm run *'] } }),
    );
    await own(setup, afterWrite('npm run -s lint'));
    expect(await outcome()).toBe(false);
    await own(setup, { ...afterWrite('npm run -s lint'), sandbox: { excludedCommands: ['npm run *'] } });
    expect(await outcome()).toBe(true);
  });

  test('after an edit that the user approved, a hook runs as before', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    await own(setup, afterWrite('npm run -s lint'));
    setup.server.script(write('package.json', JSON.stringify({ scripts: { lint: leaving } }), setup), {
      text: 'Done.',
    });
    const terminal = await setup.ready();
    await terminal.submit('go');
    await terminal.waitFor('package.json');
    await terminal.answer('1');
    await terminal.waitForPrinted('Done.');
    expect(existsSync(join(setup.work.repository, '../escaped'))).toBe(true);
  });

  /** Whether the hook of a new session leaves the sandbox. */
  async function escapesLater(setup: TestProgram): Promise<boolean> {
    await own(setup, {
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'make -s lint' }] }] },
    });
    setup.server.script({ text: 'Hello.' });
    await setup.print(['-p', 'again']);
    expect(existsSync(join(setup.work.repository, 'inside'))).toBe(true);
    return existsSync(join(setup.work.repository, '../escaped'));
  }
  const makefile = `lint:\n\t${leaving}\n`;

  test('a subagent’s edit is known to the next session', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    const input = { description: 'Write', prompt: 'Write it.', subagent_type: 'general-purpose' };
    setup.server.script(
      { calls: [{ name: 'Agent', input }] },
      write('Makefile', makefile, setup),
      { text: 'Written.' },
      { text: 'Done.' },
    );
    await setup.print(['-p', 'go', ...accept]);
    expect(existsSync(join(setup.work.repository, 'Makefile'))).toBe(true);
    expect(await escapesLater(setup)).toBe(false);
  });

  test('a command whose program was killed before the result is known to the next session', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    const command = `printf 'lint:\\n\\t${leaving}\\n' > Makefile; sleep 60`;
    setup.server.script({ calls: [{ name: 'Bash', input: { command } }] });
    await own(setup, { sandbox: { autoAllow: true }, checkpoints: { enabled: false } });
    const running = setup.startPrint(['-p', 'go']);
    await vi.waitFor(() => expect(existsSync(join(setup.work.repository, 'Makefile'))).toBe(true), 20_000);
    running.kill('SIGKILL');
    await running.ended;
    expect(await escapesLater(setup)).toBe(false);
  });

  test('a formatter hook works in the sandbox as it does outside', async () => {
    const setup = await setUpProgram();
    await own(setup, afterWrite('npm run -s format'));
    const format = `node -e "const fs=require('fs');fs.writeFileSync('a.txt',fs.readFileSync('a.txt','utf8').toUpperCase())"`;
    await writeFile(join(setup.work.repository, 'package.json'), JSON.stringify({ scripts: { format } }));
    setup.server.script(write('a.txt', 'shout', setup), { text: 'Done.' });
    await setup.print(['-p', 'go', ...accept]);
    expect(await readFile(join(setup.work.repository, 'a.txt'), 'utf8')).toBe('SHOUT');
  });
});

describe('without a sandbox', () => {
  const off = ['-s', 'danger-full-access'];

  test('a headless run does not start it, and says why', async () => {
    const setup = await setUpProgram();
    await own(setup, afterWrite('npm run -s lint'));
    setup.server.script(write('package.json', JSON.stringify({ scripts: { lint: leaving } }), setup), {
      text: 'Done.',
    });
    const { stderr } = await setup.print(['-p', 'go', ...accept, ...off]);
    expect(existsSync(join(setup.work.repository, 'inside'))).toBe(false);
    expect(stderr + texts(setup)).toContain('This hook was not run: files that it may run were changed');
  });
});

test('programs outside the sandbox load no compiled code of the project', { tags: 'long' }, async () => {
  const excludedCommands = ['printenv *'];
  const setup = await setUpProgram();
  const note = (file: string): string => `echo "$PYTHONPYCACHEPREFIX" > ${file}`;
  await own(setup, {
    hooks: { SessionStart: [{ hooks: [{ type: 'command', command: note('hook.txt') }] }] },
    mcpServers: { noting: { command: 'sh', args: ['-c', note('server.txt')], cwd: '.' } },
    sandbox: { excludedCommands },
  });
  const command = 'printenv PYTHONPYCACHEPREFIX > command.txt';
  setup.server.script({ calls: [{ name: 'Bash', input: { command } }] }, { text: 'Hi.' });
  await setup.print([
    '-p',
    'hello',
    '--allowed-tools',
    'Bash(printenv:*)',
    '--permission-mode',
    'acceptEdits',
  ]);
  for (const file of ['hook.txt', 'server.txt', ...(hasSandbox ? ['command.txt'] : [])]) {
    const seen = await readFile(join(setup.work.repository, file), 'utf8');
    expect(seen.trim()).toBe(join(setup.work.data, 'cache/python'));
  }
});

test('/hooks reviewed shows the changes on screen, and only a yes lifts the restrictions', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  await own(setup, {});
  const story = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
  setup.server.script(
    write('package.json', '{}', setup),
    { text: 'Written.' },
    { text: story, latency: 60, chunkSize: 6 },
  );
  const terminal = await setup.ready(accept);
  await terminal.submit('go');
  await terminal.waitForPrinted('Written.');
  await terminal.submit('tell me a story');
  await terminal.waitFor('word5');
  await terminal.submit('/hooks reviewed');
  await terminal.waitFor(/still running and may change more: the turn of the model/);
  await terminal.press(keys.escape);
  await terminal.waitForIdle();
  await terminal.submit('/hooks reviewed');
  await terminal.waitFor('Have you reviewed these changes?');
  expect(terminal.screen()).toMatch(/one by one\s+package\.json/);
  await terminal.answer('2');
  await terminal.waitForPrinted('Nothing was changed.');
  await terminal.submit('/hooks reviewed');
  await terminal.waitFor('Have you reviewed these changes?');
  await terminal.answer('1');
  await terminal.waitForPrinted('run outside the sandbox again');
  await terminal.submit('/hooks reviewed');
  await terminal.waitForPrinted('No files were changed without your approval');
});

describe('two sessions in one folder', () => {
  const asks = 'Run your hook even though hook.sh changed?';

  async function withHook() {
    const setup = await setUpProgram();
    const at = (name: string): string => join(setup.work.repository, name);
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'sh ./hook.sh' }] }] };
    await writeFile(at('.clawdcode.json'), JSON.stringify({ hooks }));
    await writeFile(at('hook.sh'), 'echo checked\n');
    await writeFile(at('build.sh'), "echo 'touch ran' > hook.sh\n");
    const start = async (answer: string) => {
      const terminal = setup.open();
      await terminal.waitFor('Do you trust this folder?');
      await terminal.answer(answer);
      await terminal.waitForIdle();
      return terminal;
    };
    return { setup, at, start };
  }

  test.skipIf(!hasSandbox)(
    'a command in a session that does not trust the folder cannot change the script that the other runs',
    { tags: 'long' },
    async () => {
      const { setup, at, start } = await withHook();
      const declined = await start('2');
      await start('1');
      setup.server.script(
        { calls: [{ name: 'Bash', input: { command: 'bash build.sh' } }] },
        { text: 'Built.' },
      );
      await declined.submit('build it');
      await declined.waitFor('bash build.sh');
      await declined.answer('1');
      await declined.waitFor('Run outside the sandbox?');
      await declined.answer(keys.escape);
      await declined.waitForPrinted('Built.');
      expect(await readFile(at('hook.sh'), 'utf8')).toBe('echo checked\n');
    },
  );

  test('a script that was changed elsewhere runs only after the user has seen the change', {
    tags: 'long',
  }, async () => {
    const { setup, at, start } = await withHook();
    const terminal = await start('1');
    await writeFile(at('hook.sh'), 'touch ran\n');
    setup.server.script({ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' });
    await terminal.submit('one');
    await terminal.waitFor(asks);
    expect(terminal.screen()).toMatch(/- 1: echo checked\s+\+ 1: touch ran/);
    await terminal.answer(keys.escape);
    await terminal.waitForPrinted('First.');
    await terminal.submit('two');
    await terminal.waitForPrinted('Second.');
    expect(existsSync(at('ran'))).toBe(false);
    await writeFile(at('hook.sh'), 'touch ran # again\n');
    await terminal.submit('three');
    await terminal.waitFor(asks);
    await terminal.answer('1');
    await terminal.waitForPrinted('Third.');
    expect(existsSync(at('ran'))).toBe(true);
    await writeFile(at('hook.sh'), 'rm ran\n');
    setup.server.script({ text: 'Fourth.' });
    const { stderr } = await setup.print(['-p', 'four']);
    expect(stderr).toContain('hook.sh changed since you approved it');
    expect(existsSync(at('ran'))).toBe(true);
  });
});

describe('a hook of a repository', () => {
  /** Trusts the folder with these hooks, whose commands fit on one screen. */
  async function trusted(commands: readonly string[], files: Readonly<Record<string, string>>) {
    const setup = await setUpProgram();
    const at = (name: string): string => join(setup.work.repository, name);
    const hooks = commands.map((command) => ({ type: 'command', command }));
    await mkdir(at('tools'));
    for (const [name, text] of Object.entries(files)) await writeFile(at(name), text, { mode: 0o755 });
    await writeFile(at('.clawdcode.json'), JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks }] } }));
    const terminal = setup.open();
    await terminal.waitFor('Do you trust this folder?');
    await terminal.answer('1');
    await terminal.waitForIdle();
    return { setup, at };
  }

  test('still guards calls when its script has changed: what it must allow is blocked or asked', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    const at = (name: string): string => join(setup.work.repository, name);
    const guard = { type: 'command', command: './guard.sh' };
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ ...guard, onFailure: 'block' }] }] };
    await writeFile(at('guard.sh'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    await writeFile(at('.clawdcode.json'), JSON.stringify({ hooks }));
    const terminal = setup.open();
    await terminal.waitFor('Do you trust this folder?');
    await terminal.answer('1');
    await terminal.waitForIdle();
    await writeFile(at('guard.sh'), '#!/bin/sh\n# new\nexit 0\n');
    for (const mode of [[], ['--dangerously-skip-permissions']]) {
      setup.server.script({ calls: [{ name: 'Bash', input: { command: 'touch made' } }] }, { text: 'Done.' });
      await setup.print(['-p', 'go', '--allowed-tools', 'Bash(touch made)', ...mode]);
      const told = JSON.stringify(setup.server.requests().at(-1)?.messages.at(-1));
      expect(told).toContain('guard.sh changed since you approved it');
      expect(existsSync(at('made'))).toBe(false);
    }
  });

  test('does not run once the script that it names has changed, however it is named', {
    tags: 'long',
  }, async () => {
    const commands = ['cd tools && ./a.sh', 'env -S "sh tools/b.sh"', "bash -c '. ./tools/c.sh'"];
    const names = ['a', 'b', 'c'].map((name) => `tools/${name}.sh`);
    const all = (textFor: (name: string) => string): Record<string, string> =>
      Object.fromEntries(names.map((name) => [name, `#!/bin/sh\n${textFor(name)}\n`]));
    const { setup, at } = await trusted(
      commands,
      all((name) => `echo checked ${name}`),
    );
    setup.server.script({ text: 'One.' });
    await setup.print(['-p', 'one']);
    for (const name of names) expect(texts(setup)).toContain(`checked ${name}`);
    const changed = all((name) => `touch "$CLAUDE_PROJECT_DIR/${name}.ran"`);
    for (const [name, text] of Object.entries(changed)) await writeFile(at(name), text);
    setup.server.script({ text: 'Two.' });
    const { stderr } = await setup.print(['-p', 'two']);
    for (const name of names) expect(stderr).toContain(name);
    expect(stderr).toContain('changed since you approved it');
    expect(names.filter((name) => existsSync(at(`${name}.ran`)))).toEqual([]);
  });
});
