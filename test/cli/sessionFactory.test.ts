import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { OpenedSession, SessionFactoryOptions } from '../../src/cli/openContext.ts';
import type { AppPaths } from '../../src/cli/process/appPaths.ts';
import { createDebugLog } from '../../src/cli/process/debugLog.ts';
import { prefetchEnvironment } from '../../src/cli/process/environment.ts';
import { createSessionFactory } from '../../src/cli/sessionFactory.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';
import { getProjectStoragePath, SessionLockedError, SessionNotFoundError } from '../../src/context/index.ts';
import { DEMO_MODEL } from '../../src/model/demo.ts';
import { shellOutput } from '../../src/protocol/entries/readEntry.ts';
import { entryLine } from '../agent/line.ts';
import { dataOf } from '../madeUpEntry.ts';

interface Project {
  readonly place: AppPaths;
  /** Opens a session as a fresh start of the program would, in a subfolder of the root. */
  open(given?: {
    readonly id?: string | 'latest';
    readonly from?: string;
    readonly options?: Partial<SessionFactoryOptions>;
  }): Promise<OpenedSession>;
  /** Continues in a fork of a session. */
  fork(id: string): Promise<OpenedSession>;
}

async function project(): Promise<Project> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-sessions-')));
  const root = join(home, 'project');
  await mkdir(join(root, '.git'), { recursive: true });
  await mkdir(join(root, 'sub/deep'), { recursive: true });
  const dataRoot = join(home, '.clawdcode');
  const place = { cwd: root, root, home, dataRoot, packageRoot: home, version: '1.0.0', env: process.env };
  const loaded = await loadSettings({ dataRoot, home, root, env: {}, trusted: true, flags: {} });
  const opened: OpenedSession[] = [];
  onTestFinished(async () => {
    for (const { agent } of opened) await agent.close();
    await rm(home, { recursive: true, force: true });
  });
  const factoryFrom = (from: string, options: Partial<SessionFactoryOptions> = {}) =>
    createSessionFactory({
      place: { ...place, cwd: join(root, from) },
      loaded,
      apiKey: undefined,
      model: DEMO_MODEL,
      modelForced: false,
      demo: true,
      interactive: true,
      debug: createDebugLog(dataRoot, false, () => new Date()),
      environment: prefetchEnvironment({ ...place, cwd: join(root, from) }),
      ...options,
    });
  const keep = (session: OpenedSession): OpenedSession => {
    opened.push(session);
    return session;
  };
  return {
    place,
    fork: async (id) => keep(await factoryFrom('.').open({ type: 'id', id, mode: 'fork' })),
    async open({ id, from = '.', options } = {}) {
      const target =
        id === 'latest' ? ({ type: 'latest' } as const) : ({ type: 'id', id: id ?? '' } as const);
      return keep(await factoryFrom(from, options).open(id === undefined ? { type: 'new' } : target));
    },
  };
}

/** Runs `!command` and returns what it printed. */
async function shell({ agent }: OpenedSession, command: string): Promise<string> {
  agent.submit({ type: 'shell', command });
  await agent.idle();
  const entry = agent.entries().findLast(({ subtype }) => subtype === 'shell');
  return entry === undefined ? '' : (shellOutput(entry) ?? '').trim();
}

async function say({ agent }: OpenedSession, text: string): Promise<void> {
  agent.submit({ type: 'prompt', text });
  await agent.idle();
}

test('the shell starts in the program’s directory, as in the system prompt', async () => {
  const { open, place } = await project();
  const session = await open({ from: 'sub' });
  expect(await shell(session, 'pwd')).toBe(join(place.root, 'sub'));
  const [header] = session.agent.entries();
  expect(dataOf(header).systemPrompt).toContain(`Working directory: ${join(place.root, 'sub')}\n`);
  expect(session.agent.entries().at(-1)?.cwd).toBe(join(place.root, 'sub'));
});

test('the project’s folder is on record when its first session opens, and that of an unsaved session is not', async () => {
  const { open, place } = await project();
  const record = join(getProjectStoragePath(place.dataRoot, place.root), 'project.json');
  await open({ options: { isEphemeral: true } });
  expect(existsSync(record)).toBe(false);
  await open();
  const { ino } = await stat(place.root);
  expect(JSON.parse(await readFile(record, 'utf8'))).toMatchObject({ places: [{ root: place.root, ino }] });
});

