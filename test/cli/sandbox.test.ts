import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AppPaths } from '../../src/cli/process/appPaths.ts';
import { hiddenFromCommands, probeOptions } from '../../src/cli/sandbox.ts';
import { createAddedDirectories } from '../../src/config/addedDirectories.ts';
import { pathsToHide } from '../../src/config/openedPaths.ts';
import { settingsSchema } from '../../src/config/schema.ts';

test('sandbox programs are not looked up in folders that commands may write to', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'probe-')));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(base, { recursive: true, force: true });
  });
  const [home, root, tmp] = [join(base, 'home'), join(base, 'home/p'), join(base, 'tmp')];
  const folders = ['home/p/bin', 'home/q/bin', 'home/w/bin', 'tmp/bin', 'home/bin', 'usr/bin'].map((name) =>
    join(base, name),
  );
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  vi.stubEnv('TMPDIR', tmp);
  const place: AppPaths = {
    ...{ cwd: root, root, home, dataRoot: join(home, '.clawdcode'), packageRoot: base, version: '0' },
    env: { HOME: home, PATH: folders.join(':') },
  };
  const settings = settingsSchema.parse({
    sandbox: { allowWrite: ['~/w'] },
  });
  expect(probeOptions(place, { settings, added: createAddedDirectories(['../q']) }).path).toBe(
    `${join(home, 'bin')}:${join(base, 'usr/bin')}`,
  );
});

test('paths hidden in a project are hidden in its worktree, however the setting names them', () => {
  const home = '/nowhere/home';
  const project = join(home, 'p');
  const root = join(home, '.clawdcode/worktrees/p/w');
  const written = ['private', './b', '~/p/c', '/nowhere/home/p/d', '~/other'];
  const paths = pathsToHide(written, { root: project, home });
  expect(hiddenFromCommands(paths, { root: project, project })).toEqual(paths);
  const hidden = hiddenFromCommands(paths, { root, project });
  for (const name of ['private', 'b', 'c', 'd'])
    expect(hidden).toEqual(expect.arrayContaining([join(project, name), join(root, name)]));
  expect(hidden).toContain(join(home, 'other'));
  expect(hidden).toHaveLength(9);
});
