import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { damagedNotices } from '../../src/cli/damagedNotices.ts';
import { createAuthStore } from '../../src/cli/mcp/authStore.ts';

let dataRoot: string;
beforeEach(async () => {
  dataRoot = await mkdtemp(join(tmpdir(), 'clawdcode-damaged-'));
});
afterEach(() => rm(dataRoot, { recursive: true, force: true }));

test('a damaged file is reported once, even if it was moved aside in an earlier session', async () => {
  const place = { dataRoot, root: dataRoot };
  expect(await damagedNotices(place)).toEqual([]);
  const file = join(dataRoot, 'credentials-mcp.json');
  await writeFile(file, '{"servers":{"a https://a.example/":{"clientId":"1"}},}');
  const store = createAuthStore(dataRoot, 'b', new URL('https://b.example/'));
  await store.write({ tokens: { access_token: 't', token_type: 'Bearer' } });
  await writeFile(join(dataRoot, 'plugins.json'), '{');
  const notices = await damagedNotices(place);
  expect(notices).toHaveLength(2);
  expect(notices.join('\n')).toContain(
    `${file} could not be read and was moved to credentials-mcp.json.damaged-`,
  );
  expect(notices.join('\n')).toContain('clawdcode mcp login');
  expect(notices.join('\n')).toContain('plugins need approval again');
  expect(await damagedNotices(place)).toEqual([]);
  const aside = (await readdir(dataRoot)).find((name) => name.startsWith('credentials-mcp.json.damaged-'));
  expect(await readFile(join(dataRoot, aside ?? ''), 'utf8')).toContain('a.example');
  expect(await store.read()).toBeDefined();
});
