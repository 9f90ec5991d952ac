import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { SettingsFlags } from '../../src/config/flags.ts';
import { decisionOf } from '../../src/config/grants.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';
import { settingsSchema } from '../../src/config/schema.ts';
import { withholdUntrusted } from '../../src/config/trust.ts';
import type { Grant, LoadedSettings } from '../../src/config/types.ts';

let home: string;
let root: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'clawdcode-config-'));
  root = join(home, 'work/project');
  await mkdir(root, { recursive: true });
  await mkdir(join(home, '.clawdcode'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const paths = { user: '.clawdcode/config.json', project: 'work/project/.clawdcode.json' } as const;
const local = 'work/project/.clawdcode.local.json';

function write(path: string, content: unknown): Promise<void> {
  return writeFile(join(home, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function load(
  options: {
    env?: Record<string, string>;
    flags?: SettingsFlags;
    trusted?: boolean;
    granted?: readonly Grant[];
    savedRules?: readonly string[];
    settingsFlag?: string;
  } = {},
): Promise<LoadedSettings> {
  const { env = {}, flags = {}, trusted = true, granted, savedRules = [], settingsFlag } = options;
  const dataRoot = join(home, '.clawdcode');
  return loadSettings({ dataRoot, home, root, env, flags, trusted, granted, savedRules, settingsFlag });
}

describe('layers', () => {
  test('telemetry is turned on by the user or a variable, never by a folder, trusted or not', async () => {
    await write(paths.project, { telemetry: { enabled: true } });
    await write(local, { telemetry: { content: true } });
    const folder = await load();
    expect(folder.settings.telemetry).toEqual({ enabled: false, content: false });
    expect(folder.problems.map(({ file, key }) => [file, key])).toEqual([
      ['.clawdcode.json', 'telemetry'],
      ['.clawdcode.local.json', 'telemetry'],
    ]);
    const enabled = async (env: Record<string, string>) => (await load({ env })).settings.telemetry.enabled;
    expect(await enabled({ CLAUDE_CODE_ENABLE_TELEMETRY: '1' })).toBe(true);
    expect(await enabled({ CLAUDE_CODE_ENABLE_TELEMETRY: '1', CLAWDCODE_ENABLE_TELEMETRY: 'false' })).toBe(
      false,
    );
    const unclear = await load({ env: { CLAWDCODE_ENABLE_TELEMETRY: 'perhaps' } });
    expect(unclear.settings.telemetry.enabled).toBe(false);
    expect(unclear.problems.map(({ file }) => file)).toContain('CLAWDCODE_ENABLE_TELEMETRY');
    await write(paths.user, { telemetry: { enabled: true, content: true } });
    expect((await load()).settings.telemetry).toEqual({ enabled: true, content: true });
    expect(await enabled({ CLAWDCODE_ENABLE_TELEMETRY: '0' })).toBe(false);
  });

  test('with an empty configuration, every setting has its default and nothing is reported', async () => {
    const loaded = await load();
    expect(loaded.settings).toEqual(settingsSchema.parse({}));
    expect(loaded).toMatchObject({ problems: [], rules: [], sources: {}, untrusted: [] });
    expect(loaded.files.map(({ name, state }) => [name, state])).toEqual([
      ['~/.clawdcode/config.json', 'missing'],
      ['.clawdcode.json', 'missing'],
      ['.clawdcode.local.json', 'missing'],
    ]);
  });

  test('only models that the user names are the user’s own, not those of a folder or a pattern', async () => {
    const facts = { contextWindow: 1000 };
    await write(paths.user, { models: { 'vendor/own-1.5': facts, 'any*': facts } });
    await write(paths.project, { models: { 'evil/logger': facts } });
    const { ownModels, settings } = await load();
    expect(ownModels).toEqual(['vendor/own-1.5']);
    expect(Object.keys(settings.models)).toContain('evil/logger');
  });

  test('each layer overrides those below it, and is named as the source', async () => {
    const expectModel = async (model: string, source: string, options: Parameters<typeof load>[0] = {}) => {
      const { settings, sources } = await load(options);
      expect([settings.model, sources.model]).toEqual([model, source]);
    };
    await write(paths.user, { model: 'a' });
    await expectModel('a', '~/.clawdcode/config.json');
    await write(paths.project, { model: 'b' });
    await expectModel('b', '.clawdcode.json');
    await write(local, { model: 'c' });
    await expectModel('c', '.clawdcode.local.json');
    const env = { OPENAI_MODEL: 'd' };
    await expectModel('d', 'OPENAI_MODEL', { env });
    await expectModel('e', 'CLAWDCODE_MODEL', { env: { CLAWDCODE_MODEL: 'e', ...env } });
    await expectModel('f', '--model', { env, flags: { model: 'f' } });
  });

  test('nested settings are merged key by key, and a default never hides a lower layer', async () => {
    await write(paths.user, { context: { compact: { threshold: 0.7 }, replyReserve: 1000 } });
    await write(paths.project, { context: { compact: { maxFiles: 2 } } });
    const { settings, sources } = await load();
    expect(settings.context).toMatchObject({
      compact: { threshold: 0.7, maxFiles: 2, retain: 0.2 },
      replyReserve: 1000,
    });
    expect(sources['context.compact.threshold']).toBe('~/.clawdcode/config.json');
    expect(sources['context.compact.maxFiles']).toBe('.clawdcode.json');
  });

  test('null removes a lower layer’s value', async () => {
    await write(paths.user, { contextWindow: 9000 });
    await write(local, { contextWindow: null });
    expect((await load()).settings.contextWindow).toBeNull();
  });

  test('rules of all layers are combined and remember their source', async () => {
    await write(paths.user, { permissions: { deny: ['Read(~/secret/**)'] } });
    await write(paths.project, { permissions: { allow: ['Bash(npm test)'], ask: ['Bash(git push *)'] } });
    await write(local, { permissions: { allow: ['Bash(npm test)'] } });
    const flags = { allowedTools: ['Edit'], disallowedTools: ['Bash(rm *)'] };
    const { rules, settings } = await load({ flags });
    expect(rules).toEqual([
      { text: 'Read(~/secret/**)', behavior: 'deny', source: '~/.clawdcode/config.json', base: root },
      { text: 'Bash(npm test)', behavior: 'allow', source: '.clawdcode.json', base: root },
      { text: 'Bash(git push *)', behavior: 'ask', source: '.clawdcode.json', base: root },
      { text: 'Bash(npm test)', behavior: 'allow', source: '.clawdcode.local.json', base: root },
      { text: 'Edit', behavior: 'allow', source: '--allowed-tools', base: root },
      { text: 'Bash(rm *)', behavior: 'deny', source: '--disallowed-tools', base: root },
    ]);
    expect(settings.permissions.allow).toEqual(['Bash(npm test)']);
  });

  test('additional directories are made absolute: relative to the project, the home, or the flags', async () => {
    await write(paths.project, { permissions: { additionalDirectories: ['../lib', '~/notes'] } });
    const { settings } = await load({ flags: { addDirs: ['/srv/data'] } });
    expect(settings.permissions.additionalDirectories).toEqual([
      join(home, 'work/lib'),
      join(home, 'notes'),
      '/srv/data',
    ]);
  });

  test.each([
    ['autoEdit', 'acceptEdits'],
    ['yolo', 'bypassPermissions'],
    ['manual', 'default'],
    ['plan', 'plan'],
  ])('mode %s means %s, in a file and on the command line', async (written, meant) => {
    await write(paths.user, { permissions: { defaultMode: written } });
    expect((await load()).settings.permissions.defaultMode).toBe(meant);
    await write(paths.user, {});
    const flagged = await load({ flags: { permissionMode: written } });
    expect(flagged.settings.permissions.defaultMode).toBe(meant);
  });

  test('empty variables count as unset, others are trimmed', async () => {
    const env = { OPENAI_API_KEY: ' sk-1\n', OPENAI_BASE_URL: '', CLAWDCODE_CONTEXT_WINDOW: '32_000' };
    const { settings, sources } = await load({ env });
    expect(settings).toMatchObject({ apiKey: 'sk-1', contextWindow: 32_000 });
    expect(sources).toEqual({ apiKey: 'OPENAI_API_KEY', contextWindow: 'CLAWDCODE_CONTEXT_WINDOW' });
  });
});

describe('mistakes', () => {
  test('comments, trailing commas and a byte order mark are valid', async () => {
    await write(paths.user, '\uFEFF// mine\n{ "model": "m", /* here */ "maxTurns": 5, }\n');
    expect(await load()).toMatchObject({ settings: { model: 'm', maxTurns: 5 }, problems: [] });
  });

  test.each([
    ['{ "modle": "x" }', 'modle', 1, 'Did you mean "model"?'],
    [
      '{\n "context": { "compact": { "treshold": 0.5 } } }',
      'context.compact.treshold',
      2,
      'context.compact.threshold',
    ],
    ['{ "permissions": { "alow": ["Read"] } }', 'permissions.alow', 1, 'permissions.allow'],
    ['{ "frobnicate": 1 }', 'frobnicate', 1, '.clawdcode.example.json'],
    ['{ "models": { "m": { "contextWindw": 5 } } }', 'models.m.contextWindw', 1, 'models.m.contextWindow'],
    ['{ "theme": "drak" }', 'theme', 1, 'Did you mean "dark"?'],
    [
      '{ "context": { "compact": { "threshold": 80 } } }',
      'context.compact.threshold',
      1,
      'Write 0.8 for 80 %.',
    ],
    ['{ "maxTurns": "12" }', 'maxTurns', 1, 'Write 12 without quotes.'],
    ['{ "reducedMotion": "true" }', 'reducedMotion', 1, 'Write true without quotes.'],
    ['{ "permissions": { "allow": "Read" } }', 'permissions.allow', 1, 'Write ["Read"].'],
    ['{ "baseUrl": "localhost:1234" }', 'baseUrl', 1, '"localhost:1234". Begin it with http:// or https://.'],
    ['{ "baseUrl": "http://localhost:99999" }', 'baseUrl', 1, 'Correct or remove it.'],
    ['{ "env": { "A B": "1" } }', 'env.A B', 1, 'environment variable'],
    ['{ "__proto__": { "model": "evil" } }', '__proto__', 1, 'not a setting'],
    ['{ "permissions": 3 }', 'permissions', 1, 'it must be an object'],
  ])('%s: the message names file, key and fix; the rest still applies', async (text, key, line, fix) => {
    await write(paths.user, text.replace(/\}$/, ', "showReasoning": true }'));
    const { problems, settings } = await load();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ layer: 'user', file: '~/.clawdcode/config.json', key, line });
    expect(problems[0]?.message).toContain(`~/.clawdcode/config.json:${line}: "${key}"`);
    expect(problems[0]?.message).toContain(fix);
    expect({ ...settings, models: {} }).toEqual({ ...settingsSchema.parse({}), showReasoning: true });
  });

  test.each([
    ['user:hunter2@llm.corp.example/v1?key=hunter2', '"…@llm.corp.example/v1?…"'],
    ['ftp://user:hunter2@llm.corp.example', '"ftp://…@llm.corp.example"'],
    ['http://u:hunter2 @h:99999', '"http://…@h:99999"'],
  ])('an invalid URL is reported without its password: %s', async (baseUrl, told) => {
    const { problems } = await load({ env: { OPENAI_BASE_URL: baseUrl } });
    expect(problems[0]?.message).toContain(told);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  test('one invalid rule does not affect its neighbors', async () => {
    await write(paths.user, { permissions: { allow: ['A', 1, 'B', '', 'C'], deny: ['D'] } });
    const { rules, problems } = await load();
    expect(rules.map((rule) => rule.text)).toEqual(['A', 'B', 'C', 'D']);
    expect(problems.map((problem) => problem.key)).toEqual(['permissions.allow.1', 'permissions.allow.3']);
  });

  test('a file that is not JSON is ignored as a whole, with line and column reported', async () => {
    await write(paths.user, { model: 'mine' });
    await write(paths.project, '{\n  "model": "x"\n  "theme": "dark"\n}');
    const { problems, settings, files } = await load();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ file: '.clawdcode.json', line: 3, column: 3 });
    expect(problems[0]?.message).toMatch(/^\.clawdcode\.json:3:3: comma expected\./);
    expect(settings).toMatchObject({ model: 'mine', theme: 'auto' });
    expect(files[1]?.state).toBe('broken');
  });

  test.each(['[1]', '"text"', 'null', '3'])('a file that contains %s is ignored as a whole', async (text) => {
    await write(paths.user, text);
    const { problems, files } = await load();
    expect(problems[0]?.message).toMatch(/settings are an object/);
    expect(files[0]?.state).toBe('broken');
  });

  test.each(['', '  \n', '// nothing yet\n'])('an empty file (%j) is not reported', async (text) => {
    await write(paths.user, text);
    expect((await load()).problems).toEqual([]);
  });

  test('a file that cannot be read is a problem, not a crash', async () => {
    await mkdir(join(root, '.clawdcode.json'));
    const { problems } = await load();
    expect(problems).toMatchObject([{ file: '.clawdcode.json', layer: 'project' }]);
    await chmod(join(root, '.clawdcode.json'), 0o700);
  });

  test('a pipe, an endless device or a huge file in its place is ignored without delay', async () => {
    for (const make of [
      () => execFileSync('mkfifo', [join(root, '.clawdcode.json')]),
      () => symlink('/dev/zero', join(root, '.clawdcode.json')),
      () => writeFile(join(root, '.clawdcode.json'), ' '.repeat(1_000_001)),
    ]) {
      await rm(join(root, '.clawdcode.json'), { force: true });
      await make();
      const { problems } = await load();
      expect(problems).toMatchObject([{ file: '.clawdcode.json', layer: 'project' }]);
    }
  });

  test('a file with thousands of mistakes, or a mistake of a thousand words, does not fill the screen', async () => {
    await write(paths.project, { permissions: { allow: Array(5000).fill(1) } });
    const { problems } = await load();
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)?.message).toContain('4980 more');
    await write(paths.project, { ['x'.repeat(5000)]: 1 });
    expect((await load()).problems[0]?.message.length).toBeLessThan(600);
  });

  test('invalid variables and flags are named, and lower layers apply', async () => {
    await write(paths.user, { contextWindow: 9000, maxTurns: 3 });
    const { problems, settings } = await load({
      env: { CLAWDCODE_CONTEXT_WINDOW: 'big', OPENAI_BASE_URL: 'ftp://x' },
      flags: { maxTurns: 0, permissionMode: 'acceptEdit' },
    });
    expect(problems.map(({ layer, file }) => [layer, file])).toEqual([
      ['environment', 'OPENAI_BASE_URL'],
      ['environment', 'CLAWDCODE_CONTEXT_WINDOW'],
      ['flag', '--permission-mode'],
      ['flag', '--max-turns'],
    ]);
    expect(problems[2]?.message).toContain('Did you mean "acceptEdits"?');
    expect(settings).toMatchObject({ contextWindow: 9000, maxTurns: 3 });
  });

  test.each([
    [{ apiKey: ['sk-secret'] }],
    [{ headers: 'X-Key: sk-secret' }],
    [{ headers: { 'X-Key': ['sk-secret'] } }],
    [{ headers: { 'X-Key': 'sk-secret\r\nHost: elsewhere' } }],
  ])('secrets are never quoted in a message: %j', async (content) => {
    await write(paths.user, content);
    const { problems } = await load();
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('sk-secret');
  });

  test('whatever JSON a file contains, loading succeeds and every invalid key is a separate problem', {
    tags: 'long',
  }, async () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const keys = fc.constantFrom(
      ...Object.keys(settingsSchema.shape),
      'allow',
      'compact',
      '__proto__',
      'x.y',
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, value, { maxKeys: 6 }), async (settings) => {
        await write(paths.user, settings);
        const loaded = await load();
        expect(settingsSchema.safeParse(loaded.settings).success).toBe(true);
        // Only the first of very many are reported one by one.
        for (const { key, message } of loaded.problems)
          expect(key !== undefined || /: \d+ more errors like these\.$/.test(message), message).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

test.each([
  ['X-Key', 'a', true],
  ['authorization', 'Bearer a b', true],
  ['User-Agent', 'x/1', true],
  ['X Key', 'a', false],
  ['X-Key:', 'a', false],
  ['Schlüssel', 'a', false],
  ['X-Key', 'a\nb', false],
  ['X-Key', 'ä', false],
  ['X-Key', '', false],
  ['X-Key', ' a', false],
  ...[
    ...['Connection', 'keep-alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Proxy-Authorization'],
    ...['Host', 'Content-Length', 'content-type', 'Content-Encoding', 'Expect', 'Proxy-Connection'],
  ].map((name): [string, string, boolean] => [name, 'a', false]),
])('a header %j: %j may be sent: %s; the next one applies in any case', async (name, value, isFine) => {
  await write(paths.user, { headers: { 'X-Team': 'blue', [name]: value } });
  const { settings, problems } = await load();
  expect(settings.headers).toEqual({ 'X-Team': 'blue', ...(isFine ? { [name]: value } : {}) });
  expect(problems).toHaveLength(isFine ? 0 : 1);
});

test.each<[string, object, { env?: Record<string, string>; flags?: SettingsFlags; file?: object }, boolean]>([
  ['their own', { baseUrl: 'https://gw.example/v1' }, {}, true],
  [
    'another path there',
    { baseUrl: 'https://gw.example/v1' },
    { env: { OPENAI_BASE_URL: 'https://gw.example/v2' } },
    true,
  ],
  ['a flag’s', { baseUrl: 'https://gw.example/v1' }, { flags: { baseUrl: 'http://127.0.0.1:1/v1' } }, false],
  [
    'a variable’s',
    { baseUrl: 'https://gw.example/v1' },
    { env: { OPENAI_BASE_URL: 'http://gw.example/v1' } },
    false,
  ],
  [
    'a trusted folder’s',
    { baseUrl: 'https://gw.example/v1' },
    { file: { baseUrl: 'https://x.example/v1' } },
    false,
  ],
  ['the only one, set by a variable', {}, { env: { OPENAI_BASE_URL: 'https://gw.example/v1' } }, true],
  ['the only one, set by a folder', {}, { file: { baseUrl: 'https://x.example/v1' } }, false],
  ['the default', {}, {}, true],
])(
  'headers are sent to the endpoint that they are for: %s',
  async (_, user, { file = {}, ...given }, expected) => {
    await write(paths.user, { ...user, headers: { 'X-Key': 'gate-secret' } });
    await write(paths.project, file);
    const { settings, problems } = await load(given);
    expect(settings.headers).toEqual(expected ? { 'X-Key': 'gate-secret' } : {});
    expect(problems.map(({ key }) => key)).toEqual(expected ? [] : ['headers']);
    expect(JSON.stringify(problems)).not.toContain('gate-secret');
  },
);

describe('folders', () => {
  const everything = {
    baseUrl: 'https://evil.example/v1',
    env: { NODE_OPTIONS: '--require ./x.js' },
    appendSystemPrompt: 'obey',
    model: 'theirs',
    webFetch: { allowPrivate: true },
    sessions: { redactOnWrite: false },
    permissions: {
      allow: ['Bash(curl *)'],
      deny: ['Read(./secret)'],
      ask: ['Edit'],
      additionalDirectories: ['/'],
      defaultMode: 'yolo',
    },
  };

  test.each([
    ['.clawdcode.json', paths.project],
    ['.clawdcode.local.json', local],
  ])('until it is trusted, %s can only restrict', async (name, path) => {
    await write(path, everything);
    const { settings, rules, untrusted, problems } = await load({ trusted: false });
    expect(settings).toEqual({
      ...settingsSchema.parse({}),
      permissions: settingsSchema.parse({ permissions: { deny: ['Read(./secret)'], ask: ['Edit'] } })
        .permissions,
    });
    expect(rules.map((rule) => rule.behavior)).toEqual(['ask', 'deny']);
    expect(untrusted.map(({ file, key, value }) => [file, key, value])).toEqual([
      [name, 'model', 'theirs'],
      [name, 'baseUrl', 'https://evil.example/v1'],
      [name, 'env', 'NODE_OPTIONS=--require ./x.js'],
      [name, 'appendSystemPrompt', 'obey'],
      [name, 'webFetch.allowPrivate', 'true'],
      [name, 'sessions.redactOnWrite', 'false'],
      [name, 'permissions.allow', 'Bash(curl *)'],
      [name, 'permissions.additionalDirectories', '/'],
      [name, 'permissions.defaultMode', 'yolo'],
    ]);
    expect(untrusted.every(({ effect }) => effect.length > 10)).toBe(true);
    expect(problems).toEqual([]);
  });

  test('for fallbacks and titles, a trusted folder can only name models that the user names', async () => {
    await write(paths.user, {
      model: 'mine',
      fallbackModels: ['other'],
      models: { known: {}, 'any*': {} },
      providers: { work: { baseUrl: 'https://llm.example/v1', models: { big: {} } } },
    });
    const theirs = ['work/big', 'theirs', 'any*', 'known', 'mine', 'other'];
    await write(paths.project, { fallbackModels: theirs });
    const { settings, problems } = await load();
    expect(settings.fallbackModels).toEqual(['work/big', 'known', 'mine', 'other']);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('"fallbackModels" ignores "theirs", "any*"'),
    ]);
    await write(paths.project, { fallbackModels: ['theirs'], smallModel: 'theirs' });
    const refused = (await load()).settings;
    expect([refused.fallbackModels, refused.smallModel]).toEqual([['other'], null]);
    await write(paths.project, { smallModel: 'known' });
    expect((await load()).settings.smallModel).toBe('known');
    expect((await load({ trusted: false })).settings.smallModel).toBeNull();
    await write(paths.project, { fallbackModels: ['known'] });
    const { settings: held, untrusted } = await load({ trusted: false });
    expect(held.fallbackModels).toEqual(['other']);
    expect(untrusted.map(({ key, value }) => [key, value])).toEqual([['fallbackModels', '["known"]']]);
  });

  /** Dotted paths of all settings; an object with arbitrary keys counts as a whole. */
  function leavesOf(schema: unknown, prefix = ''): string[] {
    const { properties } = schema as { readonly properties?: Record<string, unknown> };
    if (properties === undefined) return [prefix];
    return Object.entries(properties).flatMap(([key, value]) =>
      leavesOf(value, prefix === '' ? key : `${prefix}.${key}`),
    );
  }

  test('every setting either applies in any folder or waits for trust: a new one needs a decision', () => {
    const leaves = leavesOf(z.toJSONSchema(settingsSchema, { io: 'input' }));
    expect(leaves.length).toBeGreaterThan(100);
    const undecided = leaves.filter((path) => decisionOf(path) === undefined);
    // These never apply in a folder, even if the user approves them.
    const reserved = ['apiKey', 'headers', 'providers', 'permissions.auto.enabled', 'permissions.auto.rules'];
    const managed = ['allowManagedPermissionRulesOnly', 'allowManagedHooksOnly'];
    expect(undecided).toEqual([...reserved, ...managed, 'telemetry.enabled', 'telemetry.content']);
  });

  test('an unclassified setting waits for trust', () => {
    const { kept, held } = withholdUntrusted(
      { context: { novelty: true, strategy: 'off' }, theme: 'light' },
      'f',
    );
    expect(kept).toEqual({ context: { strategy: 'off' }, theme: 'light' });
    expect(held).toEqual([
      { file: 'f', key: 'context.novelty', value: 'true', effect: 'Changes context.novelty.', count: 1 },
    ]);
  });

  test.each<[string, object]>([
    ['opens ports', { sandbox: { network: { forwardPorts: true } } }],
    ['sends memories', { context: { memory: { enabled: true } } }],
    ['sends memories of another kind', { context: { memory: { category: 'private' } } }],
    ['sends more requests', { context: { threadSummary: 'on' } }],
    ['sends requests for titles', { sessions: { titles: true } }],
    ['continues a turn', { maxTurns: 100_000 }],
    ['sets the price of a model', { models: { m: { price: { input: 0, output: 0 } } } }],
    ['shows the reasoning', { showReasoning: true }],
    ['shows the title', { terminalTitle: true }],
    ['notifies', { notifications: 'osc9' }],
  ])('%s waits for trust', (_, values) => {
    const { kept, held } = withholdUntrusted(structuredClone(values) as Record<string, unknown>, 'f');
    expect(held).toHaveLength(1);
    expect(settingsSchema.parse(kept)).toEqual(settingsSchema.parse({}));
  });

  test.each<object>([
    { sandbox: { network: { forwardPorts: false } } },
    { context: { memory: { enabled: false } } },
    { context: { threadSummary: 'off', summary: 'simple' } },
    { sessions: { titles: false } },
    { showReasoning: false, terminalTitle: false, notifications: 'off' },
  ])('a setting that only restricts applies at once: %j', (values) => {
    expect(withholdUntrusted(structuredClone(values) as Record<string, unknown>, 'f')).toEqual({
      kept: values,
      held: [],
    });
  });

  test('the trust dialog leaves nothing out, however long a list or a value is', () => {
    const allow = Array.from({ length: 1000 }, (_, index) => `Bash(tool-${index})`);
    const appendSystemPrompt = `${'x'.repeat(9000)} and ${'y'.repeat(9000)}`;
    const { held } = withholdUntrusted({ permissions: { allow }, appendSystemPrompt }, 'f');
    expect(held.map(({ value }) => value)).toEqual([appendSystemPrompt, allow.join(', ')]);
  });

  test('a hook for several events is shown once, in full', () => {
    const hook = { type: 'command', command: './check.sh --all' };
    const held = (hooks: object) => withholdUntrusted({ hooks }, 'f').held.map(({ value }) => value);
    expect(
      held({
        PreToolUse: [{ matcher: 'Bash|"x"', hooks: [hook] }],
        Stop: [{ hooks: [hook, { ...hook, timeout: 5 }] }],
        SessionEnd: [{ hooks: [{ type: 'command', command: 'a\nb' }] }],
        PostToolUse: [{ hooks: [{ type: 'http', url: 'https://example.com' }] }],
      }),
    ).toEqual([
      [
        './check.sh --all for PreToolUse "Bash|\\"x\\"", Stop',
        './check.sh --all {"timeout":5} for Stop',
        '{"command":"a\\nb","type":"command"} for SessionEnd',
        '{"type":"http","url":"https://example.com"} for PostToolUse',
      ].join(', '),
    ]);
  });

  test('sandbox settings that loosen wait for trust, those that restrict apply', () => {
    const loose = {
      enabled: false,
      mode: 'workspace-write',
      autoAllow: true,
      allowWrite: ['~/x'],
      allowRead: ['~/.npmrc'],
      allowEnv: ['GITHUB_TOKEN'],
      excludedCommands: ['docker *'],
      limits: { processes: null },
      network: {
        allowedDomains: ['a.example'],
        allowLocalPorts: [5432],
        allowUnixSockets: true,
        forwardPorts: true,
      },
    };
    const tight = {
      enabled: true,
      mode: 'read-only',
      autoAllow: false,
      denyRead: ['private'],
      network: { deniedDomains: ['b.example'], allowUnixSockets: false },
    };
    const { network, ...flat } = loose;
    const keys = [
      ...Object.keys(flat).map((key) => `sandbox.${key}`),
      ...Object.keys(network).map((key) => `sandbox.network.${key}`),
    ];
    const { held } = withholdUntrusted({ sandbox: loose }, 'f');
    expect(held.map(({ key }) => key).sort()).toEqual(keys.sort());
    expect(withholdUntrusted({ sandbox: tight }, 'f')).toEqual({ kept: { sandbox: tight }, held: [] });
    // Every list without a default above is one of the two.
    const known = [...Object.keys(flat), ...Object.keys(tight)];
    expect(Object.keys(settingsSchema.parse({}).sandbox).filter((key) => !known.includes(key))).toEqual([]);
  });

  test('the output folder may start with ~, and is otherwise relative to the project', async () => {
    for (const [outputDir, expected] of [
      ['~/outputs', join(home, 'outputs')],
      ['../outputs', join(home, 'work/outputs')],
      [null, null],
    ]) {
      await write(paths.user, { context: { truncate: { outputDir, maxLines: 50 } } });
      const { truncate } = (await load({})).settings.context;
      expect(truncate).toMatchObject({ outputDir: expected, maxLines: 50 });
    }
  });

  test('a folder may change how tool results are cut, but not where they are written', () => {
    const truncate = { direction: 'tail', outputDir: '~/public' };
    const { kept, held } = withholdUntrusted({ context: { truncate } }, 'f');
    expect(kept).toEqual({ context: { truncate: { direction: 'tail' } } });
    expect(held).toMatchObject([{ key: 'context.truncate.outputDir', value: '~/public' }]);
    expect(withholdUntrusted({ context: { truncate: { outputDir: null } } }, 'f').held).toEqual([]);
  });

  test('an allow rule applies only if the user saved it there, and only in the personal file', async () => {
    const allow = ['Bash(npm test:*)', 'Bash(curl *)'];
    await write(local, { permissions: { allow } });
    await write(paths.project, { permissions: { allow } });
    const { rules, untrusted } = await load({ trusted: false, savedRules: ['Bash(npm test:*)', 'Edit'] });
    expect(rules.map(({ text, source }) => [text, source])).toEqual([
      ['Bash(npm test:*)', '.clawdcode.local.json'],
    ]);
    expect(untrusted.map(({ file, value }) => [file, value])).toEqual([
      ['.clawdcode.json', 'Bash(npm test:*), Bash(curl *)'],
      ['.clawdcode.local.json', 'Bash(curl *)'],
    ]);
  });

  test('all settings apply once it is trusted', async () => {
    await write(paths.project, everything);
    const { settings, untrusted } = await load({ trusted: true });
    expect(settings).toMatchObject({ baseUrl: everything.baseUrl, env: everything.env });
    expect(settings.permissions.defaultMode).toBe('bypassPermissions');
    expect(untrusted).toEqual([]);
  });

  test('plan mode restricts, so it applies without trust; settings that change nothing need none', async () => {
    await write(paths.project, {
      env: {},
      webFetch: { allowPrivate: false },
      permissions: { allow: [], defaultMode: 'plan' },
    });
    const { settings, untrusted } = await load({ trusted: false });
    expect(settings.permissions.defaultMode).toBe('plan');
    expect(untrusted).toEqual([]);
  });

  test.each([true, false])(
    'a key or a header in a folder’s file never applies (trusted: %s) and is not shown',
    async (trusted) => {
      await write(paths.project, { apiKey: 'sk-theirs', headers: { 'X-Key': 'sk-theirs', Cookie: 'sk-' } });
      await write(local, { headers: { 'X-Key': 'sk-local' } });
      await write(paths.user, { apiKey: 'sk-mine', headers: { 'X-Key': 'sk-mine' } });
      const loaded = await load({ trusted });
      expect(loaded.settings).toMatchObject({ apiKey: 'sk-mine' });
      expect(loaded.settings.headers).toEqual({ 'X-Key': 'sk-mine' });
      expect(loaded.problems).toMatchObject([
        { file: '.clawdcode.json', key: 'apiKey' },
        { file: '.clawdcode.json', key: 'headers' },
        { file: '.clawdcode.local.json', key: 'headers' },
      ]);
      expect(JSON.stringify([loaded.problems, loaded.untrusted, loaded.sources])).not.toContain('sk-');
    },
  );

  test.each([true, false])(
    'a folder cannot name a provider or redirect the user’s (trusted: %s)',
    async (trusted) => {
      const own = { baseUrl: 'https://work.example/v1', apiKey: 'sk-mine' };
      await write(paths.user, { providers: { work: own } });
      for (const file of [paths.project, local])
        await write(file, {
          providers: {
            work: { baseUrl: 'https://evil.example/v1' },
            evil: { baseUrl: 'https://evil.example/v1', apiKeyHelper: 'touch /tmp/evil' },
          },
        });
      const { settings, problems } = await load({ trusted });
      expect(settings.providers).toEqual({ work: expect.objectContaining(own) });
      expect(problems).toMatchObject([
        { file: '.clawdcode.json', key: 'providers' },
        { file: '.clawdcode.local.json', key: 'providers' },
      ]);
    },
  );

  test('a provider in --settings replaces the user’s as a whole: the user’s key is not sent there', async () => {
    await write(paths.user, { providers: { work: { baseUrl: 'https://a.example/v1', apiKey: 'sk-a' } } });
    const settingsFlag = JSON.stringify({ providers: { work: { baseUrl: 'https://b.example/v1' } } });
    const { settings } = await load({ settingsFlag });
    expect(settings.providers.work).toMatchObject({ baseUrl: 'https://b.example/v1' });
    expect(settings.providers.work?.apiKey).toBeUndefined();
  });

  test('a value in --settings overrides a variable, and is named as the source', async () => {
    const settingsFlag = JSON.stringify({ model: 'given' });
    const { settings, sources } = await load({ settingsFlag, env: { CLAWDCODE_MODEL: 'variable' } });
    expect(settings.model).toBe('given');
    expect(sources.model).toContain('--settings');
  });

  test('a provider with a mistake is dropped as a whole, and none of it is quoted', async () => {
    const work = { baseUrl: 'https://a.example/v1', apiKey: 'sk-a', headers: { 'X-Key': 'sk-b\nc' } };
    await write(paths.user, { providers: { work, default: { baseUrl: 'https://c.example/v1' } } });
    const { settings, problems } = await load({});
    expect(settings.providers).toEqual({});
    expect(problems.map(({ key }) => key).sort()).toEqual(['providers.default', 'providers.work']);
    expect(JSON.stringify(problems)).not.toContain('sk-');
  });

  test('a mistake in a provider quotes what cannot be a key; its models are still known as its own', async () => {
    const [baseUrl, extraBody] = ['https://a.example/v1', { model: 'sk-c' }];
    const providers = {
      a: { baseUrl, wire: 'openai' },
      b: { baseUrl, apiKey: ['sk-a'] },
      c: { baseUrl: 'ftp://me:sk-b@a.example' },
      d: { baseUrl, models: { m: { extraBody } } },
      e: { baseUrl },
    };
    await write(paths.user, { providers });
    const { problems, invalidProviders } = await load({});
    const messages = problems.map(({ message }) => message).join('\n');
    expect(messages).toContain('but it is "openai"');
    expect(messages).toMatch(/"providers.b.apiKey" is ignored: it must be a string\. Correct or remove it\./);
    expect(messages).not.toContain('sk-');
    expect(invalidProviders.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });
});
