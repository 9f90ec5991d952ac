import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PersistentStore } from '../../../src/context/index.ts';
import { runWith } from './ports.ts';
import { record } from './records.ts';

/** Made up for this test; opens nothing. */
const secret = `ghp_${'x1Y2z3A4b5C6d7E8f9G0'.repeat(2).slice(0, 36)}`;

test('an audit shows neither secrets nor anything that drives the terminal', async () => {
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
