import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SettingsFlags } from '../../src/config/flags.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';
import { isProtectedFile, isProtectedFolder, managedSource, tighteningOf } from '../../src/config/managed.ts';
import type { LoadedSettings } from '../../src/config/types.ts';

let top: string;

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'clawdcode-managed-'));
  for (const folder of ['home/.clawdcode', 'project', 'etc/managed-settings.d'])
    await mkdir(join(top, folder), { recursive: true });
  await chmod(join(top, 'etc'), 0o755);
  await chmod(join(top, 'etc/managed-settings.d'), 0o755);
});
afterEach(() => rm(top, { recursive: true, force: true }));

const main = 'etc/managed-settings.json';
const user = 'home/.clawdcode/config.json';
const project = 'project/.clawdcode.json';

async function write(path: string, content: unknown, mode = 0o644): Promise<void> {
  await writeFile(join(top, path), typeof content === 'string' ? content : JSON.stringify(content));
  await chmod(join(top, path), mode);
}

function load(
  options: { env?: Record<string, string>; flags?: SettingsFlags; ownerUid?: number } = {},
): Promise<LoadedSettings> {
  const { env = {}, flags = {}, ownerUid = process.getuid?.() ?? 0 } = options;
  return loadSettings({
    dataRoot: join(top, 'home/.clawdcode'),
    home: join(top, 'home'),
    root: join(top, 'project'),
    env,
    flags,
    trusted: true,
    managed: { folder: join(top, 'etc'), ownerUid },
  });
}

describe('the layer', () => {
  test('a value in it overrides files, environment and flags, and is named as the source', async () => {
    await write(user, { model: 'a', maxTurns: 1, theme: 'ansi' });
    await write(project, { model: 'b' });
    await write(main, { model: 'managed', maxTurns: 7, baseUrl: 'http://127.0.0.1:9/v1' });
    const { settings, sources, problems } = await load({
      env: { OPENAI_MODEL: 'c', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
      flags: { model: 'd', maxTurns: 99 },
    });
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      model: 'managed',
      maxTurns: 7,
      baseUrl: 'http://127.0.0.1:9/v1',
      theme: 'ansi',
    });
    expect(sources.model).toBe(`managed settings (${join(top, main)})`);
  });

  test.each([
    [{ mode: 'read-only' }, { enabled: false }, { mode: 'read-only', enabled: true }],
    [{ enabled: true }, { mode: 'danger-full-access' }, { mode: 'workspace-write', enabled: true }],
    [{ enabled: true }, { mode: 'read-only' }, { mode: 'read-only', enabled: true }],
    [{ mode: 'danger-full-access' }, { enabled: false }, { mode: 'danger-full-access', enabled: false }],
    [{ denyRead: ['/x'] }, { enabled: false }, { enabled: false }],
  ])('a sandbox required by %j is not turned off by %j', async (managed, own, expected) => {
    await write(main, { sandbox: managed });
    await write(user, { sandbox: own });
    expect((await load()).settings.sandbox).toMatchObject(expected);
  });

  test('a sandbox list that loosens is replaced, one that restricts grows', async () => {
    const own = { allowWrite: ['/own'], denyRead: ['/own'], excludedCommands: ['own *'], allowEnv: ['OWN'] };
    const hosts = { allowedDomains: ['own.example'], deniedDomains: ['own.example'], allowLocalPorts: [1] };
    await write(user, { sandbox: { ...own, network: hosts } });
    await write(project, { sandbox: { excludedCommands: ['project *'] } });
    await write(main, {
      sandbox: {
        allowWrite: ['/managed'],
        denyRead: ['/managed'],
        excludedCommands: [],
        network: { allowedDomains: ['managed.example'], deniedDomains: ['managed.example'] },
      },
    });
    expect((await load()).settings.sandbox).toMatchObject({
      allowWrite: ['/managed'],
      denyRead: ['/own', '/managed'],
      excludedCommands: [],
      allowEnv: ['OWN'],
      network: {
        allowedDomains: ['managed.example'],
        deniedDomains: ['own.example', 'managed.example'],
        allowLocalPorts: [1],
      },
    });
  });

  test('files in its folder add to it in the order of their names, and later ones take precedence', async () => {
    await write(main, { model: 'a', permissions: { deny: ['Bash(one)'] } });
    await write('etc/managed-settings.d/10-x.json', { model: 'b', permissions: { deny: ['Bash(two)'] } });
    await write('etc/managed-settings.d/20-y.json', { model: 'c' });
    await write('etc/managed-settings.d/.hidden.json', { model: 'hidden' });
    await write('etc/managed-settings.d/notes.txt', 'not settings');
    const { settings, rules, files } = await load();
    expect(settings.model).toBe('c');
    expect(rules.map(({ text, managed }) => [text, managed])).toEqual([
      ['Bash(one)', true],
      ['Bash(two)', true],
    ]);
    expect(files.filter(({ layer }) => layer === 'managed').map(({ path }) => path)).toEqual([
      join(top, main),
      join(top, 'etc/managed-settings.d/10-x.json'),
      join(top, 'etc/managed-settings.d/20-y.json'),
    ]);
  });

  test('without managed settings there is no message', async () => {
    await rm(join(top, 'etc'), { recursive: true });
    const { files, problems } = await load();
    expect(problems).toEqual([]);
    expect(files.map(({ layer }) => layer)).toEqual(['user', 'project', 'local']);
  });

  test('the user’s headers stay with their endpoint; managed ones are always sent', async () => {
    await write(user, { baseUrl: 'http://127.0.0.1:1/v1', headers: { 'X-Own': 'secret' } });
    await write(main, { baseUrl: 'http://127.0.0.1:9/v1', headers: { 'X-Team': 'a' } });
    const { settings } = await load();
    expect(settings.headers).toEqual({ 'X-Team': 'a' });
  });

  test.each([
    ['linux', '/etc/clawdcode'],
    ['darwin', '/Library/Application Support/ClawdCode'],
  ] as const)('on %s it is %s and belongs to root', (platform, folder) => {
    expect(managedSource(platform)).toEqual({ folder, ownerUid: 0 });
  });
});

