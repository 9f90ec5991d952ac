/** @module-tag long */
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limitHeap, type SetFlags } from '../../../src/cli/process/heap.ts';

/** Starts a thread; `until(event)` waits for one of its events. */
function startThread(): { until(event: 'online' | 'exit'): Promise<void> } {
  const thread = new Worker('require("node:worker_threads").parentPort.once("message", () => {})', {
    eval: true,
  });
  onTestFinished(() => void thread.terminate());
  return { until: (event) => new Promise((done) => void thread.once(event, () => done())) };
}

test('V8 has its own flags while the first thread starts, then those for the grammar, then all', {
  tags: 'long',
}, async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const seen: string[] = [];
  const setFlags: SetFlags = (flags) => {
    const all = flags.map(([wanted]) => wanted).join(' ');
    const kinds = { heap: all.includes('--heap-growing'), grammar: all.includes('--no-wasm-tier-up') };
    seen.push(JSON.stringify(kinds));
  };
  limitHeap(setFlags);
  vi.advanceTimersByTime(1000);
  expect(seen.splice(0)).toEqual(['{"heap":true,"grammar":false}']);

  const first = startThread();
  vi.advanceTimersByTime(1000);
  expect(seen.splice(0)).toEqual(['{"heap":false,"grammar":false}']);
  await first.until('online');
  expect(seen.splice(0)).toEqual(['{"heap":false,"grammar":true}']);
  vi.advanceTimersByTime(1000);
  expect(seen.splice(0)).toEqual(['{"heap":true,"grammar":true}']);

  await startThread().until('online');
  vi.advanceTimersByTime(1000);
  expect(seen).toEqual([]);
});
