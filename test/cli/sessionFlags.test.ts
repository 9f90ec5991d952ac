/** --fork-session, --name, and --resume with a title: which session they open. */

import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionTarget } from '../../src/agent/types.ts';
import type { OpenedSession } from '../../src/cli/openContext.ts';
import { targetOf, withFlags } from '../../src/cli/options.ts';
import { createDebugLog } from '../../src/cli/process/debugLog.ts';
import { prefetchEnvironment } from '../../src/cli/process/environment.ts';
import { createSessionFactory } from '../../src/cli/sessionFactory.ts';
import { describeOpenError } from '../../src/cli/sessions/sessionErrors.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';
import { SessionLockedError } from '../../src/context/index.ts';
import { DEMO_MODEL } from '../../src/model/demo.ts';
import { shellCommand } from '../../src/protocol/entries/readEntry.ts';
import { firstIsQuick } from '../e2e/support/long.ts';

async function setUp(): Promise<{
  open(target: SessionTarget): Promise<OpenedSession>;
  /** Opens one, sends a prompt, and closes it. Returns its id. */
  lived(target: SessionTarget, prompt: string): Promise<string>;
  has(name: string): Promise<boolean>;
  files(): Promise<string[]>;
}> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-flags-')));
  const root = join(home, 'project');
  await mkdir(join(root, '.git'), { recursive: true });
  const dataRoot = join(home, '.clawdcode');
  const place = { cwd: root, root, home, dataRoot, packageRoot: home, version: '1.0.0', env: process.env };
  const loaded = await loadSettings({ dataRoot, home, root, env: {}, trusted: true, flags: {} });
  const opened: OpenedSession[] = [];
  onTestFinished(async () => {
    for (const { agent } of opened) await agent.close();
    await rm(home, { recursive: true, force: true });
  });
  const built = createSessionFactory({
    place,
    loaded,
    apiKey: undefined,
    model: DEMO_MODEL,
    modelForced: false,
    demo: true,
    interactive: true,
    debug: createDebugLog(dataRoot, false, () => new Date()),
    environment: prefetchEnvironment({ root, cwd: root, env: process.env }),
  });
  const open = async (target: SessionTarget): Promise<OpenedSession> => {
    const session = await built.open(target);
    opened.push(session);
    return session;
  };
  return {
    open,
    has: built.has,
    async lived(target, prompt) {
      const { agent } = await open(target);
      agent.submit({ type: 'shell', command: `echo ${prompt}` });
      await agent.idle();
      const { sessionId } = agent.state();
      await agent.close();
      return sessionId;
    },
    async files() {
      const [project = ''] = await readdir(join(dataRoot, 'projects'));
      const names = await readdir(join(dataRoot, 'projects', project));
      return names.filter((name) => name.endsWith('.jsonl'));
    },
  };
}

const said = ({ agent }: OpenedSession): unknown[] =>
  agent.entries().flatMap((entry) => shellCommand(entry) ?? []);

test('a session is resumed by its title, ignoring case', { tags: 'long' }, async () => {
  const { open, lived, has } = await setUp();
  const id = await lived({ type: 'new', title: 'Fix the login' }, 'one');
  await lived({ type: 'new' }, 'two');
  expect([await has('fix the LOGIN'), await has(id.slice(0, 6)), await has('Fix')]).toEqual([
    true,
    true,
    false,
  ]);
  const { agent } = await open({ type: 'id', id: 'Fix the login' });
  expect([agent.state().sessionId, agent.state().title]).toEqual([id, 'Fix the login']);
});

test('an ambiguous title opens no session', { tags: 'long' }, async () => {
  const { open, lived } = await setUp();
  const ids = [
    await lived({ type: 'new', title: 'Same' }, 'a'),
    await lived({ type: 'new', title: 'same' }, 'b'),
  ];
  const error: unknown = await open({ type: 'id', id: 'Same' }).catch((reason: unknown) => reason);
  const message = describeOpenError(error) ?? '';
  expect(message).toMatch(/^2 sessions are titled "Same", newest first: /);
  for (const id of ids) expect(message).toContain(id);
});

const targets: readonly [string, (id: string) => SessionTarget][] = [
  ['--resume', (id) => ({ type: 'id', id })],
  ['--continue', () => ({ type: 'latest' })],
];
for (const {
  row: [flag, target],
  options,
} of firstIsQuick(targets))
  test(
    `${flag} --fork-session continues in a fork, even of a session that is open elsewhere`,
    options,
    async () => {
      const { open, lived, files } = await setUp();
      const id = await lived({ type: 'new' }, 'one');
      const holder = await open({ type: 'id', id });
      await expect(open(target(id))).rejects.toThrow(SessionLockedError);
      const copy = await open(withFlags(target(id), { forkSession: true, name: 'Another way' }));
      expect(copy.agent.state().sessionId).not.toBe(id);
      expect([said(copy), copy.agent.state().title]).toEqual([['echo one'], 'Another way']);
      copy.agent.submit({ type: 'shell', command: 'echo copy' });
      await copy.agent.idle();
      expect([said(copy), said(holder)]).toEqual([['echo one', 'echo copy'], ['echo one']]);
      expect(await files()).toHaveLength(2);
    },
  );

test('if there is nothing to continue, nothing is forked', async () => {
  const { open, files } = await setUp();
  const opened = await open({ type: 'latest', mode: 'fork' });
  expect(opened.resumed).toBe(false);
  expect(await files()).toHaveLength(1);
});

const flags = {
  continue: false,
  resume: undefined,
  sessionId: undefined,
  forkSession: false,
  name: undefined,
};
test.each([
  [{}, { type: 'new' }],
  [
    { sessionId: 'x', name: ' My\n title ' },
    { type: 'new', sessionId: 'x', title: 'My title' },
  ],
  [{ name: '  ' }, { type: 'new' }],
  [
    { continue: true, forkSession: true },
    { type: 'latest', mode: 'fork' },
  ],
  [
    { resume: 'abc', name: 'T' },
    { type: 'id', id: 'abc', title: 'T' },
  ],
  [
    { resume: 'abc', forkSession: true },
    { type: 'id', id: 'abc', mode: 'fork' },
  ],
  [{ resume: true, forkSession: true }, undefined],
])('%j means %j', (given, target) => {
  expect(targetOf({ ...flags, ...given } as Parameters<typeof targetOf>[0])).toEqual(target);
});
