import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PersistentStore } from '../../../src/context/index.ts';
import { type Outcome, runWith } from './ports.ts';
import { record } from './records.ts';

/** Made up for this test; opens nothing. */
const secret = `ghp_${'x1Y2z3A4b5C6d7E8f9G0'.repeat(2).slice(0, 36)}`;

/** A session that contains a token, and how to export it into its own folder. */
async function lived(): Promise<{
  readonly folder: string;
  run(...argv: string[]): Promise<Outcome>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-export-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = new PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1.0.0' });
  const log = await store.createSession('abc');
  await log.saveMessage('user', `my token is ${secret}, is that right?`);
  await log.saveMessage('assistant', 'It looks **right** to me.');
  await log.close();
  const session = record({ id: 'abc', title: 'Tokens', file: log.filePath });
  return {
    folder,
    run: (...argv) => runWith(['export', ...argv], { sessions: [session], dataRoot: folder }),
  };
}

test.each([
  ['md', /^# [\s\S]*It looks \*\*right\*\* to me\./],
  ['html', /^<!doctype html>[\s\S]*<strong>right<\/strong>/i],
  ['json', /"It looks \*\*right\*\* to me\."/],
  ['jsonl', /^\{"v":1,[^\n]*\n\{"v":1,[^\n]*"It looks \*\*right\*\* to me\."/],
])('a session is exported as %s, without the secret that it contains', async (format, expected) => {
  const { folder, run } = await lived();
  const file = join(folder, `talk.${format}`);
  const { code, stdout, stderr } = await run('abc', '--output', file);
  expect([code, stdout]).toEqual([0, `Session abc is in ${file}.\n`]);
  expect(stderr).toBe('1 secret redacted; --no-redact keeps them.\n');
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(expected);
  expect(text).not.toContain(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const printed = await run('abc', '--format', format);
  expect([printed.code, printed.stdout.replace(/\d\d:\d\d:\d\d/g, '')]).toEqual([
    0,
    text.replace(/\d\d:\d\d:\d\d/g, ''),
  ]);
});

test('--no-redact keeps all text', async () => {
  const { run } = await lived();
  const { stdout, stderr } = await run('abc', '--no-redact');
  expect(stdout).toContain(secret);
  expect(stderr).toBe('');
});

test('an existing file is never overwritten', async () => {
  const { folder, run } = await lived();
  const file = join(folder, 'mine.md');
  await writeFile(file, 'mine');
  expect(await run('abc', '-o', file)).toMatchObject({
    code: 42,
    stdout: '',
    stderr: expect.stringContaining('already exists'),
  });
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test('an unknown format is bad input', async () => {
  const { run } = await lived();
  expect(await run('abc', '--format', 'pdf')).toMatchObject({
    code: 42,
    stderr: expect.stringContaining('md, html, json, jsonl'),
  });
});
