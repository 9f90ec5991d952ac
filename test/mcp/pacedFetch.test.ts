/** Servers that end their event streams and want them opened again at once. */
import { expect, test } from 'vitest';
import { pacedFetch } from '../../src/mcp/pacedFetch.ts';

const address = 'http://localhost/mcp';

/** Opens streams on a clock that stands still except for waits. */
function paced() {
  let time = 0;
  const waits: number[] = [];
  const clock = {
    now: () => time,
    async sleep(ms: number) {
      waits.push(ms);
      time += ms;
    },
  };
  const sent: (string | undefined)[] = [];
  const made = pacedFetch(async (_, init) => {
    sent.push(init?.method);
    return new Response(null);
  }, clock);
  const pass = (ms: number): void => {
    time += ms;
  };
  return { ...made, waits, sent, pass };
}

test('a stream is opened again after a second, and after twice as long each time as long as nothing arrives, up to half a minute', async () => {
  const { fetch, onMessage, waits } = paced();
  for (let opened = 0; opened < 8; opened++) await fetch(address, {});
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  onMessage();
  await fetch(address);
  await fetch(address, { method: 'GET' });
  expect(waits.slice(7)).toEqual([1000, 1000]);
});

test('a stream that stayed open is opened again at once, and requests never wait', async () => {
  const { fetch, waits, sent, pass } = paced();
  for (let opened = 0; opened < 8; opened++) {
    await fetch(address);
    pass(60_000);
  }
  for (let request = 0; request < 3; request++) await fetch(address, { method: 'POST' });
  expect(waits).toEqual([]);
  expect(sent).toHaveLength(11);
});

test('streams are opened one after the other, and not more than fifty may wait', async () => {
  const { fetch, waits } = paced();
  const opening = Array.from({ length: 60 }, () => fetch(address));
  const done = await Promise.allSettled(opening);
  expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(10);
  expect(waits).toHaveLength(49);
});

test('a stream that is no longer wanted is not opened, and does not keep the next from being opened', async () => {
  const { fetch, sent } = paced();
  await expect(fetch(address, { signal: AbortSignal.abort() })).rejects.toThrow();
  await fetch(address);
  expect(sent).toHaveLength(1);
});
