/** Whatever fails, the conversation continues. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { program } from '../../e2e/support/program.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { openProject, runPrint, SILENT } from '../support/project.ts';

test('if nothing can be written, the reply comes with a warning', async () => {
  const project = await openProject();
  const env = { ...project.work.env(project.access), CLAWDCODE_HOME: '/dev/null/clawdcode' };
  const run = await project.run('hello', { env, format: 'text', replies: [{ text: 'Hi.' }] });
  expect(run).toMatchObject({ code: 0, stdout: 'Hi.\n' });
  expect(run.stderr).toMatch(/not (being )?saved/i);
});

test('a disk that fills up during a turn affects the log, not the reply', {
  tags: 'long',
}, async () => {
  const { work, server, access } = await openProject();
  const long = `The answer. ${'word '.repeat(4000)}`;
  server.script(
    { ...SILENT, calls: [{ name: 'Read', input: { file_path: 'lib/parse.js' } }] },
    { ...SILENT, text: long },
  );
  // Files are limited to 16 kB, which this Read's result alone takes.
  const shell = [
    '-c',
    `trap '' XFSZ; ulimit -f 16; exec "$@"`,
    'bash',
    ...program(),
    '-p',
    '--yolo',
    'read it',
  ];
  const run = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile('bash', shell, { cwd: work.repository, env: work.env(access) }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  );
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('The answer. word word');
  expect(run.stderr).toMatch(/not (being )?saved/i);
  expect(textOf(server.requests()[1]?.messages.at(-1))).toContain("'use strict'");
});

test('a session with damaged lines opens with a warning and uses its readable lines', {
  tags: 'long',
}, async () => {
  const first = await runPrint('one', { replies: [{ text: 'First.' }] });
  const [session] = await first.project.work.sessions();
  const text = await readFile(session?.file ?? '', 'utf8');
  const garbage = ['{"v":1,"seq":', '\u0000\u0001\u0002', 'null', '{"type":"user"}', '[]'];
  await writeFile(session?.file ?? '', `${garbage[0]}\n${text}${garbage.slice(1).join('\n')}\n`);
  const next = await first.again('two', { replies: [{ text: 'Second.' }] });
  expect(next).toMatchObject({ code: 0 });
  expect(next.stderr).toMatch(/could not be read/);
  expect(next.requests[0]?.messages.map(textOf).slice(-3)).toEqual(['one', 'First.', 'two']);
});

test('a failing model ends the turn with a reason, and the session can be resumed', {
  tags: 'long',
}, async () => {
  const first = await runPrint('one', { replies: [{ text: 'First.' }] });
  const failed = await first.again('two', {
    format: 'text',
    replies: [{ error: { status: 400, message: 'no such luck' } }],
  });
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toContain('no such luck');
  const next = await first.again('three', { replies: [{ text: 'Third.' }] });
  expect(next.result?.result).toBe('Third.');
  expect(next.requests[0]?.messages.map(textOf)).toEqual(expect.arrayContaining(['one', 'two', 'three']));
});
