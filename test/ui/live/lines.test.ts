import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContextMeasure } from '../../../src/protocol/contextReport.ts';
import type { PermissionQuestion, Preview } from '../../../src/protocol/permissions.ts';
import { choiceLines, fittedChoiceLines } from '../../../src/ui/dialog/choices.ts';
import { fieldView } from '../../../src/ui/dialog/field.ts';
import { permissionLayout, previewLines } from '../../../src/ui/dialog/permissionLayout.ts';
import { createSelection, filterSelection, moveSelection } from '../../../src/ui/dialog/selection.ts';
import { applyEdit, createBuffer } from '../../../src/ui/input/textBuffer.ts';
import { defaultKeymap } from '../../../src/ui/keys/keymap.ts';
import { liveToolLines, queueLines } from '../../../src/ui/live/LiveArea.tsx';
import { statusLine } from '../../../src/ui/live/StatusLine.tsx';
import { checkForm, createForm } from '../../../src/ui/onboarding/accessForm.ts';
import { plainMarkdown } from '../../../src/ui/print/markdown.ts';
import { renderTodos } from '../../../src/ui/print/todos.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';

const theme = chooseTheme('plain', { noColor: true });
const measure: ContextMeasure = {
  model: 'gpt-5',
  windowTokens: 128_000,
  triggerTokens: 102_400,
  usedTokens: 43_520,
  replyReserveTokens: 8192,
  parts: [],
  exact: true,
  windowSource: 'catalogue',
};
const facts = { model: 'gpt-5-codex', mode: 'plan' as const, measure, costUsd: 0.1234, demo: false };

test.each([
  [60, 'gpt-5-codex · plan mode · context 34% of 128k · $0.12'],
  [50, 'gpt-5-codex · plan mode · context 34% · $0.12'],
  [40, 'gpt-5-codex · plan mode · context 34%'],
  [20, 'plan · 34%'],
])('the status line on %d columns', (width, expected) => {
  const line = statusLine(facts, width, theme);
  expect(line).toBe(expected);
});

test('the status line fits every width, and always says if the demo model replies', () => {
  for (let width = 200; width >= 20; width -= 1)
    for (const demo of [true, false]) {
      const line = statusLine(
        { ...facts, model: 'a-very-long-model-name-模型', demo, mode: 'bypassPermissions' },
        width,
        theme,
      );
      expect(textWidth(line)).toBeLessThanOrEqual(width);
      if (demo) expect(line).toContain('demo');
    }
});

test.each([
  [120, 'my-model · context 34% of 128k (assumed) · $0.12'],
  [45, 'my-model · context 34% · $0.12'],
  [20, 'my-model · 34%'],
])('an assumed window is marked on %d columns', (width, expected) => {
  const assumed = { ...measure, windowSource: 'assumed' } as const;
  expect(statusLine({ ...facts, model: 'my-model', mode: 'default', measure: assumed }, width, theme)).toBe(
    expected,
  );
});

test.each([
  [['npm run dev'], 100, 'gpt-5-codex · plan mode · 1 running: npm run dev · context 34% of 128k · $0.12'],
  [['npm run dev'], 75, 'gpt-5-codex · plan mode · 1 running · context 34% of 128k · $0.12'],
  [['npm run dev'], 30, 'gpt-5-cod… · plan · 1 bg · 34%'],
  [
    ['npm run dev\n\u001b[2J', 'python3 -m http.server 8000'],
    120,
    'gpt-5-codex · plan mode · 2 running: npm run dev ‹U+001B›[2J, pyth… · context 34% of 128k · $0.12',
  ],
])('the status line names the running commands %j if %d columns have room', (running, width, expected) => {
  expect(statusLine({ ...facts, running }, width, theme)).toBe(expected);
});

test('an estimate is marked', () => {
  expect(statusLine({ ...facts, measure: { ...measure, exact: false } }, 100, theme)).toContain(
    'context ~34% of',
  );
});

