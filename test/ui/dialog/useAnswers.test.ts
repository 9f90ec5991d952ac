/** The quiet time of a question, with the real clock and a suspended process. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startQuietTime } from '../../../src/ui/dialog/useAnswers.ts';

/** Nothing else runs in the meantime: timers are late, and typed keys wait. */
function standStill(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

function started() {
  const quiet = startQuietTime();
  onTestFinished(quiet.stop);
  return quiet;
}

test('a key that is handled late because the process was stopped does not count', () => {
  const quiet = started();
  standStill(400);
  expect(quiet.isOverAtKey()).toBe(false);
});

test('a key read right after the pause is over does not count, either', async () => {
  const quiet = started();
  let tell = (_: boolean): void => undefined;
  const told = new Promise<boolean>((done) => {
    tell = done;
  });
  // Due after the timer of the quiet time, and therefore handled next, like input.
  setTimeout(() => tell(quiet.isOverAtKey()), 201);
  standStill(400);
  expect(await told).toBe(false);
});

test('a key after a pause counts, and so do later ones', { tags: 'long' }, async () => {
  const quiet = started();
  await expect.poll(() => quiet.isOverAtKey(), { interval: 1000, timeout: 20_000 }).toBe(true);
  expect(quiet.isOverAtKey()).toBe(true);
});

test('keys in quick succession never count', async () => {
  const quiet = started();
  for (let count = 0; count < 6; count++) {
    standStill(60);
    expect(quiet.isOverAtKey()).toBe(false);
    await delay(0);
  }
});