describe('restrictions on users', () => {
  test('bypassPermissions is unavailable, from flags and files alike', async () => {
    await write(main, { permissions: { disableBypassPermissionsMode: 'disable' } });
    await write(user, { permissions: { defaultMode: 'yolo' } });
    const byFile = await load();
    expect(byFile.settings.permissions.defaultMode).toBe('default');
    expect(byFile.problems).toMatchObject([{ layer: 'user', key: 'permissions.defaultMode' }]);
    const byFlag = await load({ flags: { permissionMode: 'bypassPermissions' } });
    expect(byFlag.settings.permissions.defaultMode).toBe('default');
    expect(byFlag.problems).toMatchObject([{ layer: 'flag', file: '--permission-mode' }]);
    expect(byFlag.refusedModes.bypassPermissions).toContain('managed-settings.json');
  });

  test.each([
    { enabled: true },
    { mode: 'workspace-write' },
    { mode: 'read-only', excludedCommands: ['managed *'] },
  ])('no command leaves a sandbox required by %j, and no socket leads out of it', async (sandbox) => {
    await write(main, { sandbox });
    const loose = { excludedCommands: ['*'], network: { allowUnixSockets: true, forwardPorts: false } };
    for (const file of [user, project]) await write(file, { sandbox: loose });
    const { settings } = await load();
    expect(settings.sandbox).toMatchObject({
      excludedCommands: sandbox.excludedCommands ?? [],
      network: { allowUnixSockets: false, forwardPorts: false },
    });
  });

  test.each([{ autoAllow: false }, { mode: 'danger-full-access' }, { enabled: false }])(
    'if managed settings require none, as with %j, commands may be excluded',
    async (sandbox) => {
      await write(main, { sandbox });
      await write(user, { sandbox: { excludedCommands: ['docker *'] } });
      expect((await load()).settings.sandbox.excludedCommands).toEqual(['docker *']);
    },
  );

  test.each([{ disableAutoMode: 'disable' }, { auto: { enabled: false } }])(
    'auto is unavailable with %j, whatever the user writes or types',
    async (permissions) => {
      await write(main, { permissions });
      await write(user, { permissions: { auto: { enabled: true } } });
      const { refusedModes, settings } = await load({ flags: { permissionMode: 'auto' } });
      expect(refusedModes.auto).toContain('managed-settings.json');
      expect(settings.permissions.defaultMode).toBe('default');
    },
  );

  test('an initial mode overrides the flag', async () => {
    await write(main, { permissions: { defaultMode: 'plan' } });
    const { settings } = await load({ flags: { permissionMode: 'bypassPermissions' } });
    expect(settings.permissions.defaultMode).toBe('plan');
  });

  test('with allowManagedPermissionRulesOnly other allow rules do not apply, and restrictions do', async () => {
    await write(main, { allowManagedPermissionRulesOnly: true, permissions: { allow: ['Bash(npm test)'] } });
    await write(user, { permissions: { allow: ['Bash(a)'], deny: ['Bash(b)'] } });
    await write(project, { permissions: { allow: ['Bash(c)'], ask: ['Bash(d)'] } });
    const { rules } = await load({ flags: { allowedTools: ['Bash(e)'], disallowedTools: ['Bash(f)'] } });
    expect(rules.map(({ behavior, text }) => `${behavior} ${text}`)).toEqual([
      'deny Bash(b)',
      'ask Bash(d)',
      'deny Bash(f)',
      'allow Bash(npm test)',
    ]);
  });

  test.each([user, project])('that option does not apply in %s', async (file) => {
    await write(file, { allowManagedPermissionRulesOnly: true, permissions: { allow: ['Bash(a)'] } });
    const { rules, problems } = await load();
    expect(rules).toHaveLength(1);
    expect(problems).toMatchObject([{ key: 'allowManagedPermissionRulesOnly' }]);
  });
});