const tool = (id: string, output = '') => ({ callId: id, tool: 'Bash', title: `run ${id}`, output });

test('running calls show the end of their output as a terminal would', () => {
  const output = 'one\r\ntwo\n10%\r50%\r90%\n\u001b[31mred\u001b[0m\n';
  expect(liveToolLines([tool('a', output)], 40, 10, theme)).toEqual([
    '● Bash(run a)',
    '    two',
    '    90%',
    '    red',
  ]);
});

test('calls come before output when rows are short', () => {
  const tools = [tool('a', '1\n2\n3'), tool('b', '4\n5\n6')];
  expect(liveToolLines(tools, 40, 4, theme)).toEqual(['● Bash(run a)', '    3', '● Bash(run b)', '    6']);
  expect(liveToolLines(tools, 40, 2, theme)).toEqual(['● Bash(run a)', '● Bash(run b)']);
  expect(liveToolLines([...tools, tool('c')], 40, 2, theme)).toEqual(['● Bash(run a)', '… +2 more running']);
  expect(liveToolLines(tools, 40, 0, theme)).toEqual([]);
});

test('the todo list keeps the current task visible', () => {
  const todos = Array.from({ length: 9 }, (_, index) => ({
    content: `task ${index + 1}`,
    status:
      index < 5 ? ('completed' as const) : index === 5 ? ('in_progress' as const) : ('pending' as const),
  }));
  expect(renderTodos(todos, 40, 4, theme)).toEqual([
    '☒ task 5',
    '▣ task 6',
    '☐ task 7',
    '  … +6 (5 of 9 tasks done)',
  ]);
  expect(renderTodos(todos, 40, 9, theme)).toHaveLength(9);
});

test('queued messages have a line each; if there is no room for all, the newest are shown', () => {
  const queue = ['one', 'two\nlines', 'three'].map((text) => ({ type: 'prompt' as const, text }));
  expect(queueLines({ queue, width: 40, rows: 3, theme })).toEqual(['⧗ one', '⧗ two lines', '⧗ three']);
  expect(queueLines({ queue, width: 40, rows: 2, theme })).toEqual(['  … 2 queued before', '⧗ three']);
  expect(queueLines({ queue, width: 40, rows: 2, theme, editQueuedKey: '↑' }).at(-1)).toBe(
    '⧗ three  ↑ to edit',
  );
  // On a narrow screen the message matters more.
  expect(queueLines({ queue, width: 20, rows: 2, theme, editQueuedKey: '↑' }).at(-1)).toBe('⧗ three');
});

