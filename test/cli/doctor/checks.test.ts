import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkEndpoint } from '../../../src/cli/doctor/checks/endpoint.ts';
import { checkDataFolder, checkSessions, checkSettings } from '../../../src/cli/doctor/checks/files.ts';
import { checkNode, checkPrograms } from '../../../src/cli/doctor/checks/programs.ts';
import { diagnose } from '../../../src/cli/doctor/diagnose.ts';
import type { DoctorPorts } from '../../../src/cli/doctor/ports.ts';
import { type Finding, isHealthy } from '../../../src/commands/pages/doctorPage.ts';
import type { ModelError } from '../../../src/protocol/models/model.ts';
import type { ModelProbe, ServedModel, ServerAnswer } from '../../../src/protocol/models/server.ts';
import { doctorPorts, type Given } from './doctorPorts.ts';

const find = (findings: readonly Finding[], id: string): Finding | undefined =>
  findings.find((finding) => finding.id === id);

test.each([
  ['24.1.0', 'ok'],
  ['22.16.0', 'ok'],
  ['22.15.9', 'missing'],
  ['20.19.0', 'missing'],
])('Node %s is %s', (version, state) => {
  expect(checkNode(doctorPorts({ node: { version, path: '/n', platform: 'p' } }))).toMatchObject([{ state }]);
});

test('missing programs name the lost feature; a missing sandbox is stated plainly', async () => {
  const none = await checkPrograms(
    doctorPorts({
      run: async () => undefined,
      git: async () => ({ output: undefined, problem: 'git is not installed.' }),
      sandbox: async () => ({
        type: 'unavailable',
        reason: 'bubblewrap is not installed',
        fix: 'Install it.',
      }),
    }),
  );
  expect(find(none, 'ripgrep')).toMatchObject({
    state: 'missing',
    fix: expect.stringContaining('install ripgrep'),
  });
  expect(find(none, 'git')).toMatchObject({
    state: 'warning',
    fix: expect.stringMatching(/^git is not installed\. With git, the model sees/),
  });
  expect(find(none, 'sandbox')).toMatchObject({
    state: 'warning',
    value: expect.stringMatching(/^none: bubblewrap is not installed; commands run with your own rights/),
    fix: 'Install it.',
  });
  const off = await checkPrograms(
    doctorPorts({ sandbox: async () => ({ type: 'off', reason: 'switched off' }) }),
  );
  expect(find(off, 'sandbox')).toMatchObject({
    state: 'ok',
    value: expect.stringMatching(/^none: switched off/),
  });
  const all = await checkPrograms(
    doctorPorts({
      run: async () => 'x 9.8.7',
      git: async ([first]) => ({ output: first === 'rev-parse' ? 'true' : 'git version 9.8.7', problem: '' }),
    }),
  );
  expect(all.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok']);
  expect(find(all, 'git')?.value).toBe('9.8.7 · this folder is a repository');
  expect(find(all, 'sandbox')?.value).toBe('commands are confined (workspace-write)');
});

describe('the data folder', () => {
  async function folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'clawdcode-doctor-'));
    onTestFinished(() => rm(path, { recursive: true, force: true }));
    return path;
  }
  test('is written to for a moment and left unchanged', async () => {
    const dataRoot = await folder();
    expect(await checkDataFolder(doctorPorts({ dataRoot }))).toMatchObject([
      { state: 'ok', value: expect.stringContaining('free') },
    ]);
    expect(await checkSessions(doctorPorts({ dataRoot }))).toMatchObject([
      { state: 'ok', value: 'none yet' },
    ]);
    expect(await readdir(dataRoot)).toEqual([]);
  });
  test('readable by others is a warning', async () => {
    const dataRoot = await folder();
    await chmod(dataRoot, 0o755);
    expect(await checkDataFolder(doctorPorts({ dataRoot }))).toMatchObject([
      { state: 'warning', fix: expect.stringContaining('chmod 700') },
    ]);
  });
  test('is not created if missing', async () => {
    const dataRoot = join(await folder(), 'data');
    expect(await checkDataFolder(doctorPorts({ dataRoot }))).toMatchObject([{ state: 'ok' }]);
    expect(await checkDataFolder(doctorPorts({ dataRoot: join(dataRoot, 'deep/er') }))).toMatchObject([
      { state: 'ok', value: expect.stringContaining('created with the first session') },
    ]);
    await writeFile(dataRoot, '');
    expect(await checkDataFolder(doctorPorts({ dataRoot: join(dataRoot, 'below') }))).toMatchObject([
      { state: 'missing' },
    ]);
  });
  test('on Windows has no permission bits', async () => {
    const dataRoot = await folder();
    await chmod(dataRoot, 0o777);
    const node = { version: '24.1.0', path: 'node.exe', platform: 'win32 x64' };
    expect(await checkDataFolder(doctorPorts({ dataRoot, node }))).toMatchObject([{ state: 'ok' }]);
  });
  test('is reported as missing if it is a file', async () => {
    const dataRoot = join(await folder(), 'file');
    await writeFile(dataRoot, '', { mode: 0o600 });
    expect(await checkDataFolder(doctorPorts({ dataRoot }))).toMatchObject([
      { state: 'missing', fix: expect.stringContaining('CLAWDCODE_HOME') },
    ]);
  });
});

