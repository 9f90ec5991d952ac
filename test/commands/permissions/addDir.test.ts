import { expect, test } from 'vitest';
import { addDir } from '../../../src/commands/permissions/addDir.ts';
import type { AddedDirectory } from '../../../src/commands/types.ts';
import { commandHost } from '../commandHost.ts';

async function run(args: string, result: AddedDirectory = { type: 'added', folder: '/lib' }) {
  const asked: string[] = [];
  const host = commandHost({
    directories: {
      list: () => ['/home/me/project', '/lib'],
      add: async (path) => {
        asked.push(path);
        return result;
      },
    },
  });
  return { asked, said: await addDir.run(args, host) };
}

test('without a path, it lists the workspace', async () => {
  const { asked, said } = await run('');
  expect(asked).toEqual([]);
  expect(said).toMatchObject({ text: expect.stringMatching(/workspace: \/home\/me\/project\n +\/lib\n/) });
});

test.each([
  ['../lib', '../lib'],
  ['a b', 'a b'],
  ['"a b"', 'a b'],
  ["'a b'", 'a b'],
])('%s adds that path', async (args, path) => {
  const { asked, said } = await run(args);
  expect(asked).toEqual([path]);
  expect(said).toMatchObject({
    text: expect.stringContaining('/lib belongs to the workspace until you quit'),
  });
});

test('a refusal is an error, a known directory is not', async () => {
  const refused = await run('x', { type: 'refused', message: 'x does not exist.' });
  expect(refused.said).toEqual({ type: 'notice', level: 'error', text: 'x does not exist.' });
  const inside = await run('x', { type: 'known', folder: '/lib/x', around: '/lib' });
  expect(inside.said).toMatchObject({ text: '/lib/x already belongs to the workspace: it is in /lib.' });
  const same = await run('x', { type: 'known', folder: '/lib', around: '/lib' });
  expect(same.said).toMatchObject({ text: '/lib already belongs to the workspace.' });
});

test('with -p, only the list is available', () => {
  expect(addDir.needsUser?.('')).toBeUndefined();
  expect(addDir.needsUser?.('../lib')).toBe('Use --add-dir.');
});
