/** Language servers as real processes: what reaches the model, and what a broken or hostile one can do. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LanguageServers } from '../../src/lsp/LanguageServers.ts';
import type { EditChecks, NewProblems } from '../../src/protocol/diagnostics.ts';
import type { Confinement } from '../../src/protocol/sandbox.ts';
import { type FakeMode, installServer } from './support/install.ts';

type LanguageServersDeps = ConstructorParameters<typeof LanguageServers>[0];

interface Place {
  readonly root: string;
  readonly bin: string;
  open(more?: Partial<LanguageServersDeps>): LanguageServers;
}

/** Longer than any test: a result waits for its server. */
const FOREVER = 600_000;

async function place(): Promise<Place> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lsp-')));
  const [root, bin] = [join(folder, 'work'), join(folder, 'bin')];
  await Promise.all([mkdir(root), mkdir(bin)]);
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return {
    root,
    bin,
    open(more = {}) {
      const servers = new LanguageServers({
        version: '1',
        workspaces: [root],
        path: bin,
        env: {},
        shell: '/bin/sh',
        makeScratch: () => mkdtemp(join(folder, 'scratch-')),
        sandbox: { confine: async (request) => unconfined(request.env) },
        refusal: async () => undefined,
        newFence: () => 'FENCE',
        isSensitive: () => false,
        waitMs: FOREVER,
        ...more,
      });
      onTestFinished(() => servers.stop());
      return servers;
    },
  };
}

function unconfined(env: Readonly<Record<string, string>>): Confinement {
  return {
    isConfined: false,
    launch: (program, args) => ({ program, args, inherit: [], env }),
    record: () => ({ mode: 'none' }),
    blocked: () => undefined,
    changedProtectedFiles: () => [],
    share: async () => undefined,
    keep: () => undefined,
    release: () => undefined,
  };
}

function edit(
  checks: EditChecks,
  path: string,
  before: string | undefined,
  after: string,
): Promise<NewProblems | undefined> {
  return checks.check({ path, before, after }, new AbortController().signal);
}

const stateOf = async (servers: LanguageServers): Promise<unknown> =>
  (await servers.status()).find(({ language }) => language === 'Python')?.state;

/** Makes the first edit, which does not wait for the server, and waits until the server runs. */
async function started(servers: LanguageServers, root: string): Promise<EditChecks> {
  const checks = servers.open();
  expect(await edit(checks, join(root, 'first.py'), undefined, 'fine')).toBeUndefined();
  await vi.waitFor(async () => expect(await stateOf(servers)).toMatchObject({ type: 'running' }), FOREVER);
  return checks;
}

test.each([
  ['pyright-langserver', 'answers'],
  ['pylsp', 'publishes'],
] as const)('%s: a result has the new problems after its edit, and only those', async (name, mode) => {
  const { root, bin, open } = await place();
  await installServer(bin, name, mode);
  const checks = await started(open(), root);
  const file = join(root, 'a.py');
  const found = await edit(checks, file, 'ERROR old', 'new\nERROR old\nWARN b\nERROR c');
  expect(found).toEqual({
    count: 2,
    text: [
      `New in ${file} after this edit, found by ${name} (its own text is between the lines FENCE):`,
      ...['FENCE', '4:1 error: about ERROR c [fake]', '3:1 warning: about WARN b [fake]', 'FENCE'],
    ].join('\n'),
  });
  expect(await edit(checks, file, 'new\nERROR old\nWARN b\nERROR c', 'ERROR old')).toBeUndefined();
  expect(checks.takeLate()).toEqual([]);
});

test('an edit does not wait for the start; its problems follow once, for the agent that made it', async () => {
  const { root, bin, open } = await place();
  await installServer(bin, 'pyright-langserver');
  const servers = open();
  const [checks, others] = [servers.open(), servers.open()];
  expect(await edit(checks, join(root, 'a.py'), '', 'ERROR')).toBeUndefined();
  const late = await vi.waitFor(() => {
    const texts = checks.takeLate();
    expect(texts).toHaveLength(1);
    return texts;
  }, FOREVER);
  expect(late[0]).toContain('1:1 error: about ERROR');
  expect(checks.takeLate()).toEqual([]);
  expect(others.takeLate()).toEqual([]);
});

