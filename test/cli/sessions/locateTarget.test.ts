/** A project that was moved, and a session of another one. */
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AppPaths } from '../../../src/cli/process/appPaths.ts';
import { resolveTarget } from '../../../src/cli/sessions/locateTarget.ts';
import { LikelySessionError, SessionElsewhereError } from '../../../src/cli/sessions/sessionErrors.ts';
import { getProjectStoragePath, PersistentStore, recordProjectFolder } from '../../../src/context/index.ts';

interface World {
  place(root: string): AppPaths;
  /** Creates a folder with a session, as the program does. Returns its root. */
  live(name: string, id: string, prompt: string): Promise<string>;
}

async function world(): Promise<World> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-moved-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const dataRoot = join(home, '.clawdcode');
  return {
    place: (root) => ({ cwd: root, root, home, dataRoot, packageRoot: home, version: '1.0.0', env: {} }),
    async live(name, id, prompt) {
      const root = join(home, name);
      await mkdir(root, { recursive: true });
      const store = new PersistentStore({ dataRoot, projectRoot: root, programVersion: '1.0.0' });
      const log = await store.createSession(id);
      await log.append([
        { type: 'system', subtype: 'session_start', message: { role: 'system', content: '' }, data: {} },
      ]);
      await log.saveMessage('user', prompt);
      await log.close();
      await recordProjectFolder(dataRoot, root);
      return root;
    },
  };
}

const folderOf = ({ dataRoot }: AppPaths, root: string): string =>
  basename(getProjectStoragePath(dataRoot, root));

test('a session is found in its project’s old folder by id, by title, or as the newest', {
  tags: 'long',
}, async () => {
  const { place, live } = await world();
  const before = await live('before', 'abc1', 'Fix the login');
  const project = folderOf(place(before), before);
  const after = join(before, '../after');
  await rename(before, after);
  const here = place(after);
  const found = { type: 'id', id: 'abc1', project };
  expect(await resolveTarget({ type: 'id', id: 'abc' }, here)).toEqual(found);
  expect(await resolveTarget({ type: 'id', id: 'fix the login', mode: 'fork' }, here)).toEqual({
    ...found,
    mode: 'fork',
  });
  expect(await resolveTarget({ type: 'latest', title: 'T' }, here)).toEqual({ ...found, title: 'T' });
  // Once the project has its own sessions here, the newest is one of them.
  await live('after', 'new1', 'Here');
  expect(await resolveTarget({ type: 'latest', mode: 'fork' }, here)).toEqual({
    type: 'id',
    id: 'new1',
    mode: 'fork',
  });
  expect(await resolveTarget({ type: 'id', id: 'abc1' }, here)).toEqual(found);
});

test('another project’s session is not resumed here, and the message names the project', async () => {
  const { place, live } = await world();
  const other = await live('other', 'far1', 'Far away');
  const here = place(await live('here', 'abc1', 'Near'));
  await expect(resolveTarget({ type: 'id', id: 'far1' }, here)).rejects.toThrow(SessionElsewhereError);
  await expect(resolveTarget({ type: 'id', id: 'Far away' }, here)).rejects.toThrow(`belongs to ${other}:`);
  const asked = { type: 'id', id: 'far1', project: folderOf(here, other) } as const;
  expect(await resolveTarget(asked, here)).toBe(asked);
  // A fork belongs to this project.
  expect(await resolveTarget({ type: 'id', id: 'far1', mode: 'fork' }, here)).toEqual({
    ...asked,
    mode: 'fork',
  });
  await rename(other, `${other}-gone`);
  const error: unknown = await resolveTarget({ type: 'id', id: 'far1' }, here).catch(
    (reason: unknown) => reason,
  );
  expect(String(error)).toContain(`belongs to ${other}, which is no longer there. --fork-session`);
});

test.each([{ type: 'new' }, { type: 'latest' }, { type: 'id', id: 'unknown' }] as const)(
  'a missing session is left unresolved: %j',
  async (target) => {
    const { place, live } = await world();
    const root = await live('empty', 'abc1', 'Something');
    expect(await resolveTarget(target, place(join(root, '..')))).toEqual(target);
  },
);

test('a missing folder that had the same remote is a suggestion: only its id or title resumes it', async () => {
  const { place, live } = await world();
  const remote = async (root: string): Promise<void> => {
    await mkdir(join(root, '.git'), { recursive: true });
    await writeFile(join(root, '.git/config'), '[remote "origin"]\n\turl = https://example.org/shop.git\n');
    await recordProjectFolder(place(root).dataRoot, root);
  };
  const gone = await live('gone', 'abc1', 'Fix the login');
  await remote(gone);
  const project = folderOf(place(gone), gone);
  await rm(gone, { recursive: true });
  const clone = join(gone, '../clone');
  await remote(clone);
  const here = place(clone);
  for (const mode of ['fork', undefined] as const) {
    const latest = { type: 'latest', ...(mode && { mode }) } as const;
    await expect(resolveTarget(latest, here)).rejects.toThrow(LikelySessionError);
    await expect(resolveTarget(latest, here)).rejects.toThrow('--resume abc1 continues it here');
  }
  expect(await resolveTarget({ type: 'id', id: 'abc1' }, here)).toEqual({ type: 'id', id: 'abc1', project });
});
