import { expect, test } from 'vitest';
import type { RestoreStep, RewindPlan, TurnRecord } from '../../../src/protocol/checkpoints.ts';
import type { Op } from '../../../src/protocol/ops.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { RewindDialog } from '../../../src/ui/rewind/RewindDialog.tsx';
import { state } from '../../headless/scriptedAgent.ts';
import { createClock, mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';

const { root } = state;
const now = new Date('2030-01-02T12:00:00Z');

const turn = (number: number, fields: Partial<TurnRecord> = {}): TurnRecord => ({
  uuid: `u${number}`,
  seq: number * 10,
  beforeSeq: number * 10 - 1,
  text: `request ${number}`,
  timestamp: '2030-01-02T11:30:00Z',
  steps: 2,
  files: 0,
  lines: { added: 0, removed: 0 },
  ...fields,
});

const step = (path: string, fields: Partial<RestoreStep> = {}): RestoreStep => ({
  path: `${root}/${path}`,
  action: 'modify',
  added: 0,
  removed: 0,
  ...fields,
});

const steps: readonly RestoreStep[] = [
  step('src/a.ts', { added: 1, removed: 1, diff: '--- a\n+++ b\n@@ -1,1 +1,1 @@\n-new\n+old\n' }),
  step('gone.txt', { action: 'delete', removed: 3 }),
  step('mine.txt', { action: 'refuse', reason: 'you changed the same lines since' }),
  step('same.txt', { action: 'nothing' }),
];

async function open({
  turns = [turn(1), turn(2, { files: 2, lines: { added: 12, removed: 3 } }), turn(3)],
  plan = steps,
  columns = 80,
  rows = 14,
  first,
  notes = [],
  ready = Promise.resolve(),
  canUndo = false,
}: {
  turns?: readonly TurnRecord[];
  plan?: readonly RestoreStep[];
  columns?: number;
  rows?: number;
  first?: TurnRecord;
  notes?: readonly string[];
  /** The list can be read. */
  ready?: Promise<void>;
  canUndo?: boolean;
} = {}) {
  const ops: Op[] = [];
  const forks: number[] = [];
  const limits: number[] = [];
  let closed = 0;
  const clock = createClock();
  const agent = {
    state: () => state,
    submit: (op: Op) => void ops.push(op),
    canUndoRewind: () => canUndo,
    async turns(limit: number) {
      limits.push(limit);
      await ready;
      return turns.slice(-limit);
    },
    async planRewind(uuid: string): Promise<RewindPlan | undefined> {
      const found = turns.find((one) => one.uuid === uuid);
      return found && { turn: found, plan: { steps: plan }, notes };
    },
  };
  const element = (width: number, height: number) => (
    <RewindDialog
      agent={agent}
      turn={first}
      width={width}
      rows={height}
      theme={plain}
      now={() => now}
      clock={clock.now}
      onFork={({ beforeSeq }) => forks.push(beforeSeq)}
      onClose={() => {
        closed += 1;
      }}
    />
  );
  const mounted = await mount(element(columns, rows), { columns, rows });
  return {
    ...mounted,
    ops,
    forks,
    limits,
    closed: () => closed,
    /** Long enough for a key to count. */
    look: () => clock.pass(1000),
    resize: (width: number, height: number) => mounted.update(element(width, height)),
  };
}

test('the turns are listed newest last, each with age, prompt and changes', async () => {
  const { screen } = await open();
  expect(screen.text()).toEqual([
    `─ Rewind to before… ${'─'.repeat(60)}`,
    '  30 min ago  request 1',
    '  30 min ago  request 2                                        +12 −3 in 2 files',
    '❯ 30 min ago  request 3',
    '↑↓ Enter · Esc closes',
  ]);
});

test('only Enter after choosing turn, parts and file effects rewinds', async () => {
  const { screen, ops, look, closed } = await open();
  await screen.press(keys.up, keys.enter);
  expect(screen.text()).toEqual([
    `─ Rewind to before “request 2”. Restore what? ${'─'.repeat(34)}`,
    '❯ 1. Conversation and files',
    '     1 file to restore, 1 to delete, 1 left unchanged',
    '  2. The conversation',
    '     files stay as they are',
    '  3. The files',
    '     the conversation stays',
    '  4. Fork from there',
    '     a new session; this one and the files stay',
    '  5. Cancel',
    '↑↓ Enter · Esc goes back to the list',
  ]);
  await screen.press('f');
  expect(screen.text()).toEqual([
    `─ Files to restore ${'─'.repeat(61)}`,
    'restore     src/a.ts  +1 −1',
    'delete      gone.txt  +0 −3',
    'leave       mine.txt',
    '  you changed the same lines since',
    '',
    'src/a.ts',
    '1 - new',
    '1 + old',
    'Enter confirms · PgUp PgDn · Esc goes back',
  ]);
  await screen.press(keys.enter);
  expect(ops, 'an Enter that was on its way').toEqual([]);
  look();
  await screen.press(keys.enter);
  expect(ops).toEqual([{ type: 'rewind', to: 'u2', scope: 'files' }]);
  expect(closed()).toBe(1);
});

test.each([
  ['b', 'both'],
  ['1', 'both'],
  ['c', 'conversation'],
])('%s is for %s', async (key, scope) => {
  const { screen, ops, look } = await open();
  await screen.press(keys.enter, key);
  look();
  if (scope === 'both') await screen.press(keys.enter);
  expect(ops).toEqual([{ type: 'rewind', to: 'u3', scope }]);
});

test('without changed files, only the conversation is rewound; k forks, u undoes', async () => {
  const { screen, forks, ops } = await open({ plan: [step('same.txt', { action: 'nothing' })] });
  await screen.press(keys.enter);
  expect(screen.text().slice(1, 5)).toEqual([
    '❯ 1. The conversation',
    '     no file has changed since',
    '  2. Fork from there',
    '     a new session; this one and the files stay',
  ]);
  await screen.press('k');
  expect(forks).toEqual([29]);
  const other = await open({ canUndo: true });
  expect(other.screen.text().at(-1)).toBe('↑↓ Enter · u undoes the last rewind · Esc closes');
  await other.screen.press('u');
  expect(other.ops).toEqual([{ type: 'undo_rewind' }]);
  const nothing = await open();
  await nothing.screen.press('u');
  expect([nothing.ops, nothing.closed()]).toEqual([[], 0]);
  expect(other.closed()).toBe(1);
  expect(ops).toEqual([]);
});

test('Esc goes back one step, Ctrl+C closes, and nothing changes', async () => {
  const { screen, ops, closed } = await open();
  await screen.press(keys.up, keys.enter, 'b');
  await screen.press(keys.escape);
  expect(screen.text()[0]).toContain('request 2');
  await screen.press(keys.escape);
  expect(screen.text()[2]).toContain('❯ 30 min ago  request 2');
  await screen.press(keys.escape);
  expect(closed()).toBe(1);
  const other = await open();
  await other.screen.press(keys.enter, keys.ctrl('c'));
  expect([other.closed(), other.ops.length, ops.length]).toEqual([1, 0, 0]);
});

test('a named turn is the first step, and Esc closes from there', async () => {
  const { screen, closed } = await open({ first: turn(1) });
  expect(screen.text()[0]).toContain('before “request 1”');
  await screen.press('b', keys.escape);
  expect(screen.text()[0]).toContain('before “request 1”');
  await screen.press(keys.escape);
  expect(closed()).toBe(1);
});

test('reads only the turns near the cursor, of ten thousand', async () => {
  const turns = Array.from({ length: 10_000 }, (_, index) => turn(index + 1));
  const { screen, limits } = await open({ turns });
  expect(screen.text().at(-1)).toMatch(/^200 of 200\+/);
  await screen.press(keys.home);
  await screen.waitFor((rows) => rows.at(-1)?.startsWith('801 of 1000+') === true);
  for (let page = 0; page < 3; page++) await screen.press(keys.home);
  await screen.waitFor((rows) => rows.at(-1)?.startsWith('1 of 10000 ') === true);
  expect(screen.text()[1]).toContain('❯ 30 min ago  request 1');
  expect(limits).toEqual([200, 1000, 5000, 25_000]);
});

test.each([
  [20, 8],
  [20, 3],
  [44, 10],
  [200, 50],
])('at %i × %i, nothing is wider or taller than the screen', { tags: 'long' }, async (columns, rows) => {
  const hostile = '\u001b]0;title\u0007\u001b[2J漢字漢字 👨‍👩‍👧 \u202emoc.live\n'.repeat(10);
  const many = Array.from({ length: 40 }, (_, index) =>
    step(`${hostile}${index}`, { reason: hostile, diff: `--- a\n+++ b\n@@ -1,1 +1,1 @@\n-${hostile}` }),
  );
  const { screen, look, resize, ops } = await open({
    turns: [turn(1, { text: hostile, files: 3 }), turn(2, { text: hostile })],
    plan: many,
    columns,
    rows,
    notes: [hostile],
  });
  const check = (): void => {
    expect(screen.text().length).toBeLessThanOrEqual(rows);
    for (const row of screen.text()) expect(textWidth(row)).toBeLessThanOrEqual(columns);
    expect(screen.output()).not.toContain('\u001b]0;');
    expect(screen.output()).not.toContain('\u202e');
  };
  check();
  await screen.press(keys.enter);
  check();
  await screen.press('b');
  check();
  for (let page = 0; page < 3; page++) await screen.press(keys.pageDown);
  check();
  await resize(Math.max(20, columns - 5), rows);
  check();
  look();
  await screen.press(keys.enter);
  expect(ops).toEqual([{ type: 'rewind', to: 'u2', scope: 'both' }]);
});

test('the list of files shows where links lead, pipes, and unusual permissions', async () => {
  const file = (mode: number) => ({ type: 'file', mode, bytes: 1, hash: 'x' }) as const;
  const plan = [
    step('run.sh', { action: 'create', added: 1, to: file(0o755) }),
    step('open', { action: 'create', to: file(0o666) }),
    step('ordinary', { action: 'create', to: file(0o644) }),
    step('link', { action: 'create', to: { type: 'link', target: '/etc/pass\u202ewd' } }),
    step('pipe', { action: 'create', to: { type: 'special', kind: 'pipe' } }),
  ];
  const { screen } = await open({ plan });
  await screen.press(keys.enter, 'f');
  expect(screen.text().slice(1, -1)).toEqual([
    'recreate    run.sh  +1 −0  executable',
    'recreate    open  666',
    'recreate    ordinary',
    'recreate    link',
    '  a link to "/etc/pass\\u202ewd"',
    'recreate    pipe',
    '  a pipe',
  ]);
});

test('of many files that are treated alike, the first are named and the rest is counted by folder', async () => {
  const file = (mode: number) => ({ type: 'file', mode, bytes: 1, hash: 'x' }) as const;
  const plan = [
    ...Array.from({ length: 2003 }, (_, at) =>
      step(`node_modules/p${at}/index.js`, { action: 'refuse', reason: 'it changed' }),
    ),
    ...Array.from({ length: 25 }, (_, at) => step(`bin/${at}`, { action: 'create', to: file(0o755) })),
  ];
  const { screen } = await open({ plan, rows: 20 });
  await screen.press(keys.enter);
  expect(screen.text().join('\n')).toContain('25 files to restore, 2003 left unchanged');
  await screen.press('f');
  expect(screen.text().slice(1, -1)).toEqual([
    ...[0, 1, 2].flatMap((at) => [`leave       node_modules/p${at}/index.js`, '  it changed']),
    'leave       … and 2,000 more in node_modules/',
    ...[0, 1, 2].map((at) => `recreate    bin/${at}  executable`),
    'recreate    … and 22 more in bin/  executable',
  ]);
});

test('Enter pressed while the list loads counts once it is shown', async () => {
  let isReady = (): void => undefined;
  const ready = new Promise<void>((done) => {
    isReady = done;
  });
  const { screen } = await open({ ready });
  await screen.press(keys.enter);
  isReady();
  await screen.waitFor(
    (rows) => rows.some((row) => row.includes('request 3')) && rows.some((row) => /^.*1\. /.test(row)),
  );
});
