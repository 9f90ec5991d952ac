import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openResultFolder, type TaskResult } from '../../../src/cli/fleet/results.ts';
import { getProjectStoragePath } from '../../../src/context/index.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const result: TaskResult = {
  ...{ id: 'one', cwd: '/repo', status: 'done', exit_code: 0, tries: 1, duration_ms: 1, cost_usd: null },
  ...{ session_id: 's', session: null, result: '$(touch /tmp/x)' },
};

async function places(): Promise<{ out: string; home: string; data: string }> {
  const base = temporaryFolder();
  const [out, home, data] = [join(base, 'repo/results'), join(base, 'home'), join(base, 'data')];
  for (const folder of [out, home, data]) await mkdir(folder, { recursive: true });
  await writeFile(join(home, '.bashrc'), 'mine\n');
  return { out, home, data };
}

describe('the output folder of a fleet', () => {
  test.each(['results.jsonl', 'sessions', 'logs'])(
    'is not used if a repository has made %s a link',
    async (name) => {
      const { out, home, data } = await places();
      await symlink(name === 'results.jsonl' ? join(home, '.bashrc') : home, join(out, name));

      await expect(openResultFolder(out, data)).rejects.toThrow('is a link');

      expect(await readFile(join(home, '.bashrc'), 'utf8')).toBe('mine\n');
    },
  );

  test('is not written through a link created by a task', async () => {
    const { out, home, data } = await places();
    const results = await openResultFolder(out, data);
    await results.add(result);
    const log = join(getProjectStoragePath(data, '/repo'), 's.jsonl');
    await mkdir(dirname(log), { recursive: true });
    await writeFile(log, 'log');
    for (const file of ['logs/one.txt', 'sessions/one.jsonl'])
      await symlink(join(home, '.bashrc'), join(out, file));
    await symlink(home, join(out, 'sessions/one.agents'));

    await results.addLog('one', 'errors');
    expect(await results.addSession('one', { root: '/repo', sessionId: 's' })).toBe('sessions/one.jsonl');

    expect(await readFile(join(home, '.bashrc'), 'utf8')).toBe('mine\n');
    expect(await readFile(join(out, 'logs/one.txt'), 'utf8')).toBe('errors');
    expect(await readFile(join(out, 'sessions/one.jsonl'), 'utf8')).toBe('log');
    expect((await lstat(join(out, 'logs/one.txt'))).isSymbolicLink()).toBe(false);
  });

  test('returns the known results, even after a truncated line', async () => {
    const { out, data } = await places();
    const first = await openResultFolder(out, data);
    await first.add(result);
    await writeFile(join(out, 'results.jsonl'), '{"id":"cut', { flag: 'a' });

    const again = await openResultFolder(out, data);
    await again.add({ ...result, id: 'two', status: 'failed' });

    const { known } = await openResultFolder(out, data);
    expect([...known]).toEqual([
      ['one', 'done'],
      ['two', 'failed'],
    ]);
  });
});
