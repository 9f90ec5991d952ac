/** The user's own headers are sent to the endpoint with every request, and nowhere else. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createNetworkPorts } from '../../src/cli/doctor/ports.ts';
import { createEndpoints } from '../../src/cli/models/endpoints.ts';
import { createSetupPort } from '../../src/cli/onboarding/onboarding.ts';
import { readAppPaths } from '../../src/cli/process/appPaths.ts';
import { createExportPort } from '../../src/cli/sessions/exportPort.ts';
import { findModelAccess } from '../../src/cli/startup.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';
import type { LoadedSettings } from '../../src/config/types.ts';
import { type Routes, saying, sendJson, startLocalServer } from '../e2e/support/localServers.ts';
import { entriesOf, prompt } from '../export/session.ts';
import { scriptedAgent } from '../headless/scriptedAgent.ts';

const SECRET = 'gate-7f3a91c2';
const headers = { 'X-Gateway-Key': SECRET, 'X-Team': 'blue' };
const list = { object: 'list', data: [{ id: 'm', object: 'model' }] };
const routes: Routes = { '/v1/models': list, '/v1/chat/completions': saying('Yes.') };

async function serve(given: Routes = routes) {
  const server = await startLocalServer(given);
  onTestFinished(() => server.close());
  return server;
}

/** The settings of a user with this config.json. */
async function withConfig(config: object): Promise<{ base: string; loaded: LoadedSettings }> {
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-headers-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  await mkdir(join(base, 'data'));
  await writeFile(join(base, 'data/config.json'), JSON.stringify(config));
  const places = { dataRoot: join(base, 'data'), home: base, root: base };
  return { base, loaded: await loadSettings({ ...places, env: {}, flags: {}, trusted: false }) };
}

test('model lists, the doctor’s requests and prompts carry the headers', async () => {
  const server = await serve();
  const { loaded } = await withConfig({ baseUrl: server.baseUrl, apiKey: 'sk-key', headers });
  const network = await createNetworkPorts(loaded, undefined, true, {});
  await network.ask('sk-key');
  expect(await network.probe?.()).toMatchObject({ answers: true });
  const paths = new Set(server.asked.map(({ path }) => path));
  expect(paths).toContain('/v1/models');
  expect(paths).toContain('/v1/chat/completions');
  for (const { headers: sent } of server.asked)
    expect(sent).toMatchObject({
      'x-gateway-key': SECRET,
      'x-team': 'blue',
      authorization: 'Bearer sk-key',
    });
});

test('an Authorization header replaces the key, and OpenAI’s endpoint needs no other', async () => {
  const server = await serve();
  const own = { Authorization: 'Basic Z2F0ZTpvcGVu' };
  const { loaded } = await withConfig({ baseUrl: server.baseUrl, apiKey: 'sk-key', headers: own });
  const network = await createNetworkPorts(loaded, undefined, true, {});
  await network.ask('sk-key');
  await network.probe?.();
  expect(new Set(server.asked.map((asked) => asked.headers.authorization))).toEqual(
    new Set(['Basic Z2F0ZTpvcGVu']),
  );
  const hosted = await withConfig({ headers: own });
  expect(await findModelAccess(hosted.loaded, false, async () => ({ ids: [] }))).toMatchObject({
    type: 'ready',
  });
});

test('an error that quotes the headers is shown without them and does not ask for a key', async () => {
  const quoting: Routes = {
    '/v1/models': (response) => sendJson(response, { error: { message: `no team ${SECRET}` } }, 401),
  };
  const server = await serve(quoting);
  const { loaded } = await withConfig({
    baseUrl: server.baseUrl,
    headers: { authorization: `Bearer ${SECRET}` },
  });
  const { access } = await createNetworkPorts(loaded, undefined, false, {});
  expect(access).toMatchObject({ type: 'missing', message: expect.stringContaining('no team ***') });
  expect(JSON.stringify(access)).not.toMatch(/none is set|7f3a/);
});

test('the headers go neither to another endpoint that is tried at the first start nor to the host of a redirect', async () => {
  const [mine, other] = [await serve(), await serve()];
  const { loaded } = await withConfig({ baseUrl: mine.baseUrl, headers });
  const setup = createSetupPort({ ...readAppPaths(), env: {} }, loaded);
  const { signal } = new AbortController();
  for (const { baseUrl } of [mine, other]) await setup.check({ baseUrl, apiKey: 'sk-1', model: 'm' }, signal);
  expect(mine.asked.every((asked) => asked.headers['x-gateway-key'] === SECRET)).toBe(true);
  expect(other.asked.length).toBeGreaterThan(0);
  expect(JSON.stringify(other.asked)).not.toContain(SECRET);

  const before = other.asked.length;
  const away = await serve({
    '/v1/models': (response) => void response.writeHead(307, { location: `${other.baseUrl}/models` }).end(),
  });
  const sent = await withConfig({ baseUrl: away.baseUrl, headers });
  const { access } = await createNetworkPorts(sent.loaded, undefined, false, {});
  expect(access.type).toBe('missing');
  expect(other.asked).toHaveLength(before);
});

test('exports contain none of the headers', async () => {
  const { base, loaded } = await withConfig({ headers: { Authorization: `Bearer ${SECRET}` } });
  const place = { ...readAppPaths(), cwd: base, root: base, home: base, dataRoot: base, env: {} };
  const agent = { ...scriptedAgent(), entries: () => entriesOf([prompt(`curl with ${SECRET} please`)]) };
  const done = await createExportPort(
    { agent, file: undefined },
    place,
    createEndpoints({ settings: loaded.settings }).secrets,
  )({ format: 'md', file: 'a.md' });
  expect(done).toMatchObject({ type: 'done', secrets: 1 });
  expect(await readFile(join(base, 'a.md'), 'utf8')).not.toContain(SECRET);
});