test('each session has its own key, which the system prompt names last and a fork keeps', {
  tags: 'long',
}, async () => {
  const { open, fork } = await project();
  const headers = [];
  for (let count = 0; count < 2; count++) headers.push(dataOf((await open()).agent.entries()[0]));
  const [one, two] = headers.map(({ noteKey }) => String(noteKey));
  expect(one).toMatch(/^[A-Za-z0-9]{8}$/);
  expect(two).not.toBe(one);
  const marks = String(headers[0]?.systemPrompt).split('# Marks');
  expect(marks).toHaveLength(2);
  expect(marks[0]).not.toContain(one);
  expect(marks[1]).toContain(`<system-note ${one}>`);
  const first = await open();
  await say(first, 'hello');
  const copy = await fork(first.agent.state().sessionId);
  expect(dataOf(copy.agent.entries()[0]).noteKey).toBe(dataOf(first.agent.entries()[0]).noteKey);
});

test.each(['deny', 'ask'] as const)(
  'instructions do not include a file that a rule protects from reading (%s)',
  async (behavior) => {
    const { open, place } = await project();
    const { dataRoot, home, root } = place;
    await mkdir(join(root, 'private'));
    await writeFile(join(root, 'private/prices.md'), 'one and a half million\n');
    await writeFile(join(root, 'AGENTS.md'), 'Use tabs. See @private/prices.md\n');
    await writeFile(join(root, 'sub/AGENTS.md'), '# never read\n');
    await mkdir(dataRoot, { recursive: true });
    const permissions = { [behavior]: ['Read(private/**)', 'Read(/sub/AGENTS.md)'] };
    await writeFile(join(dataRoot, 'config.json'), JSON.stringify({ permissions }));
    const loaded = await loadSettings({ dataRoot, home, root, env: {}, trusted: true, flags: {} });
    const { agent } = await open({ from: 'sub', options: { loaded } });
    const told = agent.entries().filter(({ subtype }) => subtype === 'instructions');
    const texts = told.map(({ message }) => String(message.content));
    expect(texts).toEqual([
      expect.stringContaining('Use tabs.'),
      expect.stringContaining('a permission rule denies reading it'),
      expect.stringContaining('a permission rule denies reading it'),
    ]);
  },
);

test('a resumed session keeps its shell directory and sends the same bytes', async () => {
  const { open, place } = await project();
  const first = await open();
  await say(first, 'hello');
  await shell(first, 'cd sub/deep');
  const { sessionId } = first.agent.state();
  const before = first.agent.entries();
  await first.agent.close();
  const again = await open({ id: sessionId });
  expect(again.resumed).toBe(true);
  expect(again.agent.entries()).toEqual(before);
  expect(await shell(again, 'pwd')).toBe(join(place.root, 'sub/deep'));
});

test('a session resumed from another folder works there, and a note tells the model', {
  tags: 'long',
}, async () => {
  const { open, place } = await project();
  const first = await open();
  await say(first, 'hello');
  await first.agent.close();
  const again = await open({ id: 'latest', from: 'sub' });
  expect(await shell(again, 'pwd')).toBe(join(place.root, 'sub'));
  const note = again.agent.entries().find((entry) => entry.subtype === 'environment');
  expect(note?.message.content).toContain(`Working directory: ${join(place.root, 'sub')}\n`);
});