test('settings: each problem has a line, and an untrusted folder is reported', () => {
  const problem = {
    layer: 'user',
    file: 'config.json',
    message: 'config.json: "thme" is not a setting.',
  } as const;
  const held = { file: '.clawdcode.json', key: 'env', value: '{}', effect: 'Sets variables.', count: 1 };
  const found = checkSettings(
    doctorPorts({ isTrusted: false, loaded: { problems: [problem], untrusted: [held] } }),
  );
  expect(found).toMatchObject([
    {
      id: 'settings',
      state: 'warning',
      value: expect.stringContaining('not trusted, so these do not apply: env'),
    },
    { id: 'settings.problem', state: 'warning', value: problem.message },
  ]);
  const changed = checkSettings(doctorPorts({ isTrusted: true, loaded: { untrusted: [held] } }));
  expect(changed).toMatchObject([
    { state: 'warning', value: expect.stringContaining('changed since you trusted the folder') },
  ]);
});

test('settings: a mistake does not affect the rest of the file; an unreadable file does not apply', () => {
  const problems = [
    { layer: 'user', file: 'config.json', key: 'thme', message: '"thme" is not a setting.' },
    { layer: 'project', file: '.clawdcode.json', message: '.clawdcode.json:1:2: comma expected.' },
  ] as const;
  expect(checkSettings(doctorPorts({ loaded: { problems } })).slice(1)).toMatchObject([
    { fix: 'Correct it in config.json; everything else there applies.' },
    { fix: 'Correct .clawdcode.json.' },
  ]);
});

