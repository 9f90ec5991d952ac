/**
 * The SDKs as bundled: they do what is needed, and load nothing else.
 *
 * @module-tag long
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
// @ts-expect-error a build script without types
import { slimSdks } from '../../scripts/bundle/slimSdks.mjs';

const root = resolve(import.meta.dirname, '../..');

/** Sends a request on each API and prints the request, the events and the loaded Node modules. */
const program = `
import { OpenAI } from 'openai/client';
import { Anthropic } from '@anthropic-ai/sdk/client';
const asked = [];
const events = (url) => url.endsWith('/messages') ? [{ type: 'message_stop' }] : url.endsWith('/responses') ? [{ type: 'response.completed', response: {} }] : [{ choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: null }] }];
const fetch = async (url, { method, headers, body }) => {
  asked.push([method, String(url), headers.get('Content-Type'), headers.get('x-own'), JSON.parse(body)]);
  async function* lines() {
    for (const event of events(String(url))) yield new TextEncoder().encode('event: ' + (event.type ?? 'message') + '\\ndata: ' + JSON.stringify(event) + '\\n\\n');
  }
  return { ok: true, status: 200, url, headers, body: lines() };
};
const options = { apiKey: 'k', maxRetries: 0, logLevel: 'off', fetch, defaultHeaders: { 'X-Own': 'yes' } };
const openai = new OpenAI({ ...options, baseURL: 'http://a/v1', organization: null, project: null, adminAPIKey: null, webhookSecret: null });
const anthropic = new Anthropic({ ...options, baseURL: 'http://a', webhookKey: null, openTelemetry: false });
const got = [];
const read = async (stream) => { for await (const event of await stream) got.push(event); };
await read(openai.chat.completions.create({ model: 'm', messages: [], stream: true }));
await read(openai.responses.create({ model: 'm', input: [], stream: true }));
await read(anthropic.post('/v1/messages', { body: { model: 'm', stream: true }, stream: true }));
const undici = process.moduleLoadList.filter((name) => name.includes('undici'));
console.log(JSON.stringify({ asked, got, undici }));
`;

test('requests to the three APIs are sent and read without fetch’s HTTP client', {
  tags: 'long',
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-slim-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'js' },
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node22', write: false, metafile: true },
    absWorkingDir: root,
    mainFields: ['module', 'main'],
    plugins: [slimSdks(root)],
  });
  const [{ text = '' } = {}] = outputFiles;
  const file = join(folder, 'slim.mjs');
  await writeFile(file, text);
  const shown = execFileSync(process.execPath, [file], { encoding: 'utf8' });
  const { asked, got, undici } = JSON.parse(shown) as Record<'asked' | 'got' | 'undici', unknown>;
  const json = 'application/json';
  expect(asked).toEqual([
    ['POST', 'http://a/v1/chat/completions', json, 'yes', { model: 'm', messages: [], stream: true }],
    ['POST', 'http://a/v1/responses', json, 'yes', { model: 'm', input: [], stream: true }],
    ['POST', 'http://a/v1/messages', json, 'yes', { model: 'm', stream: true }],
  ]);
  expect(got).toEqual([
    { choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: null }] },
    { type: 'response.completed', response: expect.any(Object) },
    { type: 'message_stop' },
  ]);
  expect(undici).toEqual([]);
  // Of a hundred endpoints, only names are left in the bundle.
  const endpoints = Object.entries(Object.values(metafile.outputs)[0]?.inputs ?? {}).filter(([path]) =>
    path.includes('/resources/'),
  );
  const large = endpoints.filter(([, { bytesInOutput }]) => bytesInOutput > 2000).map(([path]) => path);
  expect(large.every((path) => /(?:completions|responses|messages)\.mjs$/.test(path))).toBe(true);
});
