import { expect, test } from 'vitest';
import { readAhead } from '../../../src/cli/process/readAhead.ts';

function counting() {
  let count = 0;
  let time = 0;
  const read = readAhead(
    async () => (count += 1),
    100,
    () => time,
  );
  return { read, count: () => count, wait: (ms: number) => (time += ms) };
}

test('it is read before anybody asks, and that counts once', async () => {
  const { read, count } = counting();
  expect(count()).toBe(1);
  expect([await read(), await read(), await read()]).toEqual([1, 2, 3]);
});

test('what is old does not count', async () => {
  const { read, wait } = counting();
  wait(100);
  expect(await read()).toBe(2);
});

test('a failure that nobody asks for ends nothing; whoever asks hears of it', async () => {
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  readAhead(fail, 100);
  await expect(readAhead(fail, 100)()).rejects.toThrow('no');
});
