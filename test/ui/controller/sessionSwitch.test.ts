import { expect, test } from 'vitest';
import type { SessionTarget } from '../../../src/agent/types.ts';
import { createSessionSwitch } from '../../../src/ui/controller/sessionSwitch.ts';
import type { Phase } from '../../../src/ui/controller/types.ts';
import type { AppServices, OpenOutcome, UiSession } from '../../../src/ui/types.ts';
import { commandHost } from '../../commands/commandHost.ts';
import { scriptedAgent } from '../../headless/scriptedAgent.ts';
import { plain } from '../mount.tsx';
import { madeEntry, madePort, madeSession } from '../sessions/made.ts';

const said = [madeEntry(0, 'first'), madeEntry(1, 'second')];

function session(id: string, resumed = true): UiSession {
  const agent = Object.assign(scriptedAgent([], { sessionId: id }), {
    entries: () => said,
    page: async (before: number, count: number) => said.filter(({ seq }) => seq < before).slice(-count),
    fork: async (uptoUuid?: string) => `fork-of-${id}-${uptoUuid ?? 'whole'}`,
  });
  return { agent, host: commandHost({ agent }), resumed, notices: [] };
}

/** Services that answer by id; unknown ids can be opened. */
function setUp(answers: Readonly<Record<string, OpenOutcome>> = {}, first?: string) {
  const done: string[] = [];
  const phases: Phase[] = [];
  let current = first === undefined ? undefined : session(first);
  const services: AppServices = {
    theme: plain,
    preferences: { reducedMotion: true, showReasoning: false, vim: false },
    saveSetting: async () => ({ type: 'saved', file: 'config.json' }),
    sessions: madePort([madeSession('a'), madeSession('b', { project: 'q-00000002' })]),
    async open(target: SessionTarget) {
      const id = target.type === 'id' ? target.id : target.type;
      const mode = target.type === 'id' ? (target.mode ?? '') : '';
      done.push(`open ${id} ${mode}`.trimEnd());
      const answer = mode === '' ? answers[id] : undefined;
      return (
        answer ?? { type: 'opened', session: session(mode === 'fork' ? `copy of ${id}` : id, id !== 'new') }
      );
    },
  };
  const sessions = createSessionSwitch({
    services: () => services,
    session: () => current,
    phase: (phase) => phases.push(phase),
    showNotice: (level, text) => done.push(`${level}: ${text}`),
    async attach(next, at) {
      current = next;
      done.push(`attach ${next.agent.state().sessionId}${at === undefined ? '' : ` at ${at}`}`);
    },
    show: async (at) => void done.push(`show ${at}`),
    opened: () => done.push('opened'),
    isLeaving: () => false,
    leave: (code) => done.push(`leave ${code}`),
  });
  return { sessions, done, phase: () => phases.at(-1) };
}

const insert = (text: string) => ({ type: 'edit', edit: { type: 'insert', text } }) as const;

/** Lets every due promise settle. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

const locked: OpenOutcome = {
  type: 'refused',
  refusal: {
    why: 'locked',
    holder: { pid: 4711, host: 'here', since: '2026-11-21T07:00:00.000Z' },
    canRead: true,
  },
  id: 'held',
  title: 'Held',
};

test('a session that is open elsewhere leads to a question, and can then be viewed or forked', async () => {
  for (const [answer, opened] of [
    ['read', 'attach held'],
    ['fork', 'attach copy of held'],
  ] as const) {
    const { sessions, done, phase } = setUp({ held: locked });
    await sessions.open({ type: 'id', id: 'held' });
    expect(phase()).toMatchObject({ type: 'refused', id: 'held', title: 'Held', back: 'new' });
    sessions.answer(answer);
    await settled();
    expect(done).toContain(`open held ${answer}`);
    expect(done).toContain(opened);
  }
});

test('Esc at the question starts a new session if none was open', async () => {
  const { sessions, done } = setUp({ held: locked });
  await sessions.open({ type: 'id', id: 'held' });
  sessions.answer('back');
  await settled();
  expect(done).toEqual(['open held', 'open new', 'attach new', 'opened']);
});

test('Esc at the question returns to the open session or the list', async () => {
  const { sessions, done, phase } = setUp({ held: locked }, 'open');
  await sessions.open({ type: 'id', id: 'held' });
  expect(phase()).toMatchObject({ type: 'refused', back: 'session' });
  sessions.answer('back');
  expect(phase()).toEqual({ type: 'session' });
  sessions.pick();
  const shown = phase();
  expect(shown?.type).toBe('picking');
  await sessions.open({ type: 'id', id: 'held' });
  expect(phase()).toMatchObject({ type: 'refused', back: 'list' });
  sessions.answer('back');
  expect(phase()).toEqual(shown);
  expect(done).toEqual(['open held', 'open held']);
  sessions.dispose();
});

test('a session that cannot be opened changes nothing, and ends the program if none was open', async () => {
  const failed: OpenOutcome = { type: 'failed', message: 'No session "x".' };
  const within = setUp({ x: failed }, 'open');
  await within.sessions.open({ type: 'id', id: 'x' });
  expect(within.done).toEqual(['open x', 'error: No session "x".']);
  expect(within.phase()).toEqual({ type: 'session' });
  const alone = setUp({ x: failed });
  await alone.sessions.open({ type: 'id', id: 'x' });
  expect(alone.done.at(-1)).toBe('leave 42');
});

test('a session of another project leads to a question', async () => {
  const { sessions, done, phase } = setUp({}, 'open');
  sessions.pick();
  const shown = phase();
  if (shown?.type !== 'picking') throw new Error('there is no list');
  await settled();
  shown.picker.press({ type: 'action', name: 'sessions:scope' }, 9);
  await settled();
  for (const letter of 'title of b') shown.picker.press(insert(letter), 9);
  shown.picker.press({ type: 'action', name: 'select:accept' }, 9);
  expect(phase()).toMatchObject({ type: 'refused', id: 'b', back: 'list', refusal: { why: 'elsewhere' } });
  expect(done).toEqual([]);
  sessions.answer('fork');
  await settled();
  expect(done.slice(0, 2)).toEqual(['open b fork', 'attach copy of b']);
  sessions.dispose();
});

test('choosing the open session does not open it again; a hit in it is shown', async () => {
  const { sessions, done } = setUp({}, 'open');
  await sessions.open({ type: 'id', id: 'open' });
  await sessions.open({ type: 'id', id: 'open' }, { at: 7 });
  expect(done).toEqual(['show 7']);
});

test('a fork is opened, and a message says how to get back', async () => {
  const { sessions, done } = setUp({}, 'open');
  await sessions.fork(1);
  expect(done).toEqual([
    'open fork-of-open-uuid1',
    'attach fork-of-open-uuid1',
    'info: Forked; you are now in the copy. Original: /resume open',
    'opened',
  ]);
  await sessions.fork(9);
  expect(done.at(-1)).toBe('error: There is no entry #9 in this session to fork at.');
});

test('one session is opened at a time', async () => {
  const { sessions, done } = setUp();
  await Promise.all([sessions.open({ type: 'id', id: 'a' }), sessions.open({ type: 'id', id: 'b' })]);
  expect(done).toEqual(['open a', 'attach a', 'opened']);
});