test('on another day, a note tells the model the date and the shell’s directory', {
  tags: 'long',
}, async () => {
  const { open, place } = await project();
  const first = await open();
  await say(first, 'hello');
  await shell(first, 'cd sub/deep');
  await first.agent.close();
  const environment = { directory: place.root, platform: 'Linux 6.8.0', date: '2030-01-02' };
  const options = { environment: async () => environment };
  const again = await open({ id: 'latest', options });
  const notes = ({ agent }: OpenedSession) =>
    agent
      .entries()
      .filter((entry) => entry.subtype === 'environment')
      .map(({ message }) => message.content);
  const [note, ...others] = notes(again);
  expect(note).toMatch(/^On resuming \(\d{4}-\d\d-\d\d \d\d:\d\d\) the environment was:\n\n# Environment\n/);
  expect(note).toContain(`Working directory: ${place.root}\n`);
  expect(note).toContain(
    `\nThe shell was in ${join(place.root, 'sub/deep')}, where tools resolve relative paths.`,
  );
  expect(others).toEqual([]);
  expect(await shell(again, 'pwd')).toBe(join(place.root, 'sub/deep'));
  await again.agent.close();
  const third = await open({
    id: 'latest',
    options: { environment: async () => ({ ...environment, date: '2030-01-03' }) },
  });
  await shell(third, 'cd ../..');
  await third.agent.close();
  const fourth = await open({ id: 'latest', options });
  expect(notes(fourth).at(-1)).toMatch(/\nDate: 2030-01-02\nNot a git repository\.$/);
});

test('instructions that changed in the meantime are appended once', { tags: 'long' }, async () => {
  const { open, place } = await project();
  await writeFile(join(place.root, 'AGENTS.md'), 'Use tabs.');
  const first = await open();
  await say(first, 'hello');
  const { sessionId } = first.agent.state();
  await first.agent.close();
  await writeFile(join(place.root, 'AGENTS.md'), 'Use spaces.');
  for (let start = 0; start < 2; start++) {
    const again = await open({ id: sessionId });
    const pinned = again.agent.entries().filter((entry) => entry.subtype === 'instructions');
    expect(pinned.map(({ message }) => /tabs|spaces/.exec(String(message.content))?.[0])).toEqual([
      'tabs',
      'spaces',
    ]);
    await again.agent.close();
  }
});

/** As with a real endpoint, to which nothing is sent. */
const real = (model: string): Partial<SessionFactoryOptions> => ({ demo: false, model });

test('a resumed session keeps its initial or last chosen model', async () => {
  const { open } = await project();
  const first = await open({ options: real('gpt-4.1') });
  const { sessionId } = first.agent.state();
  await shell(first, 'true');
  await first.agent.close();
  const second = await open({ id: sessionId, options: real('gpt-4o') });
  expect(second.agent.state().model.id).toBe('gpt-4.1');
  second.agent.submit({ type: 'set_model', model: 'o3' });
  await second.agent.close();
  const third = await open({ id: sessionId, options: real('gpt-4o') });
  expect(third.agent.state().model.id).toBe('o3');
  await third.agent.close();
  const forced = await open({ id: sessionId, options: { ...real('gpt-4o'), modelForced: true } });
  expect(forced.agent.state().model.id).toBe('gpt-4o');
});

test('a resumed session keeps its effort unless the command line sets another', async () => {
  const { open, place } = await project();
  const first = await open({ options: real('gpt-5.2') });
  const { sessionId } = first.agent.state();
  first.agent.submit({ type: 'set_effort', effort: 'high' });
  await first.agent.close();
  const second = await open({ id: sessionId, options: real('gpt-5.2') });
  expect(second.agent.state().model.effort).toBe('high');
  second.agent.submit({ type: 'set_effort' });
  await second.agent.close();
  const third = await open({ id: sessionId, options: real('gpt-5.2') });
  expect(third.agent.state().model.effort).toBeUndefined();
  third.agent.submit({ type: 'set_effort', effort: 'high' });
  await third.agent.close();
  const { dataRoot, home, root } = place;
  const loaded = await loadSettings({
    dataRoot,
    home,
    root,
    env: {},
    trusted: true,
    flags: { effort: 'low' },
  });
  const forced = await open({ id: sessionId, options: { ...real('gpt-5.2'), loaded } });
  expect(forced.agent.state().model.effort).toBe('low');
});

test('a demo session continues with a real model once there is one, and vice versa', {
  tags: 'long',
}, async () => {
  const { open } = await project();
  const first = await open();
  const { sessionId } = first.agent.state();
  await say(first, 'hello');
  await first.agent.close();
  const second = await open({ id: sessionId, options: real('gpt-4o') });
  expect(second.agent.state()).toMatchObject({ demo: false, model: { id: 'gpt-4o' } });
  await second.agent.close();
  const third = await open({ id: sessionId });
  expect(third.agent.state()).toMatchObject({ demo: true, model: { id: DEMO_MODEL } });
});

test.each([
  ['bypassPermissions', 'default'],
  ['acceptEdits', 'default'],
  ['plan', 'plan'],
] as const)('a session that ended in %s continues in %s', { tags: 'long' }, async (left, expected) => {
  const { open } = await project();
  const first = await open();
  first.agent.submit({ type: 'set_mode', mode: left });
  await say(first, 'hello');
  expect(first.agent.state().mode).toBe(left);
  await first.agent.close();
  const second = await open({ id: 'latest' });
  await say(second, 'hello again');
  expect(second.agent.state().mode).toBe(expected);
  await second.agent.close();
});

test('a session that is open elsewhere, or unknown, is rejected, and nothing is created', {
  tags: 'long',
}, async () => {
  const { open } = await project();
  const first = await open();
  await say(first, 'hello');
  await expect(open({ id: first.agent.state().sessionId })).rejects.toThrow(SessionLockedError);
  await expect(open({ id: 'nobody' })).rejects.toThrow(SessionNotFoundError);
});

test('if there is nothing to continue, the new session says so', async () => {
  const { open } = await project();
  const session = await open({ id: 'latest' });
  expect(session.resumed).toBe(false);
  expect(session.notices).toEqual(['There is no session to continue here; this is a new one.']);
  expect(session.agent.entries().map(entryLine)).toEqual(['session_start']);
});

test('a session that cannot be saved says so before the first prompt', async () => {
  const { place, open } = await project();
  const file = join(place.home, 'a-file');
  await writeFile(file, '');
  const session = await open({ options: { place: { ...place, dataRoot: join(file, 'below') } } });
  expect(session.notices).toEqual([expect.stringContaining('The session is not being saved')]);
});
