import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { readHooks } from '../../src/config/hooks.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';
import type { Grant, LoadedSettings } from '../../src/config/types.ts';

let home: string;
let root: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-hooks-')));
  root = join(home, 'project');
  await mkdir(root);
  onTestFinished(() => rm(home, { recursive: true, force: true }));
});

const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const group = (command: string, matcher?: string) => ({
  ...(matcher && { matcher }),
  hooks: [hook(command)],
});
const write = (file: string, settings: unknown): Promise<void> =>
  writeFile(join(home, file), JSON.stringify(settings));

function load(
  given: { trusted?: boolean; granted?: readonly Grant[]; managed?: boolean; flag?: object } = {},
): Promise<LoadedSettings> {
  const { trusted = true, granted, managed = false, flag } = given;
  return loadSettings({
    ...{
      dataRoot: home,
      home,
      root,
      env: {},
      flags: { allowedTools: [], disallowedTools: [], addDirs: [] },
      trusted,
    },
    ...(granted && { granted }),
    ...(flag && { settingsFlag: JSON.stringify(flag) }),
    managed: { folder: managed ? join(home, 'managed') : '/nonexistent', ownerUid: process.getuid?.() ?? 0 },
  });
}

const shown = ({ hooks }: LoadedSettings): unknown[] =>
  hooks.map(({ hook: one, source, ignored }) => [
    one.type === 'command' ? one.command : one.type === 'http' ? one.url : one.type,
    source,
    ...(ignored === undefined ? [] : [ignored]),
  ]);

test('hooks of all layers are combined, each with its file', async () => {
  await write('config.json', { hooks: { Stop: [group('user')] } });
  await write('project/.clawdcode.json', { hooks: { Stop: [group('project')] } });
  await write('project/.clawdcode.local.json', { hooks: { Stop: [group('local')] } });
  expect(shown(await load())).toEqual([
    ['user', '~/config.json'],
    ['project', '.clawdcode.json'],
    ['local', '.clawdcode.local.json'],
  ]);
});

test('hooks in --settings run, even in an untrusted folder; omitted fields are not mistakes', async () => {
  await write('config.json', { hooks: { Stop: [group('user')] } });
  const flag = { hooks: { Stop: [group('given')], Elicitation: [group('later')] } };
  const loaded = await load({ trusted: false, flag });
  expect(shown(loaded)).toEqual([
    ['user', '~/config.json'],
    ['given', '--settings'],
  ]);
  expect(loaded.problems).toMatchObject([
    { layer: 'flag', isLeftOut: true, message: expect.stringContaining('Elicitation') },
  ]);
  const mistaken = await load({ flag: { hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } } });
  expect(mistaken.problems.map(({ layer, isLeftOut }) => [layer, isLeftOut])).toEqual([['flag', undefined]]);
});

test('each hook of a folder is one grant, by its content', async () => {
  await write('project/.clawdcode.json', {
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook('one'), hook('two', { timeout: 5 })] }] },
    disableAllHooks: true,
  });
  const before = await load({ trusted: false });
  expect(before.grants).toEqual([
    {
      kind: 'hooks',
      text: 'PreToolUse "Bash" {"command":"one","type":"command"}',
      source: '.clawdcode.json',
    },
    {
      kind: 'hooks',
      text: 'PreToolUse "Bash" {"command":"two","timeout":5,"type":"command"}',
      source: '.clawdcode.json',
    },
    { kind: 'disableAllHooks', text: 'true', source: '.clawdcode.json' },
  ]);
  expect(before.settings.disableAllHooks).toBe(false);
  expect(before.hooks.map(({ ignored }) => ignored)).toEqual([
    expect.stringContaining('not trusted'),
    expect.stringContaining('not trusted'),
  ]);
  const some = await load({ granted: before.grants.slice(0, 1) });
  expect(some.hooks.map(({ ignored }) => ignored)).toEqual([
    undefined,
    expect.stringContaining('not approved'),
  ]);
  expect(some.untrusted).toMatchObject([{ key: 'hooks', count: 1 }, { key: 'disableAllHooks' }]);
});

test('a folder turns hooks back on that the user turned off only with approval', async () => {
  await write('config.json', { disableAllHooks: true, hooks: { Stop: [{ hooks: [hook('mine')] }] } });
  await write('project/.clawdcode.json', { disableAllHooks: false });
  const held = await load({ granted: [] });
  expect(held.hooks.map(({ ignored }) => ignored)).toEqual(['disableAllHooks is set']);
  expect(held.grants).toEqual([{ kind: 'disableAllHooks', text: 'false', source: '.clawdcode.json' }]);
  const granted = await load({ granted: held.grants });
  expect(granted.hooks.map(({ ignored }) => ignored)).toEqual([undefined]);
});

