import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { onboarding } from '../../../src/cli/onboarding/onboarding.ts';
import { parseArguments } from '../../../src/cli/options.ts';
import { readSettings } from '../../../src/cli/startup.ts';
import type { AppServices, Boot, OnboardingResult } from '../../../src/ui/types.ts';

type Start = Parameters<typeof onboarding>[0];

const near: OnboardingResult = {
  type: 'credentials',
  baseUrl: 'http://127.0.0.1:1/v1',
  apiKey: '',
  model: 'm',
};
const far: OnboardingResult = { ...near, baseUrl: 'https://llm.example/v1' };
const ready: Boot = { type: 'ready', services: {} as AppServices, notices: ['before'] };

/** Answers the step as a user would; returns what was saved, and what the program starts with after it. */
const untrusted = { isTrusted: false, granted: undefined, savedRules: [] };

async function answer(
  given: OnboardingResult,
  { env = {}, argv = [], kept }: { env?: Record<string, string>; argv?: string[]; kept?: object } = {},
) {
  const dataRoot = await mkdtemp(join(tmpdir(), 'clawdcode-onboarding-'));
  onTestFinished(() => rm(dataRoot, { recursive: true, force: true }));
  const file = join(dataRoot, 'config.json');
  if (kept !== undefined) await writeFile(file, JSON.stringify(kept));
  const parsed = await parseArguments(argv, '1.2.3');
  if (parsed.type !== 'run') throw new Error(parsed.stderr);
  const place = {
    cwd: dataRoot,
    root: join(dataRoot, 'project'),
    home: '/nonexistent',
    dataRoot,
    packageRoot: '/nonexistent',
    version: '1.2.3',
    env,
  };
  const start: Start = { place, options: parsed.options };
  const loaded = await readSettings(place, parsed.options, untrusted);
  let next: Start | undefined;
  const boot = onboarding(start, loaded, undefined, async (then) => {
    next = then;
    return ready;
  });
  if (boot.type !== 'onboarding') throw new Error('it asks');
  const after = await boot.answer(given);
  const config: unknown = await readFile(file, 'utf8').then(JSON.parse, () => undefined);
  return { after, next, config, loaded: next && (await readSettings(next.place, next.options, untrusted)) };
}

test('the choice is saved and applies immediately', async () => {
  const { after, config, loaded } = await answer(near);
  expect(config).toEqual({ baseUrl: near.baseUrl, model: 'm' });
  expect(loaded?.settings).toMatchObject({ baseUrl: near.baseUrl, model: 'm' });
  expect(after).toBe(ready);
});

test.each([
  ['stays for a server on this machine', near, 'sk-kept'],
  ['does not go to another endpoint', far, undefined],
  ['is replaced by a new one', { ...far, apiKey: 'sk-new' }, 'sk-new'],
])('a previously saved key %s', async (_, given, expected) => {
  const { config } = await answer(given, {
    kept: { apiKey: 'sk-kept', baseUrl: 'https://other.example/v1' },
  });
  expect((config as { apiKey?: string | null }).apiKey ?? undefined).toBe(expected);
});

test('headers saved for another endpoint are removed, with a notice', async () => {
  const kept = { headers: { 'X-Key': 'gate-secret' }, baseUrl: 'https://other.example/v1' };
  const elsewhere = await answer(near, { kept });
  expect(elsewhere.config).toEqual({ baseUrl: near.baseUrl, model: 'm' });
  expect(elsewhere.after).toMatchObject({ notices: ['before', expect.stringContaining('were removed')] });
  // Even if they did not apply, because a variable named another endpoint.
  const aside = await answer(near, { kept, env: { OPENAI_BASE_URL: 'http://gone.example/v1' } });
  expect(aside.config).toEqual({ baseUrl: near.baseUrl, model: 'm' });
  const there = await answer({ ...far, baseUrl: 'https://other.example/v2' }, { kept });
  expect(there.config).toMatchObject({ headers: kept.headers });
  expect(there.after).toBe(ready);
});

test('variables and flags that override the choice are named', async () => {
  const { after, next, loaded } = await answer(near, {
    env: {
      OPENAI_BASE_URL: 'http://gone.example/v1',
      CLAWDCODE_BASE_URL: 'http://gone.too/v1',
      PATH: '/bin',
    },
    argv: ['--model', 'other', 'do', 'it'],
  });
  expect(loaded?.settings).toMatchObject({ baseUrl: near.baseUrl, model: 'm' });
  expect(next?.place.env).toEqual({ PATH: '/bin' });
  expect(next?.options).toMatchObject({ model: undefined, prompt: 'do it' });
  expect(after).toMatchObject({
    type: 'ready',
    notices: [
      'before',
      expect.stringMatching(/CLAWDCODE_BASE_URL and --model override it at the next start/),
    ],
  });
});

test('a choice that cannot be saved applies to this run, with a notice', async () => {
  const { after, config, loaded } = await answer(
    { ...far, apiKey: 'sk-new' },
    { kept: ['not an object'], argv: ['--base-url', 'http://gone.example/v1'] },
  );
  expect(config).toEqual(['not an object']);
  expect(loaded?.settings).toMatchObject({ baseUrl: far.baseUrl, apiKey: 'sk-new', model: 'm' });
  expect(loaded).not.toHaveProperty('misread');
  expect(after).toMatchObject({
    notices: [
      'before',
      expect.stringMatching(/^Nothing was saved\. .*config\.json.* applies to this run only\.$/),
    ],
  });
});

test('corrected settings are read again with the program’s original arguments and environment', async () => {
  const { after, next, config } = await answer(
    { type: 'reread' },
    { kept: ['not an object'], argv: ['--model', 'other', 'do', 'it'] },
  );
  expect(after).toBe(ready);
  expect(next?.options).toMatchObject({ model: 'other', prompt: 'do it' });
  expect(config).toEqual(['not an object']);
});

test('the demo and quitting save nothing', async () => {
  const demo = await answer({ type: 'demo' });
  expect(demo).toMatchObject({ config: undefined, next: { options: { demo: true } } });
  expect(await answer({ type: 'quit' })).toMatchObject({ after: { type: 'quit' }, config: undefined });
});
