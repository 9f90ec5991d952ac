import { expect, onTestFinished, test, vi } from 'vitest';
import type { SessionRecord } from '../../../src/protocol/sessions.ts';
import { createPicker } from '../../../src/ui/sessions/picker.ts';
import { SessionPicker } from '../../../src/ui/sessions/SessionPicker.tsx';
import { cpuClock } from '../../cpuTime.ts';
import { mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';
import { type MadePort, madeEntry, madeHit, madePort, madeSession, now } from './made.ts';

async function show(port: MadePort, columns = 60, rows = 16) {
  const [onPick, onCancel] = [vi.fn(), vi.fn()];
  const picker = createPicker(port, { current: undefined, onPick, onCancel });
  onTestFinished(() => picker.dispose());
  const mounted = await mount(
    <SessionPicker picker={picker} width={columns} rows={rows} theme={plain} now={() => now} />,
    { columns, rows },
  );
  return { ...mounted, picker, onPick, onCancel };
}

const sessions = [
  madeSession('a', { title: '修复 parser 👨‍👩‍👧', lastLines: ['> last of a', '结束'] }),
  madeSession('b', { title: 'Docs', updatedAt: new Date(2026, 10, 20, 8, 0, 0) }),
  madeSession('c', { title: 'Owned \u001B]0;x\u0007\u001B[2Jtitle\nline two' }),
];

test('sessions with their facts, and the last lines of the selected one', async () => {
  const { screen, onPick } = await show(madePort(sessions));
  expect(screen.text()).toEqual([
    `─ Sessions of this project ${'─'.repeat(25)} 1 / 3 ─`,
    'Filter:',
    `❯ ${'修复 parser 👨‍👩‍👧'.padEnd(37)}  1 h ago      4.2 kB`,
    `  ${'Docs'.padEnd(37)}  yesterday    4.2 kB`,
    `  ${'Owned title line two'.padEnd(37)}  1 h ago      4.2 kB`,
    '',
    '│ > last of a',
    '│ 结束',
    '',
    '',
    'Enter opens · ? more keys · Esc new session',
  ]);
  expect(screen.output()).not.toContain(']0;x');
  await screen.press(keys.down, keys.enter);
  expect(onPick).toHaveBeenCalledExactlyOnceWith({ session: sessions[1], isFromAll: false });
});

test('search hits show the speaker, the time and the text; the turn is below', async () => {
  const [first] = sessions as [SessionRecord];
  const hit = madeHit(first, 7, 'the parser fails on nested quotes', 'parser');
  const port = madePort(sessions, { find: async () => ({ type: 'found', hits: [hit] }) });
  const { screen, onPick } = await show(port);
  await screen.press('/', ...'parser');
  await screen.waitFor((rows) => rows.some((row) => row.includes('preview of a')));
  expect(screen.text().slice(0, 7)).toEqual([
    `─ Search this project ${'─'.repeat(30)} 1 / 1 ─`,
    'Search: parser',
    '❯ 修复 parser 👨‍👩‍👧 · you · 1 h ago',
    '    the [parser] fails on nested quotes',
    '',
    '',
    '┃ > preview of a',
  ]);
  await screen.press(keys.enter);
  expect(onPick).toHaveBeenCalledExactlyOnceWith({ session: first, seq: 7, isFromAll: false });
});

test('a title is edited in its row, with the cursor in it', async () => {
  const port = madePort(sessions);
  const { screen } = await show(port);
  await screen.press(keys.down, keys.ctrl('r'));
  expect(screen.text()[3]).toBe('❯ Docs');
  expect(screen.cursor()).toEqual({ x: 6, y: 3 });
  expect(screen.text().at(-1)).toBe('Enter renames it · Esc cancels');
  await screen.press(...' of 家', keys.enter);
  expect(screen.text()[3]).toMatch(/^❯ Docs of 家 /);
  expect(screen.text().at(-1)).toBe('Renamed to “Docs of 家” · Ctrl+Z to undo');
  expect(port.asked).toEqual(['rename b Docs of 家']);
});

test.each(['y', '2'])('a yes in the same chunk as the delete key does not count: %j', async (yes) => {
  const port = madePort(sessions);
  const { screen } = await show(port);
  await screen.press(`${keys.ctrl('x')}${yes}`);
  expect(screen.text()[0]).toMatch(/^─ Delete this session\?/);
  expect(port.asked).toEqual([]);
  await screen.press(yes);
  await screen.waitFor((rows) => rows[0]?.startsWith('─ Sessions') === true);
  expect(port.asked).toEqual(['remove a']);
});

test('the question before deleting names the session and what is lost; Enter keeps it', async () => {
  const port = madePort(sessions);
  const { screen } = await show(port);
  await screen.press(keys.ctrl('x'));
  const asked = screen.text().join('\n');
  expect(screen.text()[0]).toContain('Delete this session?');
  expect(asked).toContain('“修复 parser 👨‍👩‍👧”');
  expect(asked).toContain('4.2 kB');
  expect(asked).toContain('❯ 1. No, keep it');
  await screen.press(keys.enter);
  expect(screen.text()[0]).toContain('Sessions of this project');
  expect(port.asked).toEqual([]);
});

test('? explains every key, and any key goes back', async () => {
  const { screen } = await show(madePort(sessions));
  await screen.press('?');
  for (const key of ['Ctrl+F', 'Tab', 'Ctrl+O', 'Ctrl+R', 'Ctrl+G', 'Ctrl+T', 'Ctrl+X', 'Ctrl+Z'])
    expect(screen.text().join('\n')).toContain(key);
  await screen.press('x');
  expect(screen.text()[1]).toBe('Filter:');
});

test('the large preview takes most of the screen and scrolls', async () => {
  const entries = Array.from({ length: 30 }, (_, seq) => ({ seq, text: `said ${seq}` }));
  const port = madePort(sessions, {
    preview: async () => entries.map(({ seq, text }) => madeEntry(seq, text)),
  });
  const { screen } = await show(port, 60, 24);
  await screen.press(keys.ctrl('o'));
  await screen.waitFor((rows) => rows.some((row) => row.includes('said 29')));
  expect(screen.text().filter((row) => row.startsWith('│')).length).toBeGreaterThan(12);
  await screen.press(keys.pageUp, keys.pageUp);
  expect(screen.text().join('\n')).not.toContain('said 29');
  await screen.press(keys.pageDown, keys.pageDown);
  expect(screen.text().join('\n')).toContain('said 29');
  await screen.press(keys.escape);
  expect(screen.text().join('\n')).toContain('last of a');
});

test.each([
  [20, 8],
  [20, 24],
  [80, 6],
  [200, 50],
])('on %d × %d nothing is wider or taller than the screen', { tags: 'long' }, async (columns, rows) => {
  const hit = madeHit(
    madeSession('a', { title: '漢字'.repeat(60) }),
    7,
    `${'語'.repeat(90)} words 👍`,
    'words',
  );
  const port = madePort([hit.session, ...sessions], { find: async () => ({ type: 'found', hits: [hit] }) });
  const { screen } = await show(port, columns, rows);
  const looks = (): void => {
    expect(screen.scrollback().length).toBeLessThanOrEqual(rows);
    expect(screen.text().join('\n')).toContain('❯');
  };
  looks();
  await screen.press(keys.ctrl('o'));
  looks();
  await screen.press(keys.escape, keys.tab, '/', 'w');
  await screen.waitFor((lines) => lines.some((line) => line.includes('❯')));
  looks();
  await screen.press(keys.ctrl('x'));
  looks();
  await screen.press(keys.escape, keys.ctrl('r'));
  looks();
});

test('in a list of 10,000, keys are handled without delay', { tags: 'long' }, async () => {
  const many = Array.from({ length: 10_000 }, (_, index) =>
    madeSession(`s${index}`, {
      title: `Session ${index} 文字 of something to do in src/file${index % 97}.ts`,
    }),
  );
  const { screen, picker } = await show(madePort(many), 120, 30);
  await screen.waitFor((rows) => rows[0]?.includes('10,000') === true);
  const spentMs = cpuClock();
  const pressed = [...'文字 file9', keys.down, keys.down, keys.pageDown, keys.end, keys.home];
  for (const key of pressed) await screen.press(key);
  // `press` itself waits for 50 quiet milliseconds; a generous ceiling for a busy machine.
  expect(spentMs()).toBeLessThan(pressed.length * 1000);
  const expected = many.filter(({ title }) => title.includes('文字') && title.includes('file9'));
  expect(picker.snapshot().list.visible).toEqual(expected);
});

test('a long error message is shown in full without exceeding the screen', async () => {
  const message = `It is open in another clawdcode (process 4711 on desk), so nothing was done. ${'Wait. '.repeat(12)}End.`;
  const port = madePort(sessions, { archive: async () => ({ type: 'failed', message }) });
  const { screen } = await show(port, 60, 14);
  await screen.press(keys.ctrl('t'));
  expect(screen.text().join(' ')).toContain('End.');
  expect(screen.scrollback().length).toBeLessThanOrEqual(14);
  await screen.press(keys.down);
  expect(screen.text().at(-1)).toContain('Esc new session');
});
