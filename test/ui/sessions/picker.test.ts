import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fieldText } from '../../../src/ui/dialog/field.ts';
import { defaultKeymap, readDialogKey } from '../../../src/ui/keys/keymap.ts';
import { type Stroke, strokesOf } from '../../../src/ui/keys/strokes.ts';
import { createPicker, type Picked, type Picker } from '../../../src/ui/sessions/picker.ts';
import { sessionAtCursor } from '../../../src/ui/sessions/pickerState.ts';
import type { SessionsPort } from '../../../src/ui/sessions/SessionsPort.ts';
import { type MadePort, madeHit, madePort, madeSession } from './made.ts';

type SearchAnswer = Awaited<ReturnType<SessionsPort['search']>>;

type KeyEvent = Parameters<typeof strokesOf>[1];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const sessions = ['a', 'b', 'c', 'd'].map((id) => madeSession(id));

async function open(port: MadePort, current?: { id: string; rename(title: string): void }) {
  const picked: Picked[] = [];
  let left = 0;
  const picker = createPicker(port, {
    current,
    onPick: (one) => picked.push(one),
    onCancel: () => {
      left += 1;
    },
  });
  await vi.advanceTimersByTimeAsync(0);
  return { picker, picked, left: () => left };
}

/** Letters are typed, `^x` is Control with x, other names are keys. */
function press(picker: Picker, ...names: readonly string[]): void {
  for (const name of names) {
    const control = /^\^(.)$/.exec(name)?.[1];
    if (control !== undefined) strike(picker, control, { ctrl: true });
    else if (name.length > 1) strike(picker, '', { [name]: true });
    else strike(picker, name);
  }
}

/** One chunk of input. */
function strike(picker: Picker, input: string, event: KeyEvent = {}): void {
  for (const stroke of strokesOf(input, event))
    for (let left: Stroke | undefined = stroke; left !== undefined; ) {
      const { key, rest } = readDialogKey(defaultKeymap, left, picker.place());
      picker.press(key, 3);
      left = rest === '' ? undefined : { type: 'text', text: rest };
    }
}
const cursor = (picker: Picker): string | undefined => sessionAtCursor(picker.snapshot())?.id;

test('typing filters immediately, Enter chooses the selected session', async () => {
  const { picker, picked } = await open(madePort(sessions));
  press(picker, ...'of c');
  expect(picker.snapshot().list.visible.map(({ id }) => id)).toEqual(['c']);
  press(picker, 'return');
  expect(picked.map(({ session }) => session.id)).toEqual(['c']);
});

test('before the first key, the cursor is on the newest session, even if it is found later', async () => {
  const port = madePort(sessions);
  const { picker } = await open(port);
  port.become([madeSession('newest'), ...sessions]);
  port.changed();
  await vi.advanceTimersByTimeAsync(1000);
  expect(cursor(picker)).toBe('newest');
});

test('the cursor stays on its session and its row when sessions are added above', async () => {
  const port = madePort(sessions);
  const { picker } = await open(port);
  press(picker, 'downArrow', 'downArrow');
  const before = picker.snapshot().list;
  port.become([madeSession('new'), madeSession('newer'), ...sessions]);
  port.changed();
  await vi.advanceTimersByTimeAsync(1000);
  const after = picker.snapshot().list;
  expect(cursor(picker)).toBe('c');
  expect(after.selected - after.top).toBe(before.selected - before.top);
  port.become(sessions.filter(({ id }) => id !== 'c'));
  port.changed();
  await vi.advanceTimersByTimeAsync(1000);
  expect(cursor(picker)).toBe('d');
});

test('10,000 sessions are loaded in pages, and all of them can be filtered', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => madeSession(`s${index}`));
  const port = madePort(many);
  const list = vi.spyOn(port, 'list');
  const { picker } = await open(port);
  await vi.advanceTimersByTimeAsync(0);
  expect(list.mock.calls[0]?.[0]).toMatchObject({ limit: 100, offset: 0 });
  expect(picker.snapshot().list.items).toHaveLength(10_000);
  press(picker, ...'s9999');
  expect(cursor(picker)).toBe('s9999');
});

test('Tab shows all projects and keeps the filter', async () => {
  const other = madeSession('o', { project: 'q-00000002', root: '/home/me/q' });
  const { picker } = await open(madePort([...sessions, other]));
  press(picker, 't', 'tab');
  await vi.advanceTimersByTimeAsync(0);
  expect(picker.snapshot().scope).toBe('all');
  expect(picker.snapshot().list.visible).toHaveLength(5);
  press(picker, 'escape', ...'/home/me/q');
  expect(cursor(picker)).toBe(undefined);
});

