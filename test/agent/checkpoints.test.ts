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
    keep: async () => void asked.push('keep'),
    capture: async () => ({ changes: [], notes: [] }),
  };
  const made = createCheckpointKeeper({
    files: files as FileCheckpoints,
    context: { append: () => Promise.reject(new Error('nothing to record')) },
    running: () => [],
    now: () => Date.now(),
    warn: () => {},
  });
  return { keeper: made, asked };
}

test('a turn scans at once, while the model thinks', async () => {
  const { keeper: one, asked } = keeper();
  one.lookSoon();
  expect(asked).toEqual([]);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(['scan']);
});

test('a turn without calls is not scanned', async () => {
  const { keeper: one, asked } = keeper();
  one.lookSoon();
  one.hear({ type: 'turn_ended', outcome: 'done', steps: 1 });
  await vi.runAllTimersAsync();
  expect(asked).toEqual([]);
});

test('no scan runs during a call that changes files: its changes would look as if they had been there before', async () => {
  const { keeper: one, asked } = keeper();
  one.lookSoon();
  await one.before(write, signal);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(['keep']);
  one.lookSoon();
  await one.before(command, signal);
  expect(asked, 'the look of its own').toEqual(['keep', 'scan']);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(['keep', 'scan']);
});

test('the first command of a turn triggers a scan, even right after the previous turn', async () => {
  const { keeper: one, asked } = keeper();
  await one.before(command, signal);
  one.lookSoon();
  await one.before(command, signal);
  expect(asked).toEqual(['scan', 'scan']);
});

test('a command being written triggers one scan', async () => {
  const { keeper: one, asked } = keeper();
  one.lookSoon();
  one.hear({ type: 'tool_call_delta', index: 0, name: 'Bash', argumentsLength: 1 });
  await vi.runAllTimersAsync();
  await one.before(command, signal);
  expect(asked).toEqual(['scan']);
});
