import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createStatusCommand } from '../../../src/cli/terminal/statusLineCommand.ts';
import type { StatusLineInput } from '../../../src/ui/terminal/statusLineInput.ts';
import { isAlive } from '../../e2e/support/processes.ts';

const TIMEOUT_MS = 1000;

const input = {
  session_id: 's',
  workspace: { current_dir: '/', project_dir: '/', added_dirs: [] },
} as unknown as StatusLineInput;

/**
 * `brought`: programs of the project, in a folder that comes first on the PATH, as under `npx`. A busy machine may take
 * longer than a second to start any.
 */
async function run(command: string, brought: readonly string[] = [], timeoutMs = 60_000) {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-status-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const programs = join(folder, 'node_modules/.bin');
  await mkdir(programs, { recursive: true });
  for (const name of brought)
    await writeFile(join(programs, name), '#!/bin/sh\necho "of the project"\n', { mode: 0o755 });
  const made = createStatusCommand(
    { command, padding: 2, refreshMs: null },
    {
      root: folder,
      env: {
        PATH: `${programs}:${process.env.PATH}`,
        PWD: `${folder}/sub`,
        CLAUDE_PROJECT_DIR: '/elsewhere',
        OPENAI_API_KEY: 'sk-mine',
        CLAWDCODE_API_KEY: 'sk-mine',
        GROQ_KEY: 'sk-mine',
      },
      secretEnv: ['GROQ_KEY'],
    },
    () => ['/more'],
    () => 77,
    undefined,
    timeoutMs,
  );
  const started = performance.now();
  return { output: await made.run(input), ms: performance.now() - started, folder };
}

test('the command runs in the project’s root, and its variables name that folder, wherever the session was started', async () => {
  const { output, folder } = await run('pwd; printenv PWD; echo "$CLAUDE_PROJECT_DIR"');
  expect(output).toEqual({ type: 'text', text: `${folder}\n`.repeat(3) });
});

test('the command reads JSON and knows the width', async () => {
  const { output } = await run('cat; echo "$COLUMNS"');
  expect(output).toMatchObject({ type: 'text' });
  const [json = '', columns] = (output as { text: string }).text.split('\n');
  expect(JSON.parse(json)).toMatchObject({ session_id: 's', workspace: { added_dirs: ['/more'] } });
  expect(columns).toBe('77');
});

test('the command gets the environment without keys', async () => {
  const { output } = await run('env');
  expect(output).toMatchObject({ type: 'text', text: expect.stringContaining('PATH=') });
  expect(JSON.stringify(output)).not.toContain('sk-mine');
});

test('a command that does not read its input succeeds', async () => {
  expect((await run('echo ready')).output).toEqual({ type: 'text', text: 'ready\n' });
});

test.each([
  ['exit 3', 'failed (exit code 3)'],
  ['echo "no such thing" >&2; exit 1', 'failed (no such thing)'],
  ['true', 'printed nothing'],
])('%s: it %s', async (command, why) => {
  const { output } = await run(command);
  expect(output).toEqual({
    type: 'failed',
    message: expect.stringContaining(`The status line command ${why}.`),
  });
});

test('a command that hangs is ended after a second with its child processes', async () => {
  const { output, ms, folder } = await run('sleep 300 & echo $! > pid; wait', [], TIMEOUT_MS);
  expect(output).toMatchObject({ type: 'failed', message: expect.stringContaining('longer than 1 s') });
  expect(ms).toBeLessThan(200_000);
  // On a very slow machine it has started nothing by then.
  const pid = await readFile(join(folder, 'pid'), 'utf8').catch(() => '');
  await vi.waitUntil(() => pid === '' || !isAlive(Number(pid)));
});

test('endless output is cut', async () => {
  const { output } = await run('yes');
  expect(output.type).toBe('text');
  expect((output as { text: string }).text).toHaveLength(16_384);
});

test('an impossible command fails without a crash', async () => {
  expect((await run('echo \0')).output).toMatchObject({
    type: 'failed',
    message: expect.stringContaining('could not be started'),
  });
});

test('a project’s program cannot replace the user’s', async () => {
  const { output } = await run('tool', ['tool']);
  expect(output).toMatchObject({ type: 'failed', message: expect.stringContaining('not found') });
});
