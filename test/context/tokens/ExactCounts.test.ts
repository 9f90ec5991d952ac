import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { WorkerEncoder } from '../../../src/context/tokens/ExactCounts.ts';

const entry = new URL('../../../src/context/tokens/exact/worker.ts', import.meta.url);

function encoder(start: () => Worker = () => new Worker(entry)): WorkerEncoder {
  const made = new WorkerEncoder(start);
  onTestFinished(() => made.close());
  return made;
}

test('texts are counted in a thread, in order, by either vocabulary', { tags: 'long' }, async () => {
  const counting = encoder();
  const texts = ['Hello, world!', '', '中文字符', '<|endoftext|>'];
  const [o200k, cl100k] = await Promise.all([
    counting.count('o200k_base', texts),
    counting.count('cl100k_base', texts),
  ]);
  expect(o200k).toEqual([4, 0, 2, 7]);
  expect(cl100k).toEqual([4, 0, 3, 7]);
});

test('a thread that cannot start rejects the request, and the next one gets a new thread', {
  tags: 'long',
}, async () => {
  const starts: string[] = [];
  const counting = encoder(() => {
    starts.push('start');
    return starts.length === 1 ? new Worker(new URL('./missing.ts', entry)) : new Worker(entry);
  });
  await expect(counting.count('o200k_base', ['a'])).rejects.toThrow();
  expect(await counting.count('o200k_base', ['a'])).toEqual([1]);
  expect(starts).toHaveLength(2);
});

test('a thread that cannot be created rejects', async () => {
  const counting = encoder(() => {
    throw new Error('no threads');
  });
  await expect(counting.count('o200k_base', ['a'])).rejects.toThrow('no threads');
});

test('closing rejects what is being counted', async () => {
  const counting = encoder();
  const asked = counting.count('o200k_base', ['word '.repeat(100_000)]);
  const outcome = expect(asked).rejects.toThrow('closed');
  await counting.close();
  await outcome;
});

test('an idle thread does not keep the program alive, and a busy one only until it has answered', {
  tags: 'long',
}, async () => {
  const program = `
    import { Worker } from 'node:worker_threads';
    import { WorkerEncoder } from ${JSON.stringify(new URL('../ExactCounts.ts', entry).href)};
    const counting = new WorkerEncoder(() => new Worker(new URL(${JSON.stringify(entry.href)}), { execArgv: [] }));
    console.log(await counting.count('cl100k_base', ['Hello, world!']));
  `;
  const { spawnSync } = await import('node:child_process');
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 19_000,
  });
  expect([run.status, run.stdout.trim(), run.stderr]).toEqual([0, '[ 4 ]', '']);
});
