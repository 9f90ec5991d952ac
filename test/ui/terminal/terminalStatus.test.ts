import { expect, onTestFinished, test, vi } from 'vitest';
import { createNotifier } from '../../../src/ui/terminal/terminalStatus.ts';

/** How long the user must have been away. */
const AWAY_MS = 10_000;

function setUp() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const said: string[] = [];
  let lastKeyAt = Date.now();
  const notifier = createNotifier({
    now: () => Date.now(),
    lastKeyAt: () => lastKeyAt,
    call: (message) => said.push(message),
  });
  const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
  const press = (): void => {
    lastKeyAt = Date.now();
  };
  return { said, notifier, pass, press };
}

test('the end of a long turn is notified if the user is away', () => {
  const { said, notifier, pass } = setUp();
  notifier.update('working');
  pass(AWAY_MS);
  expect(said).toEqual([]);
  notifier.update('idle');
  expect(said).toEqual(['is done']);
  pass(60 * AWAY_MS);
  expect(said).toHaveLength(1);
});

test('a short turn is not notified, nor one that ends while the user types', () => {
  const { said, notifier, pass, press } = setUp();
  notifier.update('working');
  pass(AWAY_MS - 1);
  notifier.update('idle');
  notifier.update('working');
  pass(5 * AWAY_MS);
  press();
  pass(AWAY_MS - 1);
  notifier.update('idle');
  pass(60 * AWAY_MS);
  expect(said).toEqual([]);
});

test('a question is notified after a pause in typing, but not once it is answered', () => {
  const { said, notifier, pass, press } = setUp();
  notifier.update('working');
  notifier.update('waiting');
  pass(AWAY_MS / 2);
  press();
  pass(AWAY_MS - 1);
  expect(said).toEqual([]);
  pass(1);
  expect(said).toEqual(['is waiting for your answer']);
  press();
  notifier.update('working');
  notifier.update('waiting');
  pass(AWAY_MS / 2);
  press();
  notifier.update('working');
  pass(10 * AWAY_MS);
  expect(said).toHaveLength(1);
});

test('if the terminal reports focus, a question notifies immediately when it is unfocused and not otherwise', () => {
  const { said, notifier, pass } = setUp();
  notifier.focus(true);
  notifier.update('working');
  notifier.update('waiting');
  pass(10 * AWAY_MS);
  expect(said).toEqual([]);
  notifier.focus(false);
  expect(said).toEqual(['is waiting for your answer']);
  notifier.focus(true);
  notifier.focus(false);
  expect(said).toHaveLength(1);
});

test('if the user watches a turn end, no notification follows', () => {
  const { said, notifier, pass } = setUp();
  notifier.focus(true);
  notifier.update('working');
  pass(3 * AWAY_MS);
  notifier.update('idle');
  notifier.focus(false);
  pass(10 * AWAY_MS);
  expect(said).toEqual([]);
});

test('with nothing to notify, no timer runs', () => {
  const { notifier, pass } = setUp();
  expect(vi.getTimerCount()).toBe(0);
  notifier.update('working');
  expect(vi.getTimerCount()).toBe(0);
  notifier.update('waiting');
  expect(vi.getTimerCount()).toBe(1);
  pass(AWAY_MS);
  expect(vi.getTimerCount()).toBe(0);
  notifier.update('idle');
  expect(vi.getTimerCount()).toBe(0);
  notifier.dispose();
});
