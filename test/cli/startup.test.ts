import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findModelAccess } from '../../src/cli/startup.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';

/** Files, by their text or their contents. */
interface Given {
  /** The user's own file. */
  readonly config?: object | string;
  readonly env?: Readonly<Record<string, string>>;
  readonly baseUrl?: string;
  /** The file of the folder. */
  readonly folder?: object | string;
  /** Whether the folder is trusted; default true. */
  readonly trusted?: boolean;
}

const key = { OPENAI_API_KEY: 'sk-of-mine' };

async function accessWith(given: Given, demo = false) {
  const { config = {}, env = {}, baseUrl, folder, trusted = true } = given;
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-startup-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const [dataRoot, root] = [join(base, 'data'), join(base, 'folder')];
  await mkdir(dataRoot);
  await mkdir(root);
  const write = (file: string, content: object | string): Promise<void> =>
    writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  await write(join(dataRoot, 'config.json'), config);
  if (folder !== undefined) await write(join(root, '.clawdcode.json'), folder);
  const flags = { baseUrl };
  const loaded = await loadSettings({
    dataRoot,
    home: base,
    root,
    env: { ...key, ...env },
    flags,
    trusted,
  });
  return findModelAccess(loaded, demo, async () => ({ ids: ['first'] }));
}

describe('an invalid base URL', () => {
  test.each<readonly [string, Given]>([
    ['a variable without http', { env: { OPENAI_BASE_URL: 'localhost:11434/v1' } }],
    ['another scheme in the user’s file', { config: { baseUrl: 'ftp://llm.corp.example/v1' } }],
    ['a flag', { baseUrl: 'nonsense' }],
    ['a file of a trusted folder', { folder: { baseUrl: 'nonsense' } }],
  ])('does not send the conversation and a key to the default instead: %s', async (_where, given) => {
    expect(await accessWith(given)).toMatchObject({ type: 'missing', problem: { key: 'baseUrl' } });
    expect((await accessWith(given, true)).type).toBe('ready');
  });

  test('does not affect one that is set elsewhere', async () => {
    const config = { baseUrl: 'http://llm.corp.example/v1' };
    const access = await accessWith({ config, env: { OPENAI_BASE_URL: 'localhost:11434/v1' } });
    expect(access).toMatchObject({ type: 'ready', model: 'first' });
  });

  test('in an untrusted folder does not prevent work there', async () => {
    expect((await accessWith({ folder: { baseUrl: 'nonsense' }, trusted: false })).type).toBe('ready');
  });

  test('is found among any number of other mistakes', async () => {
    const others = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`wrong${index}`, 1]));
    const access = await accessWith({ config: { ...others, baseUrl: 'nonsense' } });
    expect(access).toMatchObject({ type: 'missing', problem: { key: 'baseUrl' } });
  });
});

describe('a misspelt "baseUrl"', () => {
  test.each(['baseURL', 'base_url', 'base-url', 'BaseUrl'])('%s', async (name) => {
    const named = { [name]: 'http://llm.corp.example/v1' };
    expect(await accessWith({ config: named })).toMatchObject({
      type: 'missing',
      message: expect.stringContaining('nothing was sent'),
      problem: { key: name, message: expect.stringContaining('Did you mean "baseUrl"?') },
    });
    expect((await accessWith({ config: { ...named, baseUrl: 'https://api.openai.com/v1' } })).type).toBe(
      'ready',
    );
  });
});

test.each([undefined, 'http://llm.corp.example/v1'])(
  'a provider with a mistake: nothing goes to the default endpoint instead (baseUrl %s)',
  async (baseUrl) => {
    const config = {
      ...(baseUrl === undefined ? {} : { baseUrl }),
      providers: { work: { baseUrl: 'work.example' } },
      model: 'work/big',
    };
    expect(await accessWith({ config })).toMatchObject({
      type: 'missing',
      message: expect.stringContaining('nothing was sent'),
      problem: { key: 'providers.work' },
    });
  },
);

describe('an address under another program’s name for it', () => {
  const address = 'http://llm.corp.example/v1';
  test.each<readonly [string, object]>([
    ['apiBase', { apiBase: address }],
    ['endpoint', { endpoint: address }],
    ['OPENAI_BASE_URL', { OPENAI_BASE_URL: ` ${address}` }],
    ['url', { url: 'HTTPS://llm.corp.example' }],
    ['provider', { provider: { corp: { options: { baseURL: address } } } }],
    ['api-host', { 'api-host': address }],
  ])('sends nothing to the default instead: %s', async (key, config) => {
    expect(await accessWith({ config })).toMatchObject({
      type: 'missing',
      message: expect.stringContaining('nothing was sent'),
      problem: { key, message: expect.stringContaining('Did you mean "baseUrl"?') },
    });
    expect((await accessWith({ config: { ...config, baseUrl: address } })).type).toBe('ready');
    expect((await accessWith({ folder: config, trusted: false })).type).toBe('ready');
  });

  test.each<readonly [string, object]>([
    ['a proxy', { proxyUrl: 'http://proxy.corp.example:8080' }],
    ['a proxy in a block', { network: { proxy: { url: 'http://proxy.corp.example:8080' } } }],
    ['other servers', { mcpServers: { docs: { url: 'https://docs.example/mcp' } } }],
    ['a word', { endpoint: 'default' }],
    ['a page', { homepage: 'https://corp.example' }],
    ['the variables for commands', { env: { OPENAI_BASE_URL: address } }],
  ])('is not looked for in %s', async (_what, config) => {
    expect((await accessWith({ config })).type).toBe('ready');
  });
});

describe('an unreadable file', () => {
  const own = '{ "apiKey": "sk-corp", "baseUrl": "https://llm.corp.example/v1" "model": "m" }';
  const cut = '{ "model": "m", "ba';

  test.each<readonly [string, Given, RegExp]>([
    ['the user’s own, with a typo', { config: own }, /config\.json:1:65: comma expected/],
    ['the user’s own, cut off', { config: cut }, /config\.json:1:17: /],
    ['the user’s own, not JSON', { config: '[]' }, /config\.json: settings are an object/],
    ['a trusted folder’s', { folder: cut }, /^\.clawdcode\.json:1:17: /],
  ])('may have named the endpoint, so nothing is sent: %s', async (_whose, given, told) => {
    expect(await accessWith(given)).toMatchObject({
      type: 'missing',
      message: expect.stringMatching(/may name the endpoint, so nothing .*--base-url or OPENAI_BASE_URL\.$/),
      problem: { message: expect.stringMatching(told) },
    });
    expect((await accessWith(given, true)).type).toBe('ready');
  });

  const elsewhere = 'http://llm.corp.example/v1';
  test.each<readonly [string, Given]>([
    ['a flag names one for this run', { config: cut, baseUrl: elsewhere }],
    ['a variable names one', { config: cut, env: { OPENAI_BASE_URL: elsewhere } }],
    ['a trusted folder names one', { config: cut, folder: { baseUrl: elsewhere } }],
    [
      'it is the folder’s, and the user’s own file names one',
      { config: { baseUrl: elsewhere }, folder: cut },
    ],
    ['the default is named explicitly', { config: cut, baseUrl: 'https://api.openai.com/v1' }],
    ['it belongs to an untrusted folder', { folder: cut, trusted: false }],
  ])('delays nothing where %s', async (_why, given) => {
    expect((await accessWith(given)).type).toBe('ready');
  });
});

test('a key alone is enough for the default endpoint', async () => {
  expect((await accessWith({})).type).toBe('ready');
  expect(await accessWith({ env: { OPENAI_API_KEY: '' } })).toMatchObject({ type: 'missing' });
});