test('running calls never exceed the available rows or columns', () => {
  const text = fc.constantFrom(
    'x',
    'a long line of output that goes on and on',
    '中文输出中文输出中文输出',
    '',
  );
  const output = fc.array(text, { maxLength: 6 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(
      fc.array(output, { maxLength: 6 }),
      fc.nat({ max: 12 }),
      fc.integer({ min: 12, max: 60 }),
      (outputs, rows, width) => {
        const tools = outputs.map((one, index) => tool(String(index), one));
        const queue = outputs.map((one) => ({ type: 'prompt' as const, text: one }));
        for (const lines of [
          liveToolLines(tools, width, rows, theme),
          queueLines({ queue, width, rows, theme, editQueuedKey: '↑' }),
        ]) {
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
        }
      },
    ),
  );
});

const question = (preview: PermissionQuestion['preview']): PermissionQuestion => ({
  id: 'q',
  agentId: 'main',
  callId: 'c',
  tool: 'Bash',
  title: 'npm test',
  input: {},
  preview,
  reason: 'No rule allows this command.',
});

test('hidden characters in a call that needs approval are shown', () => {
  const command = 'echo ok\r\u001b[1Arm -rf ~ \u202e#\u200b';
  const lines = previewLines({ type: 'command', command, cwd: '/p' }, 80, theme, plainMarkdown, true);
  expect(lines).toEqual([
    'Characters that show nothing, or look like others, are marked ‹U+…›.',
    '$ echo ok‹U+000D›‹U+001B›[1Arm -rf ~ ‹U+202E›#‹U+200B›',
    'In /p.',
  ]);
});

test.each([
  [
    { type: 'diff', path: '/p/a.ts', isNew: false, diff: '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n' },
    ['1 - a', '1 + b'],
  ],
  [{ type: 'diff', path: '/p/a.ts', isNew: true, diff: '' }, ['(no difference to show)']],
  [
    { type: 'paths', verb: 'Read', paths: ['/etc/passwd', '/x\ny'] },
    ['Read:', '  /etc/passwd', '  /x‹U+000A›y'],
  ],
  [
    { type: 'diff', path: '/p/notes.md', realPath: '/h/.zshenv', isNew: true, diff: '' },
    ['/h/.zshenv, through the link /p/notes.md', '(no difference to show)'],
  ],
  [
    { type: 'paths', verb: 'Read', paths: ['/p/a', '/p/b'], realPaths: ['/p/a', '/h/\u202ekey'] },
    ['Read:', '  /p/a', '  /h/‹U+202E›key, through the link /p/b'],
  ],
  [{ type: 'plan', plan: '1. look\n2. do' }, ['1. look', '2. do']],
  [{ type: 'text', text: 'GET http://a.b' }, ['GET http://a.b']],
] as [PermissionQuestion['preview'], string[]][])('the preview of %j', (preview, expected) => {
  expect(previewLines(preview, 60, theme, plainMarkdown, preview.type !== 'paths')).toEqual(expected);
});

test('a permission dialog never exceeds its rows if the choices fit in them', () => {
  const choiceRows = choiceLines(
    [{ label: 'Yes' }, { label: 'Always', detail: 'rule' }, { label: 'No' }],
    0,
    40,
    theme,
  );
  fc.assert(
    fc.property(
      fc.nat({ max: 60 }),
      fc.integer({ min: 6, max: 40 }),
      fc.boolean(),
      fc.nat({ max: 70 }),
      (lines, rows, isCommenting, top) => {
        const preview = Array.from({ length: lines }, (_, index) => `line ${index}`);
        const layout = permissionLayout({
          question: question({ type: 'text', text: '' }),
          preview,
          top,
          choiceRows,
          isCommenting,
          seen: 0,
          isWarned: false,
          width: 40,
          rows,
          theme,
          keymap: defaultKeymap,
        });
        expect(layout.above.length + layout.below.length + (isCommenting ? 1 : 0)).toBeLessThanOrEqual(rows);
        for (const row of choiceRows) expect(layout.above).toContain(row);
        if (lines > 0 && rows > 8) expect(layout.above.some((line) => line.startsWith('line '))).toBe(true);
      },
    ),
  );
});

test('if choices do not fit, the selected one is visible, in full if possible, within the rows', () => {
  const long = Array.from({ length: 6 }, (_, index) => ({
    label: `choice-${index} ${'with a long name '.repeat(2)}`.trim(),
    detail: `detail-${index}`,
  }));
  fc.assert(
    fc.property(fc.nat({ max: 5 }), fc.integer({ min: 1, max: 30 }), (selected, rows) => {
      const lines = fittedChoiceLines(long, selected, 24, rows, theme);
      expect(lines.length).toBeLessThanOrEqual(rows);
      const text = lines.map((line) => line.slice(2)).join(' ');
      expect(lines).toContain(`❯ ${selected + 1}. choice-${selected} with a`);
      if (rows > 3) expect(text).toContain(`${selected + 1}. ${long[selected]?.label}`);
      if (rows >= 8) for (const at of long.keys()) expect(text).toContain(`choice-${at}`);
    }),
  );
});

test('filtering keeps items with every word, and deleting text restores the others', () => {
  const items = ['Fix the parser', 'fix tests', 'Add docs', '修复 tests'];
  const all = createSelection(items);
  const fix = filterSelection(all, 'FIX', (item) => item);
  expect(fix.visible).toEqual(['Fix the parser', 'fix tests']);
  expect(filterSelection(fix, 'fix te', (item) => item).visible).toEqual(['fix tests']);
  expect(filterSelection(fix, '修', (item) => item).visible).toEqual(['修复 tests']);
  expect(filterSelection(fix, '', (item) => item).visible).toEqual(items);
});

test('the selected row stays inside the window, whatever the moves', () => {
  const moves = fc.array(fc.constantFrom(-1, 1, -10, 10, 3), { maxLength: 40 });
  fc.assert(
    fc.property(fc.nat({ max: 50 }), fc.integer({ min: 1, max: 12 }), moves, (size, rows, steps) => {
      let selection = createSelection(Array.from({ length: size }, (_, index) => index));
      for (const step of steps) {
        selection = moveSelection(selection, step, rows);
        expect(selection.selected).toBeGreaterThanOrEqual(selection.top);
        expect(selection.selected).toBeLessThan(selection.top + rows);
        expect(selection.selected).toBeLessThan(Math.max(1, size));
      }
    }),
  );
});

test('a field scrolls with its cursor and hides a secret', () => {
  const buffer = createBuffer('abcdefghij');
  expect(fieldView(buffer, 6)).toEqual({ text: 'fghij', cursor: 5 });
  expect(fieldView(applyEdit(buffer, { type: 'move', to: 'start' }), 6)).toEqual({
    text: 'abcde',
    cursor: 0,
  });
  expect(fieldView(createBuffer('中文'), 10)).toEqual({ text: '中文', cursor: 4 });
  expect(fieldView(createBuffer('中文'), 10, 0)).toEqual({ text: '••', cursor: 2 });
  expect(fieldView(createBuffer('中文'), 10, 1)).toEqual({ text: '中•', cursor: 3 });
});

test.each([
  [
    'a good form',
    { apiKey: 'sk-1', model: 'm' },
    { type: 'ok', access: { baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-1', model: 'm' } },
  ],
  [
    'a local server without a key',
    { baseUrl: 'http://127.0.0.1:8080/v1', model: 'm' },
    { type: 'ok', access: { baseUrl: 'http://127.0.0.1:8080/v1', apiKey: '', model: 'm' } },
  ],
  ['no URL', { baseUrl: 'my server', apiKey: 'k', model: 'm' }, { type: 'problem', field: 'baseUrl' }],
  ['an address without http', { baseUrl: 'api.openai.com', apiKey: 'k' }, { type: 'ok' }],
  [
    'a file as URL',
    { baseUrl: 'file:///etc', apiKey: 'k', model: 'm' },
    { type: 'problem', field: 'baseUrl' },
  ],
  ['a missing key that is required', { model: 'm' }, { type: 'problem', field: 'apiKey' }],
  ['two keys pasted at once', { apiKey: 'sk-1 sk-2', model: 'm' }, { type: 'problem', field: 'apiKey' }],
  ['no model', { apiKey: 'k' }, { type: 'ok', access: { model: '' } }],
])('checks %s', (_, values, expected) => {
  expect(checkForm(createForm(values))).toMatchObject(expected);
});

test('the name of a folder or file cannot add a line to a question', () => {
  const name = '/p\n❯ 1. Yes';
  const previews: readonly Preview[] = [
    { type: 'command', command: 'ls', cwd: name },
    { type: 'diff', path: name, diff: '', isNew: true },
    { type: 'paths', verb: 'Read', paths: [name] },
  ];
  for (const preview of previews)
    expect(previewLines(preview, 80, theme, plainMarkdown, false).join('\n')).toContain('/p‹U+000A›❯ 1. Yes');
});

test('the status line shows when compaction starts only once it is close', () => {
  const close = { ...measure, usedTokens: 90_000 };
  expect(statusLine({ ...facts, measure: close }, 120, theme)).toBe(
    'gpt-5-codex · plan mode · context 70% of 128k, compacts at 80% · $0.12',
  );
});