test.each<[FakeMode, RegExp]>([
  ['dies', /exit code 3/],
  ['floods', /something that is not a message/],
  ['huge', /more than 16 MB/],
  ['deep', /nested more than 1000 levels deep/],
  ['chatters', /more than 32 MB/],
  ['never-starts', /did not answer within 0.5 seconds/],
])('a server that %s fails, and another one is not affected', { tags: 'long' }, async (mode, reason) => {
  const { root, bin, open } = await place();
  await Promise.all([installServer(bin, 'pyright-langserver', mode), installServer(bin, 'tsgo')]);
  const limits = { startMs: mode === 'never-starts' ? 500 : FOREVER, answerMs: FOREVER, openFiles: 2 };
  const servers = open({ limits });
  const checks = servers.open();
  expect(await edit(checks, join(root, 'a.py'), '', 'ERROR')).toBeUndefined();
  await vi.waitFor(
    async () =>
      expect(await stateOf(servers)).toMatchObject({ type: 'failed', reason: expect.stringMatching(reason) }),
    FOREVER,
  );
  expect(await edit(checks, join(root, 'a.py'), 'ERROR', 'ERROR\nERROR 2')).toBeUndefined();
  expect(checks.takeLate()).toEqual([]);
  const typed = open({ limits: { ...limits, startMs: FOREVER } }).open();
  await edit(typed, join(root, 'a.ts'), '', 'ERROR');
  await vi.waitFor(() => expect(typed.takeLate()).toHaveLength(1), FOREVER);
});

test('a server that hangs delays one result, and no other', { tags: 'long' }, async () => {
  const { root, bin, open } = await place();
  await installServer(bin, 'pyright-langserver', 'hangs');
  const servers = open({ waitMs: 20 });
  const checks = await started(servers, root);
  expect(await edit(checks, join(root, 'a.py'), '', 'ERROR')).toBeUndefined();
  expect(await edit(checks, join(root, 'a.py'), 'ERROR', 'ERROR\nERROR')).toBeUndefined();
});

test('items that are not diagnostics are ignored', async () => {
  const { root, bin, open } = await place();
  await installServer(bin, 'pyright-langserver', 'lies');
  const servers = open();
  const checks = await started(servers, root);
  expect(await edit(checks, join(root, 'a.py'), '', 'ERROR')).toBeUndefined();
  expect(await stateOf(servers)).toMatchObject({ type: 'running' });
});

test('a workspace’s server is never started, not even through a link', async () => {
  const { root, bin, open } = await place();
  const own = await installServer(join(root, 'node_modules/.bin'), 'pyright-langserver');
  await symlink(own, join(bin, 'pyright-langserver'));
  const servers = open();
  expect(await edit(servers.open(), join(root, 'a.py'), '', 'ERROR')).toBeUndefined();
  expect(await stateOf(servers)).toEqual({
    type: 'unusable',
    reason: 'pyright-langserver is a file of this folder, which is never started.',
  });
  expect(existsSync(`${own}.pid`)).toBe(false);
});

test('the workspace’s TypeScript is not used', async () => {
  const { root, bin, open } = await place();
  await installServer(bin, 'typescript-language-server');
  const servers = open();
  await edit(servers.open(), join(root, 'a.ts'), '', 'ERROR');
  const [typescript] = await servers.status();
  expect(typescript?.state).toEqual({
    type: 'unusable',
    reason:
      'typescript-language-server needs the package typescript (with typescript/lib/tsserver.js) installed next to it.',
  });
});

test('nothing starts while servers are not allowed, for files elsewhere, or for sensitive files', async () => {
  const { root, bin, open } = await place();
  await installServer(bin, 'pyright-langserver');
  const after = async (file: string, more: Partial<LanguageServersDeps> = {}): Promise<unknown> => {
    const servers = open(more);
    await edit(servers.open(), file, '', 'ERROR');
    return stateOf(servers);
  };
  const file = join(root, 'a.py');
  expect(await after(file, { refusal: async () => 'no' })).toEqual({ type: 'unusable', reason: 'no' });
  expect(await after('/elsewhere/a.py')).toEqual({ type: 'idle' });
  expect(await after(file, { isSensitive: () => true })).toEqual({ type: 'idle' });
  expect(await after(join(root, 'a.txt'))).toEqual({ type: 'idle' });
  expect(await after(file)).not.toEqual({ type: 'idle' });
});

test('stopping kills a server that ignores the end of its input', async () => {
  const { root, bin, open } = await place();
  const program = await installServer(bin, 'pyright-langserver', 'stays');
  const servers = open();
  await started(servers, root);
  const pid = Number(await readFile(`${program}.pid`, 'utf8'));
  expect(process.kill(pid, 0)).toBe(true);
  servers.stop();
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), FOREVER);
});
