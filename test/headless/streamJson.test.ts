import { describe, expect, test } from 'vitest';
import { runHeadless } from '../../src/headless/runHeadless.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import type { HookRun } from '../../src/protocol/extensions/hooks.ts';
import type { TaskInfo } from '../../src/protocol/tasks.ts';
import { commandHost } from '../commands/commandHost.ts';
import { ended, failed, nudge, prompt, rateLimit, reply, step, system, text, wholeTurn } from './events.ts';
import { scriptedAgent } from './scriptedAgent.ts';

type Line = Record<string, unknown> & { type: string; subtype?: string };

async function lines(
  say: readonly AgentEvent[],
  includePartialMessages = false,
  heldSettings: readonly string[] = [],
  tasks: readonly (readonly TaskInfo[])[] = [],
): Promise<Line[]> {
  const scripted = scriptedAgent([{ on: { type: 'prompt', text: 'hello' }, say }]);
  let changes = 0;
  scripted.subscribe(({ type }) => {
    if (type === 'tasks_changed') changes++;
  });
  const agent = { ...scripted, state: () => ({ ...scripted.state(), tasks: tasks[changes] ?? [] }) };
  let [stdout, time] = ['', 0];
  await runHeadless({
    agent,
    modelInfo: commandHost().modelInfo,
    host: async () => commandHost({ agent, status: () => ({ ...commandHost().status(), heldSettings }) }),
    prompt: 'hello',
    outputFormat: 'stream-json',
    includePartialMessages,
    includeHookEvents: true,
    write: (line) => {
      stdout += line;
    },
    writeError: (line) => {
      throw new Error(`unexpected on standard error: ${line}`);
    },
    now: () => (time += 500),
    tools: () => ['Read', 'Bash'],
  });
  expect(stdout.endsWith('\n')).toBe(true);
  expect(stdout).not.toMatch(/[\u2028\u2029]/);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** One line of JSON per line again, formatted for reading; random ids are replaced by placeholders. */
function golden(all: readonly Line[]): string {
  const spread = all.map((line) => JSON.stringify(line, null, 2)).join('\n');
  return `${spread.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')}\n`;
}

const compaction = (outcome: 'done' | 'fallback' | 'refused', message?: string): AgentEvent[] => [
  { type: 'compaction_started', trigger: 'auto', preTokens: 8_100 },
  { type: 'compaction_progress', characters: 10 },
  {
    type: 'compaction_ended',
    report: {
      outcome,
      trigger: 'auto',
      preTokens: 8_100,
      postTokens: 1_900,
      files: ['/home/me/project/a.ts'],
      durationMs: 900,
      ...(message === undefined ? {} : { message }),
    },
  },
];

const run: HookRun = {
  ...{ id: 'h1', event: 'PreToolUse', name: 'PreToolUse:Bash', label: './check', source: 'config.json' },
  ...{ outcome: 'failed', durationMs: 5, exitCode: 3, stdout: 'checked', stderr: 'broken' },
};

/** A command and a subagent in the background: both start, one ends, and the other is stopped. */
const command: TaskInfo = { id: 'b1', command: 'npm start', startedAtMs: 1, lastLine: '' };
const helper: TaskInfo = { ...command, id: 'a1', command: 'explore: look', kind: 'subagent' };
const taskStates: readonly (readonly TaskInfo[])[] = [
  [{ ...command, id: 'b0', end: { endedAtMs: 1 } }],
  [command, helper],
  [{ ...command, end: { endedAtMs: 2, code: 1 } }, helper],
  [
    { ...command, end: { endedAtMs: 2, code: 1 } },
    { ...helper, end: { endedAtMs: 3, stoppedBy: 'user', outcome: 'was stopped' } },
  ],
];

const scenes: Readonly<Record<string, readonly AgentEvent[]>> = {
  turn: wholeTurn,
  failure: [
    step(1),
    failed({ kind: 'server', message: 'The endpoint is down.', retryable: true, status: 500 }),
  ],
  'turn-limit': [step(1), reply('reply1', ''), { type: 'turn_ended', outcome: 'max_turns', steps: 1 }],
  interrupted: [
    step(1),
    text('Half'),
    reply('reply1', 'Half', { interrupted: true }),
    { type: 'turn_ended', outcome: 'interrupted', steps: 1 },
  ],
  compaction: [
    ...compaction('done'),
    ...compaction('fallback', 'The summary failed; the newest 30 % were kept.'),
    ...compaction('refused', 'Too short.'),
    ended(1),
  ],
  retry: [
    { type: 'retrying', attempt: 1, maxAttempts: 10, delayMs: 500, error: rateLimit },
    { type: 'retrying', attempt: 2, maxAttempts: 10, delayMs: 900, error: { ...rateLimit, kind: 'network' } },
    ended(1),
  ],
  notices: [
    { type: 'notice', level: 'warning', text: 'The reply was cut.' },
    { type: 'mode_changed', mode: 'acceptEdits' },
    nudge('Try another way.'),
    ended(1),
  ],
  hooks: [
    { type: 'hook', progress: { type: 'started', ...run } },
    { type: 'hook', progress: { type: 'ended', run } },
    ended(1),
  ],
};

describe('stream-json', () => {
  test.each(Object.entries(scenes))('%s has the shape of its golden file', async (name, say) => {
    await expect(golden(await lines(say))).toMatchFileSnapshot(`golden/${name}.json`);
  });

  test('a background task has a line when it starts and one when it ends', async () => {
    const changed: AgentEvent = { type: 'tasks_changed' };
    const all = await lines([changed, changed, changed, ended(1)], false, [], taskStates);
    expect(all.filter(({ task_id }) => task_id === 'b0')).toEqual([]);
    await expect(golden(all)).toMatchFileSnapshot('golden/tasks.json');
  });

  test('with partial messages, deltas come as stream events before the message itself', async () => {
    const all = await lines(wholeTurn, true);
    await expect(golden(all)).toMatchFileSnapshot('golden/partial-messages.json');
    const started = all.flatMap(
      ({ event }) => (event as { message?: { id: string } } | undefined)?.message?.id ?? [],
    );
    const replied = all.flatMap(({ type, message }) =>
      type === 'assistant' ? (message as { id: string }).id : [],
    );
    expect([...new Set(replied)]).toEqual(started);
    expect(all.filter((line) => line.type !== 'stream_event')).toHaveLength((await lines(wholeTurn)).length);
  });

  test('every line carries a uuid and the session', async () => {
    for (const line of await lines(wholeTurn, true)) {
      expect(line.uuid).toMatch(/./);
      expect(line.session_id).toBe('session1');
    }
  });

  test('the first line is init, the last one the only result', async () => {
    const kinds = (await lines(wholeTurn)).map(({ type, subtype }) => subtype ?? type);
    expect(kinds[0]).toBe('init');
    expect(kinds.indexOf('success')).toBe(kinds.length - 1);
  });

  test('init lists the settings that wait for trust', async () => {
    const [all] = await lines(wholeTurn);
    expect(all).not.toHaveProperty('untrusted_settings');
    const [held] = await lines(wholeTurn, false, ['env', 'permissions.allow']);
    expect(held?.untrusted_settings).toEqual(['env', 'permissions.allow']);
  });
});

describe('partial messages', () => {
  const events = async (say: readonly AgentEvent[]): Promise<string[]> => {
    const all = await lines(say, true);
    return all.flatMap((line) => (line.type === 'stream_event' ? (line.event as { type: string }).type : []));
  };
  const whole = ['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'];
  const stop = ['message_delta', 'message_stop'];

  test('a reply that is discarded and retried makes two full messages', async () => {
    const discarded: AgentEvent = { type: 'reply_discarded' };
    const retrying: AgentEvent = {
      type: 'retrying',
      attempt: 1,
      maxAttempts: 2,
      delayMs: 1,
      error: rateLimit,
    };
    const say = [step(1), text('a'), discarded, retrying, text('b'), reply('reply1', 'b'), ended(1)];
    expect(await events(say)).toEqual([...whole, ...stop, ...whole, ...stop]);
  });

  test('a reply cut off by the user still ends', async () => {
    const say: AgentEvent[] = [step(1), text('a'), { type: 'turn_ended', outcome: 'interrupted', steps: 1 }];
    expect(await events(say)).toEqual([...whole, ...stop]);
  });

  test('output alongside a reply does not end it', async () => {
    const mode: AgentEvent = { type: 'mode_changed', mode: 'plan' };
    const say = [step(1), text('a'), mode, prompt('queued'), text('b'), reply('reply1', 'ab'), ended(1)];
    expect(await events(say)).toEqual([...whole.slice(0, 3), ...whole.slice(2), ...stop]);
  });
});

test('reductions, failed summaries and an undone compaction are reported as information', async () => {
  const back = {
    outcome: 'done',
    trigger: 'manual',
    preTokens: 1,
    postTokens: 2,
    files: [],
    durationMs: 0,
    message: 'It is back.',
  } as const;
  const all = await lines([
    system('reduction', {
      kind: 'mask',
      reason: 'old steps',
      removed: ['a'],
      preTokens: 9000,
      postTokens: 4000,
    }),
    system('reduction', { kind: 'of tomorrow' }),
    system('summary_failed', { reason: 'it was empty' }),
    { type: 'compaction_ended', report: back },
    ended(0),
  ]);
  const told = all.filter(({ subtype }) => subtype === 'informational' || subtype === 'compact_boundary');
  expect(told.map(({ subtype, content, level }) => [subtype, level, content])).toEqual([
    ['informational', 'info', 'Shortened 1 earlier step (9k → 4k tokens)'],
    ['informational', 'warning', 'Summary failed: it was empty'],
    ['informational', 'info', 'It is back.'],
  ]);
});
