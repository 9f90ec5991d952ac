import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createExportPort } from '../../../src/cli/sessions/exportPort.ts';
import { entriesOf, prompt } from '../../export/session.ts';
import { scriptedAgent } from '../../headless/scriptedAgent.ts';

test('a file is named relative to the current directory or the home', async () => {
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-export-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const place = {
    cwd: base,
    root: base,
    home: base,
    dataRoot: base,
    packageRoot: base,
    version: '1',
    env: {},
  };
  const agent = { ...scriptedAgent(), entries: () => entriesOf([prompt('Hello')]) };
  const exportSession = createExportPort({ agent, file: undefined }, place, () => []);
  expect(await exportSession({ format: 'md', file: '~/a.md' })).toMatchObject({ file: join(base, 'a.md') });
  expect(await exportSession({ format: 'md', file: 'b.md' })).toMatchObject({ file: join(base, 'b.md') });
  expect(await readFile(join(base, 'a.md'), 'utf8')).toContain('Hello');
});