test('unsupported hooks are named once, and a mistake disables only its hook', () => {
  const { hooks, problems } = readHooks(
    {
      Unheard: [group('x')],
      WorktreeCreate: [group('x')],
      Stop: [
        { hooks: [{ type: 'poem', prompt: 'p' }, { type: 'dance' }, hook('kept')] },
        { matcher: 5, hooks: [hook('lost')] },
        { hooks: [{ type: 'command' }, { type: 'http', url: 'ftp://x' }, 'text'] },
        { hooks: [hook('slow', { timeout: '5' }), { command: 'of no type' }] },
        'text',
      ],
    },
    'user',
    'config.json',
  );
  expect(hooks.map(({ hook: one }) => one.type === 'command' && one.command)).toEqual(['kept']);
  const messages = problems.map(({ message }) => message);
  expect(messages.filter((message) => message.includes('never run'))).toEqual([
    'config.json: hooks for WorktreeCreate never run: ClawdCode does not support these Claude Code events.',
    'config.json: hooks for Unheard never run: there is no such event.',
    'config.json: hooks of type "poem", "dance" are not supported and never run.',
  ]);
  const ignored = messages.filter((message) => message.includes('is ignored'));
  expect(ignored.map((message) => message.replace('config.json: a hook for Stop is ignored: ', ''))).toEqual([
    'its matcher must be a text of at most 2000 characters.',
    'it has no "command".',
    'its "url" must be an address that begins with http:// or https://.',
    'it must be an object such as {"type": "command", "command": "…"}.',
    'its "timeout" must be a number of seconds above 0.',
  ]);
});

test('hooks decided by a model, an agent or a server are read', () => {
  const { hooks, problems } = readHooks(
    {
      Stop: [
        {
          hooks: [
            { type: 'prompt', prompt: 'p', model: 'm', timeout: 5 },
            { type: 'agent', prompt: 'q' },
          ],
        },
      ],
      PostToolUse: [{ hooks: [{ type: 'prompt', prompt: 'p', continueOnBlock: true }] }],
      SessionStart: [{ hooks: [{ type: 'mcp_tool', server: 's', tool: 't', input: { a: 1 } }] }],
      Notification: [{ hooks: [{ type: 'prompt', prompt: 'p' }] }],
    },
    'user',
    'config.json',
  );
  expect(hooks.map(({ hook: { event: _, matcher: __, ...rest } }) => rest)).toEqual([
    { type: 'prompt', prompt: 'p', model: 'm', timeoutSeconds: 5 },
    { type: 'agent', prompt: 'q' },
    { type: 'prompt', prompt: 'p', continuesOnBlock: true },
    { type: 'mcp_tool', server: 's', tool: 't', arguments: { a: 1 } },
  ]);
  expect(problems.map(({ message }) => message)).toEqual([
    'config.json: a hook for Notification is ignored: a model cannot decide about Notification.',
  ]);
});

test('the options of a hook are read, and unknown ones are not mistakes', () => {
  const options = {
    timeout: 1e9,
    async: true,
    once: true,
    if: 'Bash(git *)',
    onFailure: 'block',
    statusMessage: 'x',
  };
  const { hooks, problems } = readHooks(
    { PreToolUse: [{ matcher: null, hooks: [hook('c', options)] }] },
    'user',
    'config.json',
  );
  expect(problems).toEqual([]);
  expect(hooks[0]?.hook).toEqual({
    ...{ type: 'command', event: 'PreToolUse', matcher: '', command: 'c', rule: 'Bash(git *)' },
    ...{ timeoutSeconds: 3600, isAsync: true, isOnce: true, blocksOnFailure: true },
  });
});

test('managed settings add hooks that cannot be turned off, and may allow only their own', async () => {
  await write('config.json', {
    hooks: { Stop: [group('user')] },
    disableAllHooks: true,
    allowManagedHooksOnly: true,
  });
  await mkdir(join(home, 'managed/managed-settings.d'), { recursive: true, mode: 0o755 });
  const set = (name: string, settings: unknown) =>
    writeFile(join(home, 'managed/managed-settings.d', name), JSON.stringify(settings), { mode: 0o644 });
  await set('a.json', { hooks: { Stop: [group('admin')] } });
  await set('b.json', { hooks: { Stop: [group('admin too')] } });
  const off = await load({ managed: true });
  expect(off.settings.allowManagedHooksOnly).toBe(false);
  expect(off.hooks.map(({ ignored }) => ignored)).toEqual(['disableAllHooks is set', undefined, undefined]);
  expect(off.hooks.at(-1)?.source).toContain('managed settings');
  await write('config.json', { hooks: { Stop: [group('user')] } });
  await set('c.json', { allowManagedHooksOnly: true });
  expect((await load({ managed: true })).hooks[0]?.ignored).toContain('only their own');
  await set('d.json', { hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } });
  await expect(load({ managed: true })).rejects.toThrow('a hook for Stop is ignored');
});
