import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeSetting, findSetting, readValue } from '../../../src/config/change/changeSetting.ts';
import {
  awaitsTrust,
  displayValue,
  isLocked,
  listSettings,
  overrideOf,
} from '../../../src/config/change/settingsList.ts';
import { loadSettings } from '../../../src/config/loadSettings.ts';
import { readTrust, trustFolder } from '../../../src/config/trust.ts';
import type { LoadedSettings } from '../../../src/config/types.ts';
import type { EditScope, SettingInfo } from '../../../src/protocol/settings/settings.ts';

let home: string;
let root: string;
let dataRoot: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-change-')));
  root = join(home, 'work');
  dataRoot = join(home, '.clawdcode');
  await mkdir(root);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const userFile = () => join(dataRoot, 'config.json');
const localFile = () => join(root, '.clawdcode.local.json');

async function load(flags = {}, env = {}): Promise<LoadedSettings> {
  const { isTrusted, granted = [], savedRules } = await readTrust(dataRoot, root);
  const managed = { folder: join(home, 'etc'), ownerUid: process.getuid?.() ?? 0 };
  return loadSettings({ dataRoot, home, root, env, flags, managed, trusted: isTrusted, granted, savedRules });
}
const info = (loaded: LoadedSettings, key: string): SettingInfo => {
  const found = findSetting(listSettings(loaded), key);
  if (typeof found === 'string') throw new Error(found);
  return found;
};
const save = (key: string, value: unknown, scope: EditScope = 'user') =>
  changeSetting({ dataRoot, home, root, env: process.env }, { key, value, scope });

describe('the list', () => {
  test('has every setting with value, default and source; single values come first', async () => {
    await mkdir(dataRoot);
    await writeFile(userFile(), JSON.stringify({ theme: 'dark', env: { A: 'secret' }, apiKey: 'sk-1' }));
    const settings = listSettings(await load({ maxTurns: 3 }));
    expect(settings.length).toBeGreaterThan(90);
    const groups = settings.map(({ group }) => group);
    expect(groups.filter((group, index) => group !== groups[index - 1])).toEqual([...new Set(groups)]);
    const of = (key: string) => {
      const one = settings.find((setting) => setting.key === key);
      return one && [displayValue(one, one.value), one.source];
    };
    expect(of('theme')).toEqual(['dark', '~/.clawdcode/config.json']);
    expect(of('maxTurns')).toEqual(['3', '--max-turns']);
    expect(of('vim')).toEqual(['false', undefined]);
    expect(of('permissions.disableAutoMode')).toEqual(['not set', undefined]);
    expect(of('env')).toEqual(['{ A }', '~/.clawdcode/config.json']);
    expect(of('apiKey')).toEqual(['set', '~/.clawdcode/config.json']);
    expect(JSON.stringify(settings.map((one) => displayValue(one, one.value)))).not.toMatch(/secret|sk-1/);
  });

  test('knows how each value is entered', async () => {
    const loaded = await load();
    const kind = (key: string) => info(loaded, key).kind.type;
    expect(kind('vim')).toBe('boolean');
    expect(kind('theme')).toBe('choice');
    expect(kind('permissions.disableAutoMode')).toBe('choice');
    expect(kind('maxTurns')).toBe('number');
    expect(kind('model')).toBe('text');
    expect(kind('apiKey')).toBe('secret');
    expect(kind('permissions.allow')).toBe('json');
    expect(kind('statusLine')).toBe('json');
  });

  test('says what overrides a user’s file', async () => {
    await writeFile(join(root, '.clawdcode.json'), JSON.stringify({ vim: true }));
    const project = info(await load(), 'vim');
    expect([overrideOf(project, 'user'), overrideOf(project, 'local')]).toEqual([
      '.clawdcode.json overrides it here.',
      undefined,
    ]);
    const flag = info(await load({ maxTurns: 3 }), 'maxTurns');
    expect(overrideOf(flag, 'local')).toContain('--max-turns overrides it');
    const variable = info(await load({}, { OPENAI_MODEL: 'm' }), 'model');
    expect(overrideOf(variable, 'user')).toContain('The variable OPENAI_MODEL overrides it.');
    await mkdir(join(home, 'etc'), { mode: 0o755 });
    await writeFile(
      join(home, 'etc/managed-settings.json'),
      JSON.stringify({ maxTurns: 9, permissions: { deny: ['Bash'] } }),
      {
        mode: 0o644,
      },
    );
    const managed = info(await load({ maxTurns: 3 }), 'maxTurns');
    expect([isLocked(managed), overrideOf(managed, 'user')]).toEqual([
      true,
      expect.stringContaining('An administrator has set it'),
    ]);
    expect(isLocked(info(await load(), 'permissions.deny'))).toBe(false);
  });
});

