import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSettings } from '../../../src/config/loadSettings.ts';
import type { Grant, LoadedSettings } from '../../../src/config/types.ts';

let home: string;
let root: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'clawdcode-claude-'));
  root = join(home, 'work');
  await mkdir(root);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const files = {
  user: '.claude/settings.json',
  project: 'work/.claude/settings.json',
  local: 'work/.claude/settings.local.json',
} as const;

async function write(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function load(
  options: {
    trusted?: boolean;
    granted?: readonly Grant[];
    savedRules?: readonly string[];
    in?: string;
  } = {},
): Promise<LoadedSettings> {
  const { trusted = true, granted, savedRules = [], in: folder } = options;
  const dataRoot = join(home, '.clawdcode');
  const at = folder ?? root;
  return loadSettings({ dataRoot, home, root: at, env: {}, flags: {}, trusted, granted, savedRules });
}

describe('layers', () => {
  test('our file of a scope overrides Claude Code’s, which overrides every lower scope', async () => {
    const mode = async (): Promise<unknown> => {
      const { settings, sources } = await load();
      return [settings.permissions.defaultMode, sources['permissions.defaultMode']];
    };
    const set = (path: string, defaultMode: string) => write(path, { permissions: { defaultMode } });
    await set(files.user, 'plan');
    expect(await mode()).toEqual(['plan', '~/.claude/settings.json']);
    await set('.clawdcode/config.json', 'default');
    expect(await mode()).toEqual(['default', '~/.clawdcode/config.json']);
    await set(files.project, 'acceptEdits');
    expect(await mode()).toEqual(['acceptEdits', '.claude/settings.json']);
    await set('work/.clawdcode.json', 'plan');
    expect(await mode()).toEqual(['plan', '.clawdcode.json']);
    await set(files.local, 'dontAsk');
    expect(await mode()).toEqual(['dontAsk', '.claude/settings.local.json']);
    await set('work/.clawdcode.local.json', 'plan');
    expect(await mode()).toEqual(['plan', '.clawdcode.local.json']);
  });

  test('rules keep their source file; variables and directories are read', async () => {
    await write(files.user, { permissions: { deny: ['Read(./.env)'] }, env: { A: '1', N: 3, B: true } });
    await write(files.project, {
      permissions: { allow: ['Bash(npm test)'], additionalDirectories: ['../lib', '~/notes'] },
    });
    const { settings, rules, problems } = await load();
    expect(problems).toEqual([]);
    expect(settings.env).toEqual({ A: '1', N: '3', B: 'true' });
    expect(settings.permissions.additionalDirectories).toEqual([join(home, 'lib'), join(home, 'notes')]);
    expect(rules).toEqual([
      { text: 'Read(.env)', behavior: 'deny', source: '~/.claude/settings.json', base: root },
      { text: 'Bash(npm test)', behavior: 'allow', source: '.claude/settings.json', base: root },
    ]);
  });

  test('"/x" in the user’s file is relative to it, and in a deny rule also to the project', async () => {
    await write(files.user, { permissions: { deny: ['Read(/notes/**)'], allow: ['Edit(/notes/**)'] } });
    const { rules } = await load();
    expect(rules.map(({ behavior, base }) => [behavior, base])).toEqual([
      ['allow', join(home, '.claude')],
      ['deny', join(home, '.claude')],
      ['deny', root],
    ]);
  });

  test('a missing file is not listed, an existing one is', async () => {
    await write(files.local, {});
    const { files: found } = await load();
    expect(found.filter(({ isForeign }) => isForeign).map(({ name, state }) => [name, state])).toEqual([
      ['.claude/settings.local.json', 'loaded'],
    ]);
  });

  test('in the home folder, the user’s file is read once, as the user’s', async () => {
    await write(files.user, { permissions: { allow: ['Bash(npm test)'] } });
    const { rules, untrusted } = await load({ trusted: false, in: home });
    expect(rules.map(({ source }) => source)).toEqual(['~/.claude/settings.json']);
    expect(untrusted).toEqual([]);
  });
});

describe('trust', () => {
  const content = {
    permissions: {
      allow: ['Bash(npm *)'],
      ask: ['Bash(git push *)'],
      deny: ['Read(./.env)'],
      defaultMode: 'acceptEdits',
      disableBypassPermissionsMode: 'disable',
      additionalDirectories: ['/srv'],
    },
    env: { NODE_OPTIONS: '--require /tmp/x.js' },
  };

  test.each(['project', 'local'] as const)(
    'the %s file restricts at once, and loosens only once approved',
    async (layer) => {
      await write(files[layer], content);
      const before = await load({ trusted: false });
      expect(before.rules.map(({ behavior, text }) => [behavior, text])).toEqual([
        ['ask', 'Bash(git push *)'],
        ['deny', 'Read(.env)'],
      ]);
      expect(before.settings).toMatchObject({ env: {}, permissions: { defaultMode: 'default' } });
      expect(before.refusedModes.bypassPermissions).toContain('.claude/settings');
      expect(before.untrusted.map(({ key }) => key).sort()).toEqual([
        'env',
        'permissions.additionalDirectories',
        'permissions.allow',
        'permissions.defaultMode',
      ]);
      const after = await load({ granted: before.grants });
      expect(after.untrusted).toEqual([]);
      expect(after.settings.env).toEqual(content.env);
      await write(files[layer], { ...content, env: { NODE_OPTIONS: '--require /tmp/y.js' } });
      const changed = await load({ granted: before.grants });
      expect(changed.untrusted).toMatchObject([{ key: 'env', value: 'NODE_OPTIONS=--require /tmp/y.js' }]);
      expect(changed.settings.env).toEqual({});
    },
  );

  test('a rule saved in our own local file does not approve the same rule in Claude Code’s', async () => {
    await write(files.local, { permissions: { allow: ['Bash(npm *)'] } });
    const { rules } = await load({ trusted: false, savedRules: ['Bash(npm *)'] });
    expect(rules).toEqual([]);
  });

  test('none of them can set mode auto', async () => {
    for (const path of Object.values(files)) await write(path, { permissions: { defaultMode: 'auto' } });
    const { settings, unsupported, problems } = await load();
    expect([settings.permissions.defaultMode, problems]).toEqual(['default', []]);
    expect(unsupported.map(({ names }) => names)).toEqual(
      Array.from({ length: 3 }, () => ['permissions.defaultMode auto']),
    );
  });
});

describe('mistakes', () => {
  test.each([
    ['{ "permissions": ', /settings\.json:1:\d+: .*do not protect anything either/],
    ['[]', /settings are an object/],
    [
      '{"permissions":{"deny":"Read(.env"}}',
      /the deny rule "Read\(\.env": its parentheses do not match.*Read/,
    ],
    ['{"permissions":{"deny":[5,"Read(.env)"]}}', /permissions\.deny\.0/],
    ['{"permissions":[]}', /"permissions" is ignored/],
    ['{"env":{"A B":"x"}}', /env\.A B/],
  ])('%s is reported, and the program starts', async (content, message) => {
    await write(files.project, content);
    const { problems, misread, settings } = await load();
    expect(problems[0]?.message).toMatch(message);
    expect(problems[0]?.file).toBe('.claude/settings.json');
    expect([misread, settings.permissions.defaultMode]).toEqual([undefined, 'default']);
  });

  test('a folder in place of a file is reported', async () => {
    await mkdir(join(home, files.project), { recursive: true });
    expect((await load()).problems).toMatchObject([{ message: expect.stringContaining('cannot be read') }]);
  });

  test('a deny rule that cannot be translated is reported at every start, and denies more', async () => {
    await write(files.user, { permissions: { deny: ['mcp__db__drop_*'], allow: ['Nonsense(x)'] } });
    const { rules, problems, unsupported } = await load();
    expect(rules).toMatchObject([{ behavior: 'deny', text: 'mcp__db' }]);
    expect(problems).toMatchObject([{ message: expect.stringMatching(/mcp__db__drop_\*.*more is denied/) }]);
    expect(unsupported).toMatchObject([{ names: ['Nonsense(x)'] }]);
  });

  test('settings without effect are named, and unusual names only counted', async () => {
    await write(files.project, {
      model: 'opus',
      includeCoAuthoredBy: false,
      permissions: { other: 1 },
      enableAllProjectMcpServers: true,
      'a\u001b[31mb': 1,
    });
    const { unsupported } = await load();
    expect(unsupported).toMatchObject([
      {
        file: '.claude/settings.json',
        names: [
          'model',
          'includeCoAuthoredBy',
          'permissions.other',
          'enableAllProjectMcpServers',
          '1 with unusual names',
        ],
      },
    ]);
  });
});

describe('servers in .mcp.json', () => {
  const shared = { mcpServers: { docs: { command: 'docs' }, db: { command: 'db' } } };
  beforeEach(() => write('work/.mcp.json', shared));

  test('a disabled one is not used, even in an untrusted folder', async () => {
    await write(files.project, { disabledMcpjsonServers: ['db'] });
    const { servers } = await load();
    expect(servers.map(({ name }) => name)).toEqual(['docs']);
    expect((await load({ trusted: false })).heldServers).toEqual(['docs']);
  });

  test('the user’s own file can enable them; a repository’s cannot', async () => {
    await write(files.project, { enableAllProjectMcpServers: true });
    await write(files.local, { enabledMcpjsonServers: ['docs'] });
    expect((await load()).enabledServers).toEqual([]);
    await write(files.user, { enabledMcpjsonServers: ['docs'] });
    expect((await load()).enabledServers).toEqual(['docs']);
    await write(files.user, { enableAllProjectMcpServers: true });
    expect((await load()).enabledServers).toEqual(['docs', 'db']);
    expect((await load({ trusted: false })).enabledServers).toEqual([]);
  });

  test('one that is enabled by its name is approved with its definition, and waits for trust again when that changes', async () => {
    await write(files.user, { enabledMcpjsonServers: ['docs'] });
    const { grants } = await load();
    expect(grants.filter(({ kind }) => kind === 'mcpServers').map(({ text }) => text)).toEqual([
      'you are asked about each before it is used.',
      'docs, used without another question because your ~/.claude/settings.json enables it: {"command":"docs"}',
    ]);
    expect(await load({ granted: grants })).toMatchObject({
      untrusted: [],
      heldServers: [],
      enabledServers: ['docs'],
    });
    await write('work/.mcp.json', { mcpServers: { ...shared.mcpServers, docs: { command: 'evil' } } });
    const changed = await load({ granted: grants });
    expect(changed).toMatchObject({ heldServers: ['docs'], enabledServers: [] });
    expect(changed.servers.map(({ name }) => name)).toEqual(['db']);
    expect(changed.untrusted.map(({ value }) => value)).toEqual([expect.stringContaining('evil')]);
  });
});
