import { expect, test } from 'vitest';
import { createEventQueue } from '../../src/sdk/eventQueue.ts';

const all = async <T>(events: AsyncIterable<T>): Promise<T[]> => {
  const seen: T[] = [];
  for await (const event of events) seen.push(event);
  return seen;
};

test('events are read in order, including those that came before the reader', async () => {
  const queue = createEventQueue<number>();
  const numbers = Array.from({ length: 5000 }, (_, index) => index);
  for (const number of numbers.slice(0, 4000)) queue.push(number);
  const reading = all(queue);
  for (const number of numbers.slice(4000)) queue.push(number);
  queue.end();
  queue.push(-1);
  expect(await reading).toEqual(numbers);
  expect(await queue.next()).toEqual({ done: true, value: undefined });
});

test('an error comes after the events before it, and only once', async () => {
  const queue = createEventQueue<number>();
  queue.push(1);
  queue.fail(new Error('broken'));
  queue.end();
  expect(await queue.next()).toEqual({ done: false, value: 1 });
  await expect(queue.next()).rejects.toThrow('broken');
  expect(await queue.next()).toEqual({ done: true, value: undefined });
});

test('the queue learns once that a reader has left early; later events are dropped', async () => {
  let left = 0;
  const queue = createEventQueue<number>(async () => {
    left++;
  });
  queue.push(1);
  queue.push(2);
  for await (const _ of queue) break;
  queue.push(3);
  expect(await all(queue)).toEqual([]);
  expect(left).toBe(1);
});

test('unread events end in an error instead of filling the memory', async () => {
  const queue = createEventQueue<number>();
  for (let number = 0; number < 200_000; number++) queue.push(number);
  let read = 0;
  const reading = (async () => {
    for await (const _ of queue) read++;
  })();
  await expect(reading).rejects.toThrow('More than 100000 events were not read.');
  expect(read).toBe(100_001);
});