test('a search waits for a pause in typing, and a late result is dropped', async () => {
  const answers = new Map<string, (answer: SearchAnswer) => void>();
  const port = madePort(sessions, {
    find: (text) => new Promise((resolve) => answers.set(text, resolve)),
  });
  const { picker, picked } = await open(port);
  press(picker, '/', ...'par');
  await vi.advanceTimersByTimeAsync(100);
  press(picker, 's', 'e');
  expect(port.asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  press(picker, 'r');
  await vi.advanceTimersByTimeAsync(200);
  expect(port.asked).toEqual(['search parse*', 'search parser*']);
  const [first, second] = sessions;
  if (first === undefined || second === undefined) throw new Error('no sessions');
  answers.get('parser*')?.({ type: 'found', hits: [madeHit(first, 7, 'the parser', 'parser')] });
  answers.get('parse*')?.({ type: 'found', hits: [madeHit(second, 9, 'to parse', 'parse')] });
  await vi.advanceTimersByTimeAsync(0);
  expect(picker.snapshot().hits.visible.map(({ seq }) => seq)).toEqual([7]);
  press(picker, 'return');
  expect(picked).toEqual([{ session: first, seq: 7, isFromAll: false }]);
});

test.each([
  ['par', 'par*'],
  ['the par', 'the par*'],
  ['the p', 'the p'],
  ['parser ', 'parser'],
  ['"the par', '"the par'],
  ['"the parser"', '"the parser"'],
  ['src/a.', 'src/a.'],
])('%j is searched as %j', async (written, query) => {
  const port = madePort(sessions);
  const { picker } = await open(port);
  press(picker, '^f', ...written);
  await vi.advanceTimersByTimeAsync(200);
  expect(port.asked).toEqual([`search ${query}`]);
});

test('the preview of a hit is read once, when the cursor rests on it', async () => {
  const hits = sessions.map((one, index) => madeHit(one, index, 'some words', 'words'));
  const port = madePort(sessions, { find: async () => ({ type: 'found', hits }) });
  const { picker } = await open(port);
  press(picker, '^f', ...'words');
  await vi.advanceTimersByTimeAsync(200);
  press(picker, 'downArrow', 'downArrow');
  await vi.advanceTimersByTimeAsync(100);
  press(picker, 'upArrow', 'downArrow');
  await vi.advanceTimersByTimeAsync(100);
  expect(port.asked.filter((one) => one.startsWith('preview'))).toEqual(['preview c 2']);
  expect(picker.snapshot().preview).toMatchObject([{ message: { content: 'preview of c' } }]);
});

test('a preview that is no longer needed is cancelled', async () => {
  const hits = sessions.map((one, index) => madeHit(one, index, 'some words', 'words'));
  const signals: AbortSignal[] = [];
  const port = madePort(sessions, {
    find: async () => ({ type: 'found', hits }),
    preview: (_session, _seq, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
  });
  const { picker } = await open(port);
  press(picker, '^f', ...'words');
  await vi.advanceTimersByTimeAsync(300);
  press(picker, 'downArrow');
  await vi.advanceTimersByTimeAsync(100);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  picker.dispose();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('a title is edited in its row, and Ctrl+Z restores the old one', async () => {
  const port = madePort(sessions);
  const { picker } = await open(port);
  press(picker, 'downArrow', '^r', '!', 'return');
  await vi.advanceTimersByTimeAsync(0);
  expect(picker.snapshot().list.visible[1]?.title).toBe('Title of b!');
  press(picker, '^z');
  await vi.advanceTimersByTimeAsync(0);
  expect(picker.snapshot().list.visible[1]?.title).toBe('Title of b');
  expect(port.asked).toEqual(['rename b Title of b!', 'rename b Title of b']);
  press(picker, '^r', '?', 'escape');
  expect(picker.snapshot().list.visible[1]?.title).toBe('Title of b');
});

test('the open session is renamed through its own log, and can be neither archived nor deleted', async () => {
  const port = madePort(sessions);
  const rename = vi.fn();
  const { picker } = await open(port, { id: 'a', rename });
  press(picker, '^r', '^u', ...'mine', 'return');
  await vi.advanceTimersByTimeAsync(0);
  expect(rename).toHaveBeenCalledExactlyOnceWith('mine');
  press(picker, '^t');
  expect(picker.snapshot().message).toMatchObject({ level: 'error' });
  press(picker, '^x');
  expect(picker.snapshot().dialog).toBe(undefined);
  expect(port.asked).toEqual([]);
});

test('deleting asks first; Enter and Esc keep the session, y deletes it', async () => {
  const port = madePort(sessions);
  const { picker } = await open(port);
  press(picker, '^x', 'return');
  press(picker, '^x', 'escape');
  press(picker, '^x', 'n');
  expect(port.asked).toEqual([]);
  press(picker, '^x', 'y');
  await vi.advanceTimersByTimeAsync(0);
  expect(port.asked).toEqual(['remove a']);
  expect(cursor(picker)).toBe('b');
});

test('an archived session is listed as archived and can be unarchived', async () => {
  const port = madePort(sessions);
  const { picker } = await open(port);
  press(picker, '^t');
  await vi.advanceTimersByTimeAsync(0);
  expect(sessionAtCursor(picker.snapshot())?.isArchived).toBe(true);
  press(picker, '^z');
  await vi.advanceTimersByTimeAsync(0);
  expect(sessionAtCursor(picker.snapshot())?.isArchived).toBe(false);
  expect(port.asked).toEqual(['archive a', 'unarchive a']);
});

test('an archived session is read from its new file', async () => {
  const packed = { ...madeSession('a'), file: '/archive/a', bytes: 5, isArchived: true };
  const port = madePort(sessions, {
    archive: async () => ({ type: 'done', message: 'Archived', session: packed }),
  });
  const { picker } = await open(port);
  press(picker, '^t');
  await vi.advanceTimersByTimeAsync(0);
  expect(sessionAtCursor(picker.snapshot())).toMatchObject({ file: '/archive/a', bytes: 5 });
});

test('an impossible action is reported and changes nothing', async () => {
  const port = madePort(sessions, {
    remove: async () => ({ type: 'failed', message: 'It is open elsewhere.' }),
  });
  const { picker } = await open(port);
  press(picker, '^x', 'y');
  await vi.advanceTimersByTimeAsync(0);
  expect(picker.snapshot().message).toEqual({ level: 'error', text: 'It is open elsewhere.' });
  expect(picker.snapshot().list.visible).toHaveLength(4);
  press(picker, '^z');
  expect(picker.snapshot().message?.text).toBe('Nothing to undo.');
});

test('Esc goes back one step: preview, text, search, list', async () => {
  const { picker, left } = await open(madePort(sessions));
  press(picker, ...'title', '^f', '^o');
  press(picker, 'escape');
  expect(picker.snapshot()).toMatchObject({ isSearch: true });
  press(picker, 'escape');
  expect(picker.snapshot().isSearch).toBe(false);
  expect(left()).toBe(0);
  press(picker, 'escape');
  expect(left()).toBe(1);
});

test('several keys in one chunk all count', async () => {
  const { picker } = await open(madePort(sessions));
  const shown = (): unknown => {
    const { text, isSearch, dialog } = picker.snapshot();
    return { text: fieldText(text), isSearch, dialog: dialog?.type };
  };
  strike(picker, 'ab\u0006c');
  expect(shown()).toEqual({ text: 'abc', isSearch: true, dialog: undefined });
  press(picker, 'escape', 'escape');
  strike(picker, '//etc/hosts?');
  expect(shown()).toEqual({ text: '/etc/hosts?', isSearch: true, dialog: undefined });
  press(picker, 'escape');
  strike(picker, '?');
  expect(shown()).toEqual({ text: '', isSearch: true, dialog: 'help' });
});

test('a fork at a hit goes up to that position', async () => {
  const [first] = sessions;
  if (first === undefined) throw new Error('no sessions');
  const port = madePort(sessions, {
    find: async () => ({ type: 'found', hits: [madeHit(first, 7, 'word', 'word')] }),
  });
  const { picker, picked } = await open(port);
  press(picker, '^g');
  press(picker, '/', ...'word');
  await vi.advanceTimersByTimeAsync(200);
  press(picker, '^g');
  expect(picked).toEqual([
    { session: first, mode: 'fork', isFromAll: false },
    { session: first, mode: 'fork', seq: 7, isFromAll: false },
  ]);
});
