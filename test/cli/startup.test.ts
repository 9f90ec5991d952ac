import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findModelAccess } from '../../src/cli/startup.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';

interface Given {
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly baseUrl?: string;
  /** Of a file in the folder, which is trusted. */
  readonly folder?: object;
}

const key = { OPENAI_API_KEY: 'sk-of-mine' };

async function accessWith({ config = {}, env = {}, baseUrl, folder }: Given, demo = false) {
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-startup-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const [dataRoot, root] = [join(base, 'data'), join(base, 'folder')];
  await mkdir(dataRoot);
  await mkdir(join(root, '.clawdcode'), { recursive: true });
  await writeFile(join(dataRoot, 'config.json'), JSON.stringify(config));
  if (folder !== undefined) await writeFile(join(root, '.clawdcode/settings.json'), JSON.stringify(folder));
  const flags = { baseUrl };
  const loaded = await loadSettings({
    dataRoot,
    home: base,
    root,
    env: { ...key, ...env },
    flags,
    trusted: true,
  });
  return findModelAccess(loaded, demo, async () => ({ ids: ['first'] }));
}

describe('an address that is none', () => {
  test.each<readonly [string, Given]>([
    ['a variable without http', { env: { OPENAI_BASE_URL: 'localhost:11434/v1' } }],
    ['another scheme in the own file', { config: { baseUrl: 'ftp://llm.corp.example/v1' } }],
    ['a flag', { baseUrl: 'nonsense' }],
  ])('does not send the conversation, and a key, to the default instead: %s', async (_where, given) => {
    expect(await accessWith(given)).toMatchObject({ type: 'missing', problem: { key: 'baseUrl' } });
    expect((await accessWith(given, true)).type).toBe('ready');
  });

  test('leaves one that was named elsewhere', async () => {
    const config = { baseUrl: 'http://llm.corp.example/v1' };
    const access = await accessWith({ config, env: { OPENAI_BASE_URL: 'localhost:11434/v1' } });
    expect(access).toMatchObject({ type: 'ready', model: 'first' });
  });

  test("in a folder's file is no reason to refuse work there", async () => {
    expect((await accessWith({ folder: { baseUrl: 'nonsense' } })).type).toBe('ready');
  });
});

test('a key alone is enough for the default', async () => {
  expect((await accessWith({})).type).toBe('ready');
  expect(await accessWith({ env: { OPENAI_API_KEY: '' } })).toMatchObject({ type: 'missing' });
});