describe('invalid managed settings prevent the start', () => {
  test.each([
    ['no JSON', '{ "permissions": { "deny": ["Bash"] '],
    ['nothing', ''],
    ['only a comment', '// { "permissions": { "deny": ["Bash"] } }'],
    ['not an object', '[]'],
    ['a misspelled key', { permisions: { deny: ['Bash(curl *)'] } }],
    ['a misspelled nested key', { permissions: { denny: ['Bash(curl *)'] } }],
    ['a bad value', { permissions: { disableAutoMode: true } }],
    ['an invalid list item', { permissions: { deny: [7] } }],
  ])('%s', async (_what, content) => {
    await write(main, content);
    await expect(load()).rejects.toMatchObject({ name: 'ManagedSettingsError' });
    await expect(load()).rejects.toThrow(/managed-settings\.json.*administrator of this machine/);
  });

  test('a duplicate key is an error: the rules in the first would be lost', async () => {
    const twice = '{"permissions": {"deny": ["Bash(rm:*)"]}, "permissions": {"ask": ["Edit"]}}';
    await write(user, twice);
    const { problems, rules } = await load();
    expect(rules.map(({ text }) => text)).toEqual(['Edit']);
    expect(problems.map(({ message }) => message)).toEqual([
      '~/.clawdcode/config.json:1: "permissions" is defined more than once, and only the last one applies. Merge them.',
    ]);
    await write(main, twice);
    await expect(load()).rejects.toThrow(/"permissions" is defined more than once/);
  });

  test('a broken file in the folder, and a folder that is not one', async () => {
    await write('etc/managed-settings.d/bad.json', '{');
    await expect(load()).rejects.toThrow(/bad\.json/);
    await rm(join(top, 'etc/managed-settings.d'), { recursive: true });
    await write('etc/managed-settings.d', '{}');
    await expect(load()).rejects.toThrow(/managed-settings\.d cannot be read/);
  });

  test('a folder in place of the file, and a circular link', async () => {
    await mkdir(join(top, main));
    await expect(load()).rejects.toMatchObject({ name: 'ManagedSettingsError' });
    await rm(join(top, main), { recursive: true });
    await symlink('managed-settings.json', join(top, main));
    await expect(load()).rejects.toMatchObject({ name: 'ManagedSettingsError' });
  });

  test.each([main, 'etc/managed-settings.d/a.json', 'etc/managed-settings.d', 'etc'])(
    'a dangling link in place of %s',
    async (path) => {
      await rm(join(top, path), { recursive: true, force: true });
      await symlink(join(top, 'not-mounted'), join(top, path));
      await expect(load()).rejects.toMatchObject({ name: 'ManagedSettingsError' });
      await expect(load()).rejects.toThrow(/is a link to something that does not exist/);
    },
  );

  test('without a managed folder there is no policy', async () => {
    await rm(join(top, 'etc'), { recursive: true });
    expect((await load()).problems).toEqual([]);
  });

  test.skipIf(process.getuid?.() === 0)('an unreadable file', async () => {
    await write(main, { model: 'x' }, 0o000);
    await expect(load()).rejects.toThrow(/cannot be read/);
  });
});

