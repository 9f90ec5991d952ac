import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCheckpointKeeper } from '../../src/agent/checkpoints.ts';
import type { FileCheckpoints } from '../../src/protocol/checkpoints.ts';
import type { Access } from '../../src/protocol/permissions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const command: Access = { type: 'command', command: 'make', cwd: '/srv/project' };
const write: Access = { type: 'write', paths: ['/srv/project/a'] };
const { signal } = new AbortController();

function keeper() {
  const asked: string[] = [];
  const files: Pick<FileCheckpoints, 'baseline' | 'capture' | 'keep'> = {
    baseline: async () => void asked.push('scan'),
    keep: async () => {
      asked.push('keep');
      return { changes: [], notes: [] };
    },
    capture: async () => ({ changes: [], notes: [] }),
  };
  const made = createCheckpointKeeper({
    files: files as FileCheckpoints,
    context: { append: () => Promise.reject(new Error('nothing to record')), sync: async () => {} },
    running: () => [],
    now: () => Date.now(),
    warn: () => {},
  });
  return { keeper: made, asked };
}

test('a turn starts a scan immediately, while the model is thinking', async () => {
  const { keeper: one, asked } = keeper();
  one.scanSoon();
  expect(asked).toEqual([]);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(['scan']);
});

test('a turn that ends without tool calls triggers no scan', async () => {
  const { keeper: one, asked } = keeper();
  one.scanSoon();
  one.handleEvent({ type: 'turn_ended', outcome: 'done', steps: 1 });
  await vi.runAllTimersAsync();
  expect(asked).toEqual([]);
});

test('no scan runs during a call that changes files, since it would record the changes as the earlier state', async () => {
  const { keeper: one, asked } = keeper();
  one.scanSoon();
  await one.before(write, signal);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(['keep']);
  one.scanSoon();
  await one.before(command, signal);
  expect(asked, 'the look of its own').toEqual(['keep', 'scan']);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(['keep', 'scan']);
});

test('the first command of a turn triggers a scan, even right after the previous turn', async () => {
  const { keeper: one, asked } = keeper();
  await one.before(command, signal);
  one.scanSoon();
  await one.before(command, signal);
  expect(asked).toEqual(['scan', 'scan']);
});

test('a command triggers one scan while the model is writing it', async () => {
  const { keeper: one, asked } = keeper();
  one.scanSoon();
  one.handleEvent({ type: 'tool_call_delta', index: 0, name: 'Bash', argumentsLength: 1 });
  await vi.runAllTimersAsync();
  await one.before(command, signal);
  expect(asked).toEqual(['scan']);
});

/** A keeper for subagents: every scan finds a change. Also returns what is recorded. */
function lender(running: () => readonly string[] = () => []) {
  const recorded: { callIds: readonly string[] }[] = [];
  let baselines = 0;
  const change = {
    path: '/srv/project/a',
    after: { type: 'file', hash: 'h', bytes: 1, mode: 0o644 },
  } as const;
  const files: Pick<FileCheckpoints, 'baseline' | 'capture' | 'keep' | 'diff'> = {
    baseline: async () => {
      baselines += 1;
    },
    keep: async () => ({ changes: [], notes: [] }),
    capture: async () => ({ changes: [change], notes: [] }),
    diff: async () => [],
  };
  const made = createCheckpointKeeper({
    files: files as FileCheckpoints,
    context: {
      append: async (...drafts) => {
        for (const { data } of drafts) recorded.push(data as { callIds: readonly string[] });
        return [];
      },
      sync: async () => {},
    },
    running,
    now: () => Date.now(),
    warn: () => {},
  });
  return { keeper: made, recorded: () => recorded.map(({ callIds }) => callIds), baselines: () => baselines };
}

test("attributes a subagent's changes to the call that started it", async () => {
  const { keeper: one, recorded } = lender();
  const lent = one.lend('agent-call', () => []);
  await lent.before(write, signal);
  expect(await lent.after('own-call', 'call', write, signal)).toEqual({ filesChanged: [], drafts: [] });
  await lent.before(command, signal);
  const { filesChanged, drafts } = await lent.after('own-call', 'call', command, signal);
  expect([filesChanged.map(({ path }) => path), drafts]).toEqual([['/srv/project/a'], []]);
  expect(recorded()).toEqual([['agent-call'], ['agent-call']]);
});

test('a running call knows what it has changed so far, also if another scan found it, and reports it at the end', async () => {
  const { keeper: one, recorded } = lender();
  const lent = one.lend('agent-call', () => []);
  await one.before(command, signal);
  await lent.before(command, signal);
  one.scan();
  const found = [{ path: '/srv/project/a', kind: 'created' }];
  expect(await lent.soFar('own-call')).toEqual(found);
  expect(await one.soFar('call')).toEqual(found);
  expect(recorded().at(-1)).toContain('call');
  const { filesChanged } = await one.after('call', 'call', command, AbortSignal.abort());
  expect(filesChanged).toEqual(found);
});

test('a scan before a subagent’s command records what the running command of another subagent has changed so far', async () => {
  const { keeper: one, recorded, baselines } = lender();
  const [left, right] = [one.lend('left', () => []), one.lend('right', () => [])];
  await left.before(command, signal);
  expect(baselines()).toBe(1);
  await vi.advanceTimersByTimeAsync(2000);
  await right.before(command, signal);
  expect(baselines()).toBe(1);
  expect(recorded()).toEqual([['left']]);
  await left.after('x', 'call', command, signal);
  await right.after('x', 'call', command, signal);
  await vi.advanceTimersByTimeAsync(2000);
  await Promise.all([left.close(), right.close()]);
  expect(
    recorded()
      .slice(1)
      .every((ids) => ids.includes('left') || ids.includes('right')),
  ).toBe(true);
});

test('changes of a subagent’s background command are attributed to the subagent’s call as long as the command runs, whatever triggers the scan', async () => {
  const { keeper: one, recorded, baselines } = lender();
  let running: string[] = [];
  const lent = one.lend('agent-call', () => running);
  await lent.before(command, signal);
  running = ['own-call'];
  await lent.after('own-call', 'call', command, signal);
  const scan = (): Promise<void> => {
    one.scan();
    return one.alone(async () => {});
  };
  await scan();
  await vi.advanceTimersByTimeAsync(2000);
  await lent.before(command, signal);
  await lent.after('next-call', 'call', command, signal);
  expect([recorded(), baselines()]).toEqual([Array(4).fill(['agent-call']), 1]);
  // What it changed between the last scan and its end.
  running = [];
  await scan();
  await scan();
  expect([recorded().length, baselines()]).toEqual([5, 2]);
});

test('a scan before a subagent’s command records what the running command of its parent has changed so far', async () => {
  let running: string[] = [];
  const { keeper: one, recorded, baselines } = lender(() => running);
  const lent = one.lend('agent-call', () => []);
  await one.before(command, signal);
  running = ['own-call'];
  await vi.advanceTimersByTimeAsync(2000);
  await lent.before(command, signal);
  expect([recorded(), baselines()]).toEqual([[['own-call']], 1]);
});
