/** Keys stored with `clawdcode auth login`. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEndpoints } from '../../../src/cli/models/endpoints.ts';
import type { Keychain } from '../../../src/cli/models/keychain.ts';
import { forgetKey, storedKeyOf, storedSecrets, storeKey } from '../../../src/cli/models/storedKeys.ts';
import { settingsSchema } from '../../../src/config/schema.ts';

const work = { name: 'work', baseUrl: 'https://llm.example/v1' };
const KEY = 'sk-stored';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-keys-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function fakeKeychain(problem?: Error): Keychain & { readonly keys: Map<string, string> } {
  const keys = new Map<string, string>();
  return {
    keys,
    get: async (account) => keys.get(account),
    async set(account, key) {
      if (problem !== undefined) throw problem;
      keys.set(account, key);
      return true;
    },
    async remove(account) {
      keys.delete(account);
    },
  };
}

/** The key for `work`, and its source. */
async function keyOf(dataRoot: string, provider: object, more: object = {}) {
  const settings = settingsSchema.parse({ providers: { work: { baseUrl: work.baseUrl, ...provider } } });
  const endpoints = createEndpoints({
    settings,
    dataRoot,
    home: dataRoot,
    env: { WORK_KEY: 'sk-env' },
    ...more,
  });
  const { key } = endpoints.find('work/m').endpoint;
  return { answer: await key.get(), source: key.source, endpoints };
}

test('a key in the file is readable only by its owner, and is used', async () => {
  const folder = await newFolder();
  expect(await storeKey(folder, work, KEY, undefined)).toBe('file');
  expect((await stat(join(folder, 'credentials.json'))).mode & 0o777).toBe(0o600);
  const { answer, source, endpoints } = await keyOf(folder, {});
  expect(answer).toEqual({ key: KEY });
  expect(source).toBe('clawdcode auth login');
  expect(endpoints.secrets()).toContain(KEY);
  expect(storedSecrets(folder)).toEqual([KEY]);
  expect(await forgetKey(folder, work, async () => undefined)).toBe(true);
  expect(storedKeyOf(folder, work)).toBeUndefined();
  expect(await forgetKey(folder, work, async () => undefined)).toBe(false);
});

test('a key in the keychain is not in the file, and is also deleted from the keychain', async () => {
  const folder = await newFolder();
  const keychain = fakeKeychain();
  expect(await storeKey(folder, work, KEY, keychain)).toBe('keychain');
  expect(await readFile(join(folder, 'credentials.json'), 'utf8')).not.toContain(KEY);
  const openKeychain = async () => keychain;
  const { answer, source, endpoints } = await keyOf(folder, {}, { openKeychain });
  expect([answer, source]).toEqual([{ key: KEY }, 'clawdcode auth login (keychain)']);
  expect(endpoints.secrets()).toContain(KEY);
  const locked = await keyOf(folder, {}, { openKeychain: async () => undefined });
  expect(JSON.stringify(locked.answer)).toContain('cannot be read from the system');
  await forgetKey(folder, work, openKeychain);
  expect(keychain.keys.size).toBe(0);
});

test('if the keychain fails, the file is used', async () => {
  const folder = await newFolder();
  expect(await storeKey(folder, work, KEY, fakeKeychain(new Error('no secret service')))).toBe('file');
  expect(storedKeyOf(folder, work)).toEqual({ place: 'file', key: KEY });
});

test.each([
  [{ apiKey: 'sk-literal' }, { key: 'sk-literal' }],
  [{ apiKeyEnv: 'WORK_KEY' }, { key: 'sk-env' }],
  [{ apiKeyHelper: 'echo sk-helper' }, { key: 'sk-helper' }],
  [{ headers: { Authorization: 'Basic x' } }, { key: undefined }],
  [{ apiKeyEnv: 'NOT_SET' }, { key: KEY }],
])('other sources take precedence: %j', async (provider, expected) => {
  const folder = await newFolder();
  await storeKey(folder, work, KEY, undefined);
  expect((await keyOf(folder, provider)).answer).toEqual(expected);
});

test('a key is not sent to another address of the same name, or to another name', async () => {
  const folder = await newFolder();
  await storeKey(folder, work, KEY, undefined);
  expect((await keyOf(folder, { baseUrl: 'https://other.example/v1' })).answer).toEqual({ key: undefined });
  expect(storedKeyOf(folder, { ...work, name: undefined })).toBeUndefined();
  expect(storedKeyOf(folder, { name: '__proto__', baseUrl: work.baseUrl })).toBeUndefined();
});

test('a damaged file contains no keys', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'credentials.json'), '{"keys": [');
  expect(storedKeyOf(folder, work)).toBeUndefined();
});