describe('a file that others can write', () => {
  const loose = {
    model: 'cheap',
    baseUrl: 'http://127.0.0.1:9/v1',
    env: { A: 'b' },
    allowManagedPermissionRulesOnly: true,
    permissions: {
      allow: ['Bash'],
      deny: ['Bash(rm *)'],
      ask: ['Bash(git push *)'],
      defaultMode: 'bypassPermissions',
      additionalDirectories: ['/'],
      auto: { enabled: true, rules: ['Allow everything.'] },
      disableAutoMode: 'disable',
    },
  };
  const tightening = {
    allowManagedPermissionRulesOnly: true,
    permissions: { deny: ['Bash(rm *)'], ask: ['Bash(git push *)'], disableAutoMode: 'disable' },
  };

  test('can only restrict', () => {
    expect(tighteningOf(loose)).toEqual(tightening);
    expect(tighteningOf({ permissions: { defaultMode: 'dontAsk' } })).toEqual({
      permissions: { defaultMode: 'dontAsk' },
    });
    const sandbox = {
      enabled: true,
      mode: 'read-only',
      denyRead: ['~/x'],
      network: { deniedDomains: ['a.b'] },
    };
    expect(tighteningOf({ sandbox })).toEqual({ sandbox });
    expect(
      tighteningOf({
        sandbox: {
          enabled: false,
          mode: 'danger-full-access',
          allowWrite: ['/'],
          allowEnv: ['TOKEN'],
          excludedCommands: ['*'],
          autoAllow: true,
          network: { allowedDomains: ['*'], allowLocalPorts: [1] },
        },
      }),
    ).toEqual({});
    expect(tighteningOf({ theme: 'ansi', webFetch: { allowPrivate: true } })).toEqual({});
  });

  const expectTightOnly = async (loaded: LoadedSettings): Promise<void> => {
    expect(loaded.rules.map(({ behavior }) => behavior)).toEqual(['ask', 'deny']);
    expect(loaded.settings).toMatchObject({ model: null, env: {}, permissions: { defaultMode: 'default' } });
    expect(loaded.problems).toMatchObject([{ layer: 'managed' }]);
    expect(loaded.problems[0]?.message).toContain('users other than root can write');
  };

  test.each([0o664, 0o646, 0o666])('mode %o', async (mode) => {
    await write(main, loose, mode);
    await expectTightOnly(await load());
  });

  test('another owner', async () => {
    await write(main, loose);
    await expectTightOnly(await load({ ownerUid: (process.getuid?.() ?? 0) + 1 }));
  });

  test('a folder in which it can be replaced', async () => {
    await write(main, loose);
    await chmod(join(top, 'etc'), 0o777);
    await expectTightOnly(await load());
  });

  test('a link into such a folder', async () => {
    await mkdir(join(top, 'shared'));
    await chmod(join(top, 'shared'), 0o777);
    await write('shared/real.json', loose);
    await symlink(join(top, 'shared/real.json'), join(top, main));
    await expectTightOnly(await load());
    await chmod(join(top, 'shared'), 0o755);
    expect((await load()).settings.model).toBe('cheap');
  });

  test.each([
    [{ uid: 0, mode: 0o100644 }, true],
    [{ uid: 0, mode: 0o100600 }, true],
    [{ uid: 0, mode: 0o100664 }, false],
    [{ uid: 0, mode: 0o100646 }, false],
    [{ uid: 1000, mode: 0o100644 }, false],
    [{ uid: 0, mode: 0o101666 }, false],
  ])('as a file %j is protected: %s', (info, expected) => {
    expect(isProtectedFile(info, 0)).toBe(expected);
  });

  test.each([
    [{ uid: 0, mode: 0o40755 }, true],
    [{ uid: 0, mode: 0o40775 }, false],
    [{ uid: 0, mode: 0o41777 }, true],
    [{ uid: 1000, mode: 0o41755 }, false],
  ])('as a folder %j is protected: %s', (info, expected) => {
    expect(isProtectedFolder(info, 0)).toBe(expected);
  });
});

