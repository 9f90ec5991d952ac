/** With reduced motion nothing on the screen changes automatically. */

import { expect, test } from 'vitest';
import { RetryNotice, Spinner } from '../../../src/ui/live/Spinner.tsx';
import { mount, plain } from '../mount.tsx';

const startedAt = new Date(2026, 0, 1, 9, 5, 30).getTime();
const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

test('the spinner does not move and shows the start time; received tokens are still counted', async () => {
  const spinner = (tokens: number) => (
    <Spinner verb="Answering" startedAt={startedAt} tokens={tokens} width={60} theme={plain} reducedMotion />
  );
  const { screen, update } = await mount(spinner(10));
  expect(screen.text()).toEqual(['● Answering… (since 09:05 · 10 tokens · esc to interrupt)']);
  const before = screen.output();
  await wait(300);
  expect(screen.output()).toBe(before);
  await update(spinner(1200));
  expect(screen.text()).toEqual(['● Answering… (since 09:05 · 1.2k tokens · esc to interrupt)']);
});

test('without reduced motion, the spinner moves', async () => {
  const { screen } = await mount(<Spinner verb="Answering" startedAt={startedAt} width={60} theme={plain} />);
  const before = screen.output();
  await expect.poll(() => screen.output()).not.toBe(before);
});

test('a retry does not count down', async () => {
  let asked = 0;
  const now = (): number => {
    asked++;
    return startedAt + asked * 1000;
  };
  const error = { kind: 'server', message: 'The server is busy.', retryable: true } as const;
  const { screen } = await mount(
    <RetryNotice
      attempt={2}
      maxAttempts={5}
      error={error}
      until={startedAt + 20_000}
      width={60}
      theme={plain}
      reducedMotion
      now={now}
    />,
  );
  const before = screen.output();
  await wait(700);
  expect(screen.output()).toBe(before);
  expect(screen.text().join('\n')).toMatch(/Retrying in \d+s/);
});
