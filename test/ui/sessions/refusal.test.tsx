import { expect, test, vi } from 'vitest';
import { DialogView } from '../../../src/ui/dialog/DialogView.tsx';
import { type Refusal, type RefusalBack, refusalDialog } from '../../../src/ui/sessions/refusal.ts';
import { createClock, mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';
import { now } from './made.ts';

const locked: Refusal = {
  why: 'locked',
  holder: { pid: 4711, host: 'desk', since: new Date(2026, 10, 21, 7, 5, 0).toISOString() },
  canRead: true,
};

async function ask(refusal: Refusal, columns = 70, rows = 14, back: RefusalBack = 'list') {
  const onAnswer = vi.fn();
  const props = {
    refusal,
    id: 'abc123',
    title: 'Fix \u001B]0;owned\u0007 the 解析器',
    back,
  };
  const clock = createClock();
  const { screen } = await mount(
    <DialogView
      dialog={refusalDialog(props, now)}
      width={columns}
      rows={rows}
      theme={plain}
      now={clock.now}
      onAnswer={onAnswer}
    />,
    { columns, rows },
  );
  return { screen, onAnswer, pass: clock.pass };
}

test('the holder of a session is shown, and since when', async () => {
  const { screen } = await ask(locked);
  expect(screen.text()).toEqual([
    `─ Fix  the 解析器 ${'─'.repeat(52)}`,
    'Another clawdcode has it open: process 4711 on desk, since 07:05 (1 h',
    'ago).',
    '',
    '❯ 1. Read it',
    '     nothing can be sent or changed',
    '  2. Fork it and continue',
    '     a new session with the same history; the original is not affected',
    '  3. Back to the list',
    '↑↓ Enter · Esc goes back',
  ]);
  expect(screen.output()).not.toContain(']0;owned');
});

test('if there is no session to return to, the hint says that Esc starts a new one', async () => {
  const { screen } = await ask(locked, 70, 14, 'new');
  expect(screen.text().at(-1)).toBe('↑↓ Enter · Esc starts a new session');
});

test('a session of another project says where it belongs', async () => {
  const { screen } = await ask({ why: 'elsewhere', root: '/home/me/other', isGone: false, canRead: false });
  expect(screen.text().join('\n')).toContain('It belongs to another project: /home/me/other');
  expect(screen.text()).toContain('❯ 1. Fork it and continue');
});

test('a session whose folder no longer exists can be resumed here', async () => {
  const { screen, onAnswer, pass } = await ask({
    why: 'elsewhere',
    root: '/gone',
    isGone: true,
    canRead: true,
  });
  pass(200);
  expect(screen.text()[1]).toBe('It belongs to /gone, which is no longer there.');
  await screen.press('g');
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith('write');
});

test.each([
  ['Enter', [keys.enter], 'read'],
  ['down and Enter', [keys.down, keys.enter], 'fork'],
  ['up and Enter', [keys.up, keys.enter], 'back'],
  ['f', ['f'], 'fork'],
  ['2', ['2'], 'fork'],
  ['Esc', [keys.escape], 'back'],
  ['Ctrl+C', [keys.ctrl('c')], 'back'],
])('the dialog is answered by %s', async (_, pressed, expected) => {
  const { screen, onAnswer, pass } = await ask(locked);
  pass(200);
  await screen.press(...pressed);
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith(expected);
});

test('on the smallest screen, all answers are visible', async () => {
  const { screen } = await ask(locked, 20, 8);
  expect(screen.text().length).toBeLessThanOrEqual(8);
  for (const answer of ['1. Read it', '2. Fork it and', '3. Back to the'])
    expect(screen.text().join('\n')).toContain(answer);
});

test('keys typed ahead do not answer', async () => {
  const { screen, onAnswer, pass } = await ask(locked);
  pass(100);
  await screen.press(...'fix it', keys.enter);
  expect(onAnswer).not.toHaveBeenCalled();
  pass(999);
  await screen.press('f');
  expect(onAnswer).not.toHaveBeenCalled();
  pass(1000);
  await screen.press('f');
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith('fork');
});