describe('the mode auto', () => {
  test('is off until the user turns it on', async () => {
    expect((await load()).refusedModes.auto).toContain('permissions.auto.enabled');
    const typed = await load({ flags: { permissionMode: 'auto' } });
    expect([typed.refusedModes.auto, typed.settings.permissions.defaultMode]).toEqual([undefined, 'auto']);
    await write(user, { permissions: { auto: { enabled: true } } });
    const written = await load();
    expect([written.refusedModes.auto, written.settings.permissions.defaultMode]).toEqual([
      undefined,
      'default',
    ]);
  });

  test('choosing it as the initial mode does not turn it on', async () => {
    await write(user, { permissions: { defaultMode: 'auto' } });
    const { settings, problems } = await load();
    expect(settings.permissions.defaultMode).toBe('default');
    expect(problems).toMatchObject([{ layer: 'user', key: 'permissions.defaultMode' }]);
  });

  test.each(['.clawdcode.json', '.clawdcode.local.json'])(
    '%s neither turns it on nor starts in it nor instructs the judge, even in a trusted folder',
    async (file) => {
      const permissions = { auto: { enabled: true, rules: ['Allow everything.'] }, defaultMode: 'auto' };
      await write(`project/${file}`, { permissions });
      const off = await load();
      expect(off.refusedModes.auto).toBeDefined();
      expect(off.problems.map(({ key }) => key)).toEqual(['permissions.auto', 'permissions.defaultMode']);
      await write(user, { permissions: { auto: { enabled: true, rules: ['Be strict.'] } } });
      const { settings } = await load();
      expect(settings.permissions).toMatchObject({
        defaultMode: 'default',
        auto: { enabled: true, rules: ['Be strict.'] },
      });
    },
  );

  test('a copy of the example file in a folder is not reported', async () => {
    await write(project, {
      allowManagedPermissionRulesOnly: false,
      permissions: { auto: { enabled: false, rules: [] } },
    });
    expect((await load()).problems).toEqual([]);
  });

  test('managed settings turn it on for everyone', async () => {
    await write(main, { permissions: { auto: { enabled: true } } });
    expect((await load()).refusedModes).toEqual({});
  });
});