describe('a typed value', () => {
  const read = async (key: string, text: string) => readValue(info(await load(), key), text);

  test.each([
    ['vim', 'on', true],
    ['vim', ' false ', false],
    ['theme', 'dark', 'dark'],
    ['maxTurns', '12', 12],
    ['maxTurns', 'null', null],
    ['contextWindow', '32_000', 32_000],
    ['model', 'gpt 5', 'gpt 5'],
    ['appendSystemPrompt', '', ''],
    ['permissions.deny', '["Bash(rm *)"]', ['Bash(rm *)']],
    ['context.compact.threshold', '0.7', 0.7],
  ])('%s %j', async (key, text, value) => {
    expect(await read(key, text)).toEqual({ value });
  });

  test.each([
    ['vim', 'maybe', 'true or false'],
    ['theme', 'drak', 'one of auto'],
    ['maxTurns', 'many', 'a number, or null'],
    ['maxTurns', '-1', 'maxTurns'],
    ['model', '', 'model'],
    ['baseUrl', 'nowhere', 'http'],
    ['permissions.deny', 'Bash(rm', 'JSON'],
    ['permissions.deny', '[""]', 'permissions.deny.0'],
  ])('%s does not accept %j', async (key, text, why) => {
    expect(await read(key, text)).toEqual({ problem: expect.stringContaining(why) });
  });

  test('an unknown name', async () => {
    const settings = listSettings(await load());
    expect(findSetting(settings, 'thme')).toContain('Did you mean theme?');
    expect(findSetting(settings, 'sandbox.network')).toContain('is a group: sandbox.network.allowedDomains');
    expect(findSetting(settings, 'env.PATH')).toContain('is a part of env');
  });
});

describe('saving', () => {
  test('keeps comments and everything else, and can remove the value again', async () => {
    await mkdir(dataRoot);
    await writeFile(userFile(), '{\n  // mine\n  "vim": true, // yes\n}\n');
    expect(await save('context.compact.threshold', 0.5)).toEqual({ type: 'saved', file: userFile() });
    const text = await readFile(userFile(), 'utf8');
    expect(text).toContain('// mine');
    expect(text).toContain('// yes');
    expect((await load()).settings.context.compact.threshold).toBe(0.5);
    await save('context.compact.threshold', undefined);
    expect((await load()).sources['context.compact.threshold']).toBeUndefined();
    const before = await readFile(userFile(), 'utf8');
    await save('theme', undefined);
    expect(await readFile(userFile(), 'utf8')).toBe(before);
  });

  test('a file with a syntax error is not changed', async () => {
    await mkdir(dataRoot);
    await writeFile(userFile(), '{ "vim": ');
    const saved = await save('theme', 'dark');
    expect(saved).toMatchObject({ type: 'refused', message: expect.stringContaining('Nothing was saved.') });
    expect(await readFile(userFile(), 'utf8')).toBe('{ "vim": ');
  });

  test('a setting that does not apply in a file is not written there', async () => {
    expect(await save('apiKey', 'sk-1', 'local')).toMatchObject({ type: 'refused' });
    expect(await save('permissions.auto.enabled', true, 'local')).toMatchObject({ type: 'refused' });
    expect(await save('permissions.auto.enabled', true)).toMatchObject({ type: 'saved' });
    expect(await save('allowManagedPermissionRulesOnly', true)).toMatchObject({ type: 'refused' });
    await symlink(join(home, 'other.json'), localFile());
    expect(await save('vim', true, 'local')).toMatchObject({ message: expect.stringContaining('is a link') });
  });

  test('for this project: the file is kept out of commits, and in a trusted folder needs no further approval', async () => {
    execFileSync('git', ['init', '--quiet', root]);
    await save('maxTurns', 4, 'local');
    expect(await readFile(join(root, '.git/info/exclude'), 'utf8')).toContain('.clawdcode.local.json');
    const held = info(await load(), 'maxTurns');
    expect([held.value, awaitsTrust(held, 'local')]).toEqual([null, true]);
    await trustFolder(dataRoot, root, [], () => new Date());
    await writeFile(join(root, '.clawdcode.json'), JSON.stringify({ maxTurns: 99 }));
    await save('maxTurns', 5, 'local');
    const loaded = await load();
    expect(loaded.settings.maxTurns).toBe(5);
    // Only this value was approved, not the repository's.
    expect(loaded.untrusted.map(({ file }) => file)).toEqual(['.clawdcode.json']);
  });
});
