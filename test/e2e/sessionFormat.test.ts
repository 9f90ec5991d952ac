/**
 * docs/session-format.md and the package's schema, compared with sessions that the program wrote.
 *
 * @module-tag long
 */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { dataSchemas } from '../../scripts/sessionEntrySchema.ts';
import { SUMMARY } from '../acceptance/support/project.ts';
import { problemsOf } from '../docs/support/entryValidator.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

const run = promisify(execFile);
const format = await readFile(resolve(import.meta.dirname, '../../docs/session-format.md'), 'utf8');

/** A short session with as many kinds of entries as possible: first headless, then on screen. Returns its file. */
async function livedSession({ server, work, print, ready }: TestProgram): Promise<string> {
  await work.write('AGENTS.md', 'Be kind.\n');
  const todos = [{ content: 'Look', status: 'in_progress' }];
  server.script(
    {
      text: 'I look.',
      calls: [
        { name: 'Read', input: { file_path: 'lib/parse.js' } },
        { name: 'Bash', input: { command: 'echo to be seen; exit 4' } },
        { name: 'TodoWrite', input: { todos } },
      ],
    },
    { calls: [{ name: 'Write', input: { file_path: 'new.txt', content: 'new\n' } }] },
    { text: `Done. ${'And then some words about it. '.repeat(80)}` },
    { text: 'More.' },
    { text: SUMMARY },
    { text: 'Thanks.' },
  );
  const flags = ['-p', '--yolo', '--continue'];
  for (const prompt of ['read', 'more', '/compact']) {
    const { code, stderr } = await print([...flags.slice(0, prompt === 'read' ? 2 : 3), prompt]);
    expect(code, stderr).toBe(0);
  }
  const terminal = await ready(['--continue', '--permission-mode', 'plan', '--name', 'Lived through']);
  await terminal.submit('!echo by hand');
  await terminal.waitForPrinted(/^(?!.*echo).*by hand$/m);
  await terminal.waitForIdle();
  await terminal.submit('and now');
  await terminal.waitFor(/Thanks\./);
  await terminal.waitForIdle();
  await terminal.submit('/exit');
  await terminal.exited;
  const [session] = await work.sessions();
  return session?.file ?? '';
}

test('every line is valid by the package’s schema and sealed, and every jq example in the docs works', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const file = await livedSession(setup);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { subtype?: string; seq: number; crc: string });
  for (const [index, line] of lines.entries()) {
    const entry = entries[index];
    expect(problemsOf(entry), line.slice(0, 200)).toEqual([]);
    expect(entry?.seq).toBe(index);
    const sealed = line.lastIndexOf(',"crc":"');
    expect(crc32(line.slice(0, sealed)).toString(16).padStart(8, '0')).toBe(entry?.crc);
  }
  const subtypes = new Set(entries.map(({ subtype }) => subtype).filter((one) => one !== undefined));
  for (const subtype of subtypes) expect(Object.keys(dataSchemas)).toContain(subtype);
  // More than a prompt and a reply: everything that an hour's session has, except automatic reductions.
  const lived =
    'checkpoint compact_boundary environment instructions mode prompt request session_start shell title tools turn_end usage';
  expect([...subtypes]).toEqual(expect.arrayContaining(lived.split(' ')));
  await jqExamples(file);
});

/** Without jq, nothing is checked. */
async function jqExamples(file: string): Promise<void> {
  const hasJq = await run('jq', ['--version']).then(
    () => true,
    () => false,
  );
  if (!hasJq) return;
  const examples = [...format.matchAll(/^ {4}(jq .*SESSION\.jsonl.*)$/gm)].map(([, line = '']) => line);
  expect(examples.length).toBeGreaterThan(5);
  const answers = new Map<string, string>();
  for (const example of examples) {
    const command = example.replaceAll('SESSION.jsonl', '"$SESSION"');
    const { stdout, stderr } = await run('sh', ['-c', command], { env: { ...process.env, SESSION: file } });
    expect(stderr, example).toBe('');
    expect(stdout.trim(), example).not.toBe('');
    answers.set(example, stdout);
  }
  const answerTo = (part: string): string =>
    [...answers].find(([example]) => example.includes(part))?.[1] ?? '';
  expect(answerTo('"prompt"').split('\n').slice(0, 2)).toEqual(['read', 'more']);
  expect(answerTo('"Bash"')).toBe('echo to be seen; exit 4\n');
  expect(answerTo('filesChanged')).toMatch(/\/new\.txt\n$/);
  expect(JSON.parse(answerTo('compact_boundary'))).toMatchObject({ trigger: 'manual' });
}