describe('the endpoint', () => {
  const facts = (...models: ServedModel[]): ServerAnswer => ({
    type: 'server',
    facts: { kind: 'vllm', version: '0.11.0', baseUrl: 'http://gpu:8000/v1', models },
  });
  const failed = (error: Partial<ModelError>): ServerAnswer => ({
    type: 'failed',
    error: { kind: 'network', message: 'Nothing answers.', retryable: false, ...error },
  });
  const check = (answer: ServerAnswer, given: Given = {}, probe?: ModelProbe) => {
    const network: DoctorPorts['network'] = {
      access: { type: 'ready', model: 'm', apiKey: 'sk-secret' },
      ask: async () => answer,
      probe: probe === undefined ? undefined : async () => probe,
    };
    return checkEndpoint(
      doctorPorts({ settings: { baseUrl: 'http://gpu:8000/v1', apiKey: 'sk-secret' }, network, ...given }),
    );
  };

  test('all is well', async () => {
    const found = await check(
      facts({ id: 'm', windowTokens: 32_768, maxWindowTokens: 131_072, tools: true }),
      {
        loaded: { sources: { apiKey: 'OPENAI_API_KEY' } },
        settings: { baseUrl: 'http://gpu:8000/v1' },
      },
    );
    expect(found.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'endpoint ok',
      'key ok',
      'model ok',
      'window ok',
      'tools ok',
    ]);
    expect(find(found, 'window')?.value).toBe('32.8k of at most 131k tokens (reported by the server)');
  });

  test('a mistake that hides the intended endpoint is reported, and no server is queried', async () => {
    const message = 'config.json may name the endpoint, so nothing was sent.';
    const problem = {
      layer: 'user',
      file: 'config.json',
      message: 'config.json:3:5: comma expected.',
    } as const;
    const ask = (): Promise<ServerAnswer> => Promise.reject(new Error('nobody is to be asked'));
    const network: DoctorPorts['network'] = {
      access: { type: 'missing', message, problem },
      ask,
      probe: undefined,
    };
    expect(await checkEndpoint(doctorPorts({ network }))).toMatchObject([
      { id: 'endpoint', state: 'missing', value: message, fix: problem.message },
    ]);
  });

  test('a custom Authorization header is reported as replacing the key, without its value', async () => {
    const settings = { baseUrl: 'http://gpu:8000/v1', headers: { Authorization: 'Basic Z2F0ZQ==' } };
    const given = { settings, loaded: { sources: { apiKey: 'OPENAI_API_KEY' } } };
    const found = find(
      await check(facts({ id: 'm' }), { ...given, settings: { ...settings, apiKey: 'sk-1' } }),
      'key',
    );
    expect(found?.value).toBe(
      'from Authorization in "headers", instead of the key from OPENAI_API_KEY, accepted',
    );
    expect(find(await check(facts({ id: 'm' }), given), 'key')?.value).toBe(
      'from Authorization in "headers", accepted',
    );
  });

  test.each<[string, ServerAnswer, Given, string, object]>([
    ['no server', failed({}), {}, 'endpoint', { state: 'missing', value: 'Nothing answers.' }],
    ['no list', failed({ kind: 'bad_url', status: 404 }), {}, 'endpoint', { state: 'warning' }],
    [
      'a wrong key',
      failed({ kind: 'auth', status: 401, message: 'Refused.' }),
      {},
      'key',
      { state: 'missing', fix: 'Refused.' },
    ],
    [
      'another model',
      facts({ id: 'a' }, { id: 'b' }),
      {},
      'model',
      { state: 'warning', fix: expect.stringContaining('a, b') },
    ],
    [
      'a small window',
      facts({ id: 'm', windowTokens: 4096, maxWindowTokens: 40_960 }),
      {},
      'window',
      { state: 'warning', fix: expect.stringContaining('start vLLM with --max-model-len 32768') },
    ],
    [
      'a small model',
      facts({ id: 'm', windowTokens: 4096, maxWindowTokens: 4096 }),
      {},
      'window',
      { state: 'warning', fix: expect.stringContaining('very small') },
    ],
    [
      'a window from a pattern in the settings',
      facts({ id: 'm' }),
      { settings: { baseUrl: 'http://gpu:8000/v1', models: { 'M*': { contextWindow: 65_536 } } } },
      'window',
      { state: 'ok', value: '65.5k tokens (from your settings)' },
    ],
    [
      'an unknown window',
      facts({ id: 'm' }),
      {},
      'window',
      { state: 'warning', value: '32k tokens (assumed; not reported by the server)' },
    ],
    [
      'a setting that the server does not apply',
      facts({ id: 'm', windowTokens: 32_768 }),
      { settings: { baseUrl: 'http://gpu:8000/v1', contextWindow: 131_072 } },
      'window',
      { state: 'warning', fix: expect.stringContaining('but the server runs it with 32,768') },
    ],
    ['no tool support', facts({ id: 'm', tools: false }), {}, 'tools', { state: 'warning' }],
    [
      'a proxy with a password',
      facts({ id: 'm' }),
      { env: { http_proxy: 'http://user:hunter2@proxy:3128' } },
      'endpoint',
      { value: expect.stringMatching(/through the proxy http:\/\/proxy:3128$/) },
    ],
    [
      'a proxy for something else',
      facts({ id: 'm' }),
      { env: { http_proxy: 'http://proxy:3128', NO_PROXY: 'gpu' } },
      'endpoint',
      { value: expect.not.stringContaining('proxy') },
    ],
  ])('%s', async (_, answer, given, id, expected) => {
    const found = await check(answer, given);
    expect(find(found, id)).toMatchObject(expected);
    expect(JSON.stringify(found)).not.toMatch(/sk-secret|hunter2/);
  });

  test('a probe reports the model’s abilities', async () => {
    const found = await check(
      facts({ id: 'm', windowTokens: 65_536 }),
      {},
      {
        answers: true,
        firstTokenMs: 1234,
        toolCalls: 'text',
        parallelCalls: false,
        streamingUsage: true,
        reasoningField: 'reasoning_content',
      },
    );
    expect(find(found, 'answer')?.value).toBe('first token after 1.2 s');
    expect(find(found, 'tools')?.value).toBe('written as text, which is understood · one in a reply');
    expect(find(found, 'stream')?.value).toBe('token counts reported · reasoning in "reasoning_content"');
  });

  test('a server with a public model list may still reject the key', async () => {
    const error: ModelError = { kind: 'auth', message: 'Check the key.', retryable: false };
    const found = await check(facts({ id: 'm' }), {}, { answers: false, error });
    expect(find(found, 'key')).toMatchObject({ state: 'missing', fix: 'Check the key.' });
    expect(find(found, 'answer')).toMatchObject({ state: 'missing', fix: 'Fix the key first.' });
  });

  test.each([
    [{}, { value: expect.stringContaining('in time') }],
    [
      { error: { kind: 'server', message: 'Out of memory.', retryable: false } as const },
      { value: expect.stringContaining('failed'), fix: 'Out of memory.' },
    ],
  ])('unknown support for calls is reported: %j', async (probe, expected) => {
    const found = await check(facts({ id: 'm' }), {}, { answers: true, ...probe });
    expect(find(found, 'tools')).toMatchObject({ state: 'warning', ...expected });
  });

  test('a model that does not answer is reported as missing, with the reason', async () => {
    const error: ModelError = { kind: 'server', message: 'Out of memory.', retryable: false };
    const found = await check(facts({ id: 'm' }), {}, { answers: false, error });
    expect(find(found, 'answer')).toMatchObject({ state: 'missing', fix: 'Out of memory.' });
  });
});

test('a check that throws becomes a finding, and untrusted text is sanitized', async () => {
  const report = await diagnose(
    doctorPorts({
      run: () => Promise.reject(new Error('no \u001b[2Jfork')),
      loaded: {
        problems: [{ layer: 'user', file: 'f', message: `\u001b]0;owned\u0007${'x'.repeat(5000)}` }],
      },
    }),
  );
  expect(report.version).toBe('1.2.3');
  expect(find(report.findings, 'programs')).toMatchObject({
    state: 'warning',
    value: 'could not be checked: no fork',
  });
  expect(JSON.stringify(report)).not.toContain('\\u001b');
  for (const { value } of report.findings) expect(value.length).toBeLessThanOrEqual(500);
  expect(isHealthy({ findings: report.findings.filter(({ state }) => state !== 'missing') })).toBe(true);
});
