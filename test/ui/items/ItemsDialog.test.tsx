import { expect, test } from 'vitest';
import type { ContextItem, ItemEdit } from '../../../src/protocol/contextReport.ts';
import type { IdentifiedEvent } from '../../../src/protocol/events.ts';
import type { Op } from '../../../src/protocol/ops.ts';
import { ItemsDialog } from '../../../src/ui/items/ItemsDialog.tsx';
import { createItemsState, itemRow, selectedItem, withItems } from '../../../src/ui/items/items.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { measure, state } from '../../headless/scriptedAgent.ts';
import { madeUpEntry } from '../../madeUpEntry.ts';
import { mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';

const item = (seq: number, fields: Partial<ContextItem> = {}): ContextItem => ({
  uuid: `u${seq}`,
  seq,
  kind: 'reply',
  title: `Part ${seq}`,
  tokens: 900,
  state: 'sent',
  isPinned: false,
  ...fields,
});

/** A session whose items obey, as the real one does: an entry, then a measurement. */
function createSession(first: readonly ContextItem[]) {
  let items = first;
  let listener: (event: IdentifiedEvent) => void = () => undefined;
  const edits: ItemEdit[] = [];
  const change = (uuid: string, fields: Partial<ContextItem>): void => {
    items = items.map((one) => (one.uuid === uuid ? { ...one, ...fields } : one));
  };
  const tell = (subtype: string): void => {
    const message = { role: 'system', content: '' } as const;
    listener({
      agentId: 'main',
      type: 'entry',
      entry: madeUpEntry({ seq: 99, uuid: 'e', type: 'system', subtype, message }),
    });
    listener({ agentId: 'main', type: 'context_measured', measure });
  };
  const agent = {
    items: () => items,
    measure: async () => measure,
    state: () => state,
    subscribe(one: (event: IdentifiedEvent) => void) {
      listener = one;
      return () => {
        listener = () => undefined;
      };
    },
    submit(op: Op) {
      if (op.type !== 'edit_item') throw new Error(`unexpected ${op.type}`);
      const { action, uuid } = op.edit;
      edits.push(op.edit);
      if (action === 'pin' || action === 'unpin') change(uuid, { isPinned: action === 'pin' });
      else change(uuid, { state: action === 'drop' ? 'removed' : 'sent' });
      tell(action === 'pin' || action === 'unpin' ? 'pin' : 'reduction');
    },
  };
  return {
    agent,
    edits,
    add(one: ContextItem) {
      items = [...items, one];
      tell('');
    },
    say: (text: string) => listener({ agentId: 'main', type: 'notice', level: 'warning', text }),
  };
}

async function open(items: readonly ContextItem[], columns = 70, rows = 14) {
  const session = createSession(items);
  let closed = 0;
  const mounted = await mount(
    <ItemsDialog
      agent={session.agent}
      width={columns}
      rows={rows}
      theme={plain}
      onClose={() => {
        closed += 1;
      }}
    />,
    { columns, rows },
  );
  return { ...mounted, ...session, closed: () => closed };
}

const three = [
  item(1, { kind: 'prompt', title: 'Read it all' }),
  item(4, { state: 'masked', title: 'Read lib/scan.js' }),
  item(9, { title: '全部读完了', tokens: 12_345 }),
];

test('items are listed newest first, with pointer, kind, state and tokens below the totals', async () => {
  const { screen } = await open(three);
  expect(screen.text()).toEqual([
    `─ Context items ${'─'.repeat(54)}`,
    '~2.5k of 10k (compacts at 8k) · ● 2 sent · ◐ 1 masked',
    '❯  ●     #9 reply        sent        12.3k  全部读完了',
    '   ◐     #4 reply        masked        900  Read lib/scan.js',
    '   ●     #1 prompt       sent          900  Read it all',
    'sent · 12.3k tokens · #9 reply',
    '',
    '1 of 3 · p pin · d drop · r restore · / filter · Esc closes',
  ]);
});

test('d drops, r restores, p pins and unpins; the list shows the result immediately', async () => {
  const { screen, edits } = await open(three);
  await screen.press(keys.down, 'd');
  await screen.waitFor((rows) => rows[3]?.startsWith('❯  ○     #4 reply        removed') === true);
  expect(screen.text()).toContain('Dropped #4 · r restores it');
  await screen.press('r');
  await screen.waitFor((rows) => rows[3]?.startsWith('❯  ●     #4') === true);
  expect(screen.text()).toContain('Restored #4');
  await screen.press('p');
  await screen.waitFor((rows) => rows[3]?.startsWith('❯ *●     #4') === true);
  await screen.press('P');
  await screen.waitFor((rows) => rows[3]?.startsWith('❯  ●     #4') === true);
  expect(edits.map(({ action, uuid }) => `${action} ${uuid}`)).toEqual([
    'drop u4',
    'restore u4',
    'pin u4',
    'unpin u4',
  ]);
});

test('an impossible action is reported in the list itself', async () => {
  const { screen, say } = await open(three);
  say('The newest message is what the model has to answer: it stays.');
  await screen.waitFor((rows) => rows.some((row) => row.startsWith('The newest message')));
});

test('the filter finds titles, states and pointers; letters are text in it', async () => {
  const { screen, edits, closed } = await open(three);
  await screen.press('/', 'p', 'r', 'd', keys.backspace, keys.backspace, keys.backspace, ...'masked');
  expect(screen.text()).toContain('Filter: masked');
  expect(screen.text().filter((row) => /#\d/.test(row) && row.includes('reply'))).toEqual([
    '❯  ◐     #4 reply        masked        900  Read lib/scan.js',
    'masked · 900 tokens · #4 reply',
  ]);
  expect(edits).toEqual([]);
  await screen.press(keys.enter, 'd');
  expect(edits).toEqual([{ action: 'drop', uuid: 'u4' }]);
  // The first Esc removes the filter, the second closes.
  await screen.press(keys.escape);
  expect(screen.text().some((row) => row.startsWith('Filter'))).toBe(false);
  expect(closed()).toBe(0);
  await screen.press(keys.escape);
  expect(closed()).toBe(1);
});

test('a slash and text in one chunk start a filter', async () => {
  const { screen, edits } = await open(three);
  await screen.press('/dr');
  expect(screen.text()).toContain('Filter: dr');
  expect(edits).toEqual([]);
});

test('a new item appears at the top, and the cursor stays on its item', async () => {
  const { screen, add } = await open(three);
  await screen.press(keys.down);
  add(item(12));
  await screen.waitFor((rows) => rows.some((row) => row.includes('#12')));
  expect(screen.text().find((row) => row.startsWith('❯'))).toContain('#4');
});

test('ten thousand items scroll in a window, from 20 columns on', async () => {
  const many = Array.from({ length: 10_000 }, (_, seq) =>
    item(seq, { title: `${seq}漢字${'長い題'.repeat(30)}` }),
  );
  const { screen } = await open(many, 20, 12);
  await screen.press(keys.end, keys.up, keys.pageUp);
  const rows = screen.text();
  expect(rows).toHaveLength(12);
  for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(20);
  expect(rows.at(-1)).toContain('p d r / Esc');
  expect(rows.find((row) => row.startsWith('❯'))).toContain(' 8漢');
  await screen.press(keys.home);
  expect(screen.text().find((row) => row.startsWith('❯'))).toContain('9999');
});

test('on very few rows, only the list remains', async () => {
  const { screen } = await open(three, 40, 4);
  expect(screen.text().filter((row) => row.includes('#9') || row.includes('#4'))).toHaveLength(2);
  expect(screen.text().length).toBeLessThanOrEqual(4);
});

test('an empty conversation says so', async () => {
  const { screen } = await open([]);
  expect(screen.text().join('\n')).toContain('Nothing here yet.');
});

test('no row is wider than the screen', () => {
  const one = item(123_456, {
    title: `${'長い題'.repeat(20)}\u001b[2J`,
    isPinned: true,
    state: 'summarized',
  });
  for (let width = 18; width <= 120; width += 1)
    for (const isSelected of [true, false])
      expect(textWidth(itemRow(one, width, isSelected, plain))).toBeLessThanOrEqual(width);
});

test('the cursor moves to the nearest item if its own was removed', () => {
  const before = createItemsState(three);
  const gone = withItems({ ...before, selection: { ...before.selection, selected: 2 } }, three.slice(1), 5);
  expect(selectedItem(gone)?.seq).toBe(4);
  expect(selectedItem(withItems(before, [], 5))).toBeUndefined();
});
