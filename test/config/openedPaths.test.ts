import { mkdtempSync, realpathSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SettingsFlags } from '../../src/config/flags.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';
import type { Grant } from '../../src/config/types.ts';

let home: string;
let root: string;
beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'opened-')));
  root = join(home, 'repo');
  for (const folder of ['repo/out', 'docs', '.clawdcode', 'etc'])
    await mkdir(join(home, folder), { recursive: true });
  await chmod(join(home, 'etc'), 0o755);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const source = '.clawdcode.json';
interface Given {
  readonly granted?: readonly Grant[];
  readonly flags?: SettingsFlags;
  readonly settingsFlag?: string;
  readonly file?: string;
}

async function load(settings: object, { granted, flags = {}, settingsFlag, file = source }: Given = {}) {
  const path = file.startsWith('~') ? join(home, file.slice(2)) : join(root, file);
  await writeFile(path, JSON.stringify(settings), { mode: 0o644 });
  const managed = { folder: join(home, 'etc'), ownerUid: process.getuid?.() ?? 0 };
  const places = { dataRoot: join(home, '.clawdcode'), home, root, managed };
  return loadSettings({ ...places, env: {}, trusted: true, granted, flags, settingsFlag });
}

const everything = (path: string) => ({
  permissions: { additionalDirectories: [path] },
  sandbox: { allowWrite: [path], allowRead: [path] },
  context: { truncate: { outputDir: path } },
});
const keys = [
  'permissions.additionalDirectories',
  'sandbox.allowWrite',
  'sandbox.allowRead',
  'context.truncate.outputDir',
];

async function opened(...given: Parameters<typeof load>) {
  const { settings, problems, untrusted, grants } = await load(...given);
  const { truncate } = settings.context;
  const { allowWrite, allowRead } = settings.sandbox;
  const places = [settings.permissions.additionalDirectories, allowWrite, allowRead, truncate.outputDir];
  return { places, problems, untrusted, grants };
}

