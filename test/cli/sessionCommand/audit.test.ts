import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PersistentStore } from '../../../src/context/index.ts';
import { runWith } from './ports.ts';
import { record } from './records.ts';

/** Made up for this test; opens nothing. */
const secret = `ghp_${'x1Y2z3A4b5C6d7E8f9G0'.repeat(2).slice(0, 36)}`;

test('an audit shows neither secrets nor control sequences', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-audit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = new PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1.0.0' });
  const log = await store.createSession('abc');
  await log.append([
    {
      type: 'tool_result',
      message: { role: 'user', content: 'done' },
      toolResult: {
        id: 'call-1',
        name: 'Bash',
        output: 'done',
        status: 'ok',
        display: {
          title: `curl -H 'Authorization: Bearer ${secret}' \u001b]0;owned\u0007\u001b[2Jx.example`,
        },
        permission: { basis: 'user', reason: `It uses ${secret}.\n\u001b[31mAnd more.` },
      },
    },
  ]);
  await log.close();
  const session = record({ id: 'abc', title: 'Tokens', file: log.filePath });
  for (const flags of [[], ['--json'], ['--all']]) {
    const { code, stdout } = await runWith(['audit', 'abc', ...flags], {
      sessions: [session],
      dataRoot: folder,
    });
    expect(code).toBe(0);
    expect(stdout).toContain('x.example');
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  }
});

test('JSON has full commands, and calls that never ended', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-audit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = new PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1.0.0' });
  const log = await store.createSession('abc');
  const command = 'cat > x <<EOF\n  one\nEOF\nrm -rf build';
  await log.append(
    ['a', 'b'].map((id) => ({
      type: 'tool_use',
      message: { role: 'assistant', content: '' },
      tool: { id, name: 'Bash', input: { command } },
    })),
  );
  await log.append([
    {
      type: 'tool_result',
      message: { role: 'user', content: '' },
      toolResult: {
        id: 'a',
        name: 'Bash',
        output: '',
        status: 'ok',
        display: { title: 'cat > x <<EOF … (+3 lines)' },
      },
    },
  ]);
  await log.close();
  const session = record({ id: 'abc', title: 'Calls', file: log.filePath });
  const { stdout } = await runWith(['audit', 'abc', '--json'], { sessions: [session], dataRoot: folder });
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { verdict: string; command: string });
  expect(rows.map(({ verdict }) => verdict)).toEqual(['ran', 'unfinished']);
  for (const row of rows) expect(row.command).toBe(command);
});

/** A log with this many calls, and the audit after its lines were changed. */
async function auditOf(calls: number, change: (lines: readonly string[]) => readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-audit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = new PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1.0.0' });
  const log = await store.createSession('abc');
  for (let call = 0; call < calls; call += 1)
    await log.append([
      {
        type: 'tool_result',
        message: { role: 'user', content: '' },
        toolResult: {
          id: `c${call}`,
          name: 'Bash',
          output: '',
          status: 'ok',
          display: { title: `run-${call} \u001b]0;rm -rf src\u0007` },
          permission: { basis: 'user', reason: 'Asked.' },
        },
      },
    ]);
  await log.close();
  const lines = (await readFile(log.filePath, 'utf8')).trimEnd().split('\n');
  await writeFile(log.filePath, `${change(lines).join('\n')}\n`);
  const session = record({ id: 'abc', title: 'Calls', file: log.filePath });
  return runWith(['audit', 'abc'], { sessions: [session], dataRoot: folder });
}

test('an audit shows commands in full, control characters included', async () => {
  const { code, stdout, stderr } = await auditOf(3, (lines) => lines);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('run-2 ‹U+001B›]0;rm -rf src‹U+0007›');
});

test.each<[string, (lines: readonly string[]) => readonly string[], string]>([
  ['a line is missing', (lines) => lines.toSpliced(-2, 1), '1 entry is missing'],
  [
    'the first call is missing',
    (lines) =>
      lines.toSpliced(
        lines.findIndex((line) => line.includes('run-0')),
        1,
      ),
    '1 entry is missing',
  ],
  ['a line was changed', (lines) => lines.map((line) => line.replace('run-1', 'ran-1')), '1 line is altered'],
  ['a line is garbage', (lines) => lines.toSpliced(-2, 1, '{oh'), '1 entry is missing, 1 line is altered'],
])('an audit says so if %s', async (_, change, says) => {
  const { code, stdout, stderr } = await auditOf(3, change);
  expect(code).toBe(1);
  expect(stderr).toContain(`This log is incomplete: ${says}.`);
  expect(stderr).toContain('clawdcode session verify abc');
  expect(stdout).toContain('run-2');
});
