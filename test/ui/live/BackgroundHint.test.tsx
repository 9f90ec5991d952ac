import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BackgroundHint } from '../../../src/ui/live/LiveArea.tsx';
import { mount, plain } from '../mount.tsx';

const hint = (callId: string | undefined, canMove = true, width = 60) => (
  <BackgroundHint callId={callId} canMove={() => canMove} shortcut="ctrl+b" width={width} theme={plain} />
);

// The screen's time passes as usual, and jumps to where a command counts as slow.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());
const untilSlow = () => vi.advanceTimersByTimeAsync(3000);

test('only a slow command shows the hint that it can be moved to the background', async () => {
  const { screen, update } = await mount(hint('a'), { columns: 60, rows: 3 });
  expect(screen.text()).toEqual([]);
  await untilSlow();
  await screen.waitFor((rows) => rows.includes('    ctrl+b to run in background'));
  await update(hint('b'));
  expect(screen.text(), 'the next command has only begun').toEqual([]);
  await update(hint(undefined));
  expect(screen.text()).toEqual([]);
});

test('on a narrow screen, the key’s action is not cut off', async () => {
  const { screen } = await mount(hint('a', true, 20), { columns: 20, rows: 3 });
  await untilSlow();
  await screen.waitFor((rows) => rows.includes('  ctrl+b background'));
});

test('a command that cannot be moved shows no hint', async () => {
  const { screen } = await mount(hint('a', false), { columns: 60, rows: 3 });
  await untilSlow();
  await screen.settle();
  expect(screen.text()).toEqual([]);
});