describe('a path in a repository’s settings', () => {
  test('opens its real location, and a link is approved with its target', async () => {
    await symlink('docs', join(home, 'notes'));
    const { places, problems, grants } = await opened(everything('~/notes'));
    const real = join(home, 'docs');
    expect(places).toEqual([[real], [real], [real], real]);
    expect(problems).toEqual([]);
    expect(grants.map(({ kind, text }) => [kind, text]).sort()).toEqual(
      keys.map((key) => [key, `~/notes → ${real}`]).sort(),
    );
  });

  test('asks again once a link leads elsewhere, and opens nothing until then', async () => {
    await symlink('docs', join(home, 'notes'));
    const { grants } = await opened(everything('~/notes'));
    expect((await opened(everything('~/notes'), { granted: grants })).untrusted).toEqual([]);
    await rm(join(home, 'notes'));
    await symlink('.clawdcode', join(home, 'notes'));
    const { places, untrusted } = await opened(everything('~/notes'), { granted: grants });
    expect(places).toEqual([[], [], [], null]);
    expect(untrusted.map(({ key, value }) => [key, value]).sort()).toEqual(
      keys.map((key) => [key, `~/notes → ${join(home, '.clawdcode')}`]).sort(),
    );
  });

  test('approved as written needs no new approval unless a link redirects it', async () => {
    await symlink('docs', join(home, 'notes'));
    const old = (text: string) => keys.map((kind): Grant => ({ kind, text, source }));
    for (const path of ['~/docs', 'out', 'build/later', '../docs/'])
      expect((await opened(everything(path), { granted: old(path) })).untrusted, path).toEqual([]);
    expect((await opened(everything('~/notes'), { granted: old('~/notes') })).untrusted).toHaveLength(4);
  });

  test.each(['ext', 'ext/', 'chain', 'ext/docs', '~/repo/ext', 'HOME/repo/ext', 'dangling'])(
    'is rejected if a link of the repository leads out: %s',
    async (name) => {
      await symlink('..', join(root, 'ext'));
      await symlink('ext', join(root, 'chain'));
      await symlink('../later', join(root, 'dangling'));
      const { places, problems, untrusted, grants } = await opened(everything(name.replace('HOME', home)), {
        granted: [],
      });
      expect(places).toEqual([[], [], [], null]);
      expect([untrusted, grants]).toEqual([[], []]);
      expect(problems.map(({ key }) => key).sort()).toEqual([...keys].sort());
      for (const { message } of problems)
        expect(message).toMatch(/^\.clawdcode\.json: .* a link leads it out of the project, to "\//);
    },
  );

  test('that leads to another folder of the repository through a link is approved with that folder', async () => {
    await symlink('out', join(root, 'build'));
    const { grants, places } = await opened(everything('build'));
    expect(places[0]).toEqual([join(root, 'out')]);
    expect(grants[0]?.text).toBe(`build → ${join(root, 'out')}`);
  });

  test('from Claude Code is treated the same', async () => {
    await mkdir(join(root, '.claude'));
    await symlink('..', join(root, 'ext'));
    const settings = { permissions: { additionalDirectories: ['ext', '~/docs'] } };
    const { places, problems } = await opened(settings, { file: '.claude/settings.json' });
    expect(places[0]).toEqual([join(home, 'docs')]);
    expect(problems).toMatchObject([{ key: 'permissions.additionalDirectories' }]);
  });

  test('is resolved only if it is among the first, so that thousands do not delay the start', {
    tags: 'long',
  }, async () => {
    const paths = Array.from({ length: 20_000 }, (_, index) => `x${index}/y`);
    const loaded = await load({ sandbox: { allowWrite: paths, denyRead: paths } });
    expect(loaded.problems.map(({ message }) => message).join()).toMatch(/more than 200 paths/);
    expect(loaded.settings.sandbox.allowWrite).toHaveLength(200);
    expect(loaded.settings.sandbox.denyRead).toHaveLength(20_000);
  });

  test('is named only among the first of many that are rejected', async () => {
    await symlink('..', join(root, 'ext'));
    const allowWrite = Array.from({ length: 100 }, (_, index) => `ext/${index}`);
    const { problems } = await load({ sandbox: { allowWrite } });
    expect(problems).toHaveLength(6);
    expect(problems.at(-1)?.message).toContain('95 more');
  });
});

test.each(['~/.clawdcode/config.json', '~/etc/managed-settings.json', '--settings'])(
  'a link in the project leads no path in %s out of the project',
  async (file) => {
    await symlink('..', join(root, 'ext'));
    const settings = everything('ext');
    const given = file === '--settings' ? { settingsFlag: JSON.stringify(settings) } : { file };
    const { places, problems } = await opened(file === '--settings' ? {} : settings, given);
    expect(places).toEqual([[], [], [], null]);
    expect(problems).toHaveLength(4);
  },
);

test('a folder on the command line is resolved once, at the start', async () => {
  await symlink('../docs', join(root, 'ext'));
  const { places, problems } = await opened({}, { flags: { addDirs: [join(root, 'ext')] } });
  expect(places[0]).toEqual([join(home, 'docs')]);
  expect(problems).toEqual([]);
});

test('a hidden path is hidden both as written and as resolved', async () => {
  await symlink('docs', join(home, 'notes'));
  const { settings, managedDenyRead } = await load({ sandbox: { denyRead: ['~/notes', 'private'] } });
  expect(settings.sandbox.denyRead).toEqual([join(home, 'notes'), join(home, 'docs'), join(root, 'private')]);
  expect(managedDenyRead).toEqual([]);
});

test('paths hidden by managed settings are marked as such', async () => {
  await load({ sandbox: { denyRead: ['~/docs'] } }, { file: '~/etc/managed-settings.json' });
  const { settings, managedDenyRead } = await load({ sandbox: { denyRead: ['private'] } });
  expect(settings.sandbox.denyRead).toEqual([join(root, 'private'), join(home, 'docs')]);
  expect(managedDenyRead).toEqual([join(home, 'docs')]);
});
