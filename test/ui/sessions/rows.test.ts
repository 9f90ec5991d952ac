import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultKeymap } from '../../../src/ui/keys/keymap.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { footer, helpLines, pickerTitle } from '../../../src/ui/sessions/pickerFrame.ts';
import { createPickerState, withSessions } from '../../../src/ui/sessions/pickerState.ts';
import { previewOf, previewWindow } from '../../../src/ui/sessions/sessionPreview.ts';
import { hitRows, sessionRow } from '../../../src/ui/sessions/sessionRows.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { anyText } from '../../anyText.ts';
import { madeEntry, madeHit, madeSession, now } from './made.ts';

const theme = chooseTheme('plain', { noColor: true });
const options = { scope: 'project', isSelected: false, isOpen: false, now, theme } as const;
const session = madeSession('a', { title: '修复 the parser', bytes: 42_000 });

test.each([
  [
    110,
    '修复 the parser                                        1 h ago       42 kB  main            12.3k tok    $0.12',
  ],
  [80, '修复 the parser                              1 h ago       42 kB  main'],
  [50, '修复 the parser                         1 h ago'],
  [30, '修复 the parser             1h'],
  [18, '修复 the pa…    1h'],
  [10, '修复 the …'],
])('a session on %d columns', (width, expected) => {
  expect(sessionRow(session, width, options)).toBe(expected);
});

test.each([
  [0.00001, '<$0.01'],
  [0.05, '$0.05'],
  [12.345, '$12.35'],
  [1536.26, '$1.5k'],
])('a cost of %d is %s', (costUsd, expected) => {
  expect(sessionRow({ ...session, costUsd }, 110, options)).toMatch(
    new RegExp(`  ?${expected.replace('$', '\\$')}$`),
  );
});

test('in the list of all projects, the project has its own column', () => {
  expect(sessionRow(session, 60, { ...options, scope: 'all' })).toBe(
    '修复 the parser                 p                 1 h ago',
  );
});

test('forks and archived sessions are marked in their row', () => {
  const row = (about: Parameters<typeof madeSession>[1], isOpen = false): string =>
    sessionRow(madeSession('a', { title: 'T', ...about }), 60, { ...options, isOpen });
  expect(row({ forkedFrom: 'b' })).toMatch(/^↳ T /);
  expect(row({ isArchived: true })).toMatch(/^\(archived\) T /);
  expect(row({ isPartial: true })).toMatch(/^\(partly read\) T /);
  expect(row({}, true)).toMatch(/^T · open /);
  expect(row({ title: ' ' })).toMatch(/^\(no title\) /);
});

const text = fc.oneof(
  anyText(),
  fc.constantFrom(
    '\u001B]0;owned\u0007x',
    '👨‍👩‍👧 家',
    '漢字'.repeat(80),
    '\u001B[2J',
    'a\nb',
    '\u202Eabc',
    '\uD800',
  ),
);

test('no row is wider than its space or controls the terminal, whatever the title', () => {
  fc.assert(
    fc.property(
      text,
      text,
      text,
      fc.integer({ min: 1, max: 200 }),
      fc.boolean(),
      (title, branch, snippet, width, all) => {
        const made = madeSession('a', { title, gitBranch: branch, root: `/x/${branch}` });
        const scope = all ? 'all' : 'project';
        const at = Math.floor(snippet.length / 2);
        const hit = { ...madeHit(made, 3, snippet, 'x'), marks: [[at, snippet.length]] as const };
        const lines = [
          sessionRow(made, width, { ...options, scope }),
          ...(width < 3 ? [] : hitRows(hit, width, { ...options, scope })),
        ];
        for (const line of lines) {
          expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
          expect(textWidth(line)).toBeLessThanOrEqual(width);
        }
      },
    ),
    { numRuns: 400 },
  );
});

test('the matches of a hit are marked, and visible even if they are far into the text', () => {
  const hit = madeHit(session, 7, 'the parser fails', 'parser');
  const far = madeHit(session, 7, `${'before '.repeat(30)}needle after`, 'needle');
  expect(hitRows(far, 42, options)[1]).toBe('  …efore before [needle] after');
  const partly = { ...hit, session: { ...hit.session, isPartial: true } };
  expect(hitRows(partly, 60, options)[0]).toBe('修复 the parser · partly read · you · 1 h ago');
  expect(hitRows(hit, 60, options)).toEqual(['修复 the parser · you · 1 h ago', '  the [parser] fails']);
  expect(hitRows(hit, 20, options)).toEqual(['修复 the parser   1h', '  the [parser] fails']);
});

test('title, footer and help fit every width', () => {
  const many = Array.from({ length: 12_345 }, (_, index) => madeSession(String(index)));
  const state = withSessions(createPickerState(), many, 10);
  expect(pickerTitle(state, 60, theme)).toBe('─ Sessions of this project ──────────────────── 1 / 12,345 ─');
  const widths = [...Array.from({ length: 71 }, (_, index) => 10 + index), 100, 120, 160, 200];
  for (const width of widths) {
    for (const line of [
      pickerTitle(state, width, theme),
      ...footer(state, width, theme, defaultKeymap),
      ...helpLines(width, 20, theme, defaultKeymap),
    ])
      expect(textWidth(line)).toBeLessThanOrEqual(width);
    if (width >= 20) expect(footer(state, width, theme, defaultKeymap)[0]).toMatch(/Enter.*Esc/);
  }
});

test.each([
  [30_000, 'now'],
  [5 * 60_000, '5m'],
  [3 * 3_600_000, '3h'],
  [59 * 86_400_000, '59d'],
  [70 * 86_400_000, '10w'],
  [800 * 86_400_000, '2y'],
  [-60_000, 'now'],
])('an age of %d ms is %s', (ms, expected) => {
  const hit = {
    ...madeHit(session, 7, 'the parser fails', 'parser'),
    timestamp: new Date(now.getTime() - ms),
  };
  expect(hitRows(hit, 20, options)[0].split(' ').at(-1)).toBe(expected);
});

test('a preview shows the hit’s matches, even far into a long text, with some lines above', () => {
  const long = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n\n');
  const entries = [madeEntry(1, 'before'), madeEntry(2, `${long}\n\nthe Needle`), madeEntry(3, 'after')];
  const { lines, at } = previewOf(entries, { seq: 2, words: ['needle'] }, { width: 40, theme });
  expect(lines[at + 1]).toBe('┃   the Needle');
  expect(lines).toContain('│ > before');
  expect(lines.length).toBeLessThan(20);
  const window = previewWindow({ lines, at }, 6, 0);
  expect(window).toHaveLength(6);
  expect(window).toContain('┃   the Needle');
});

test('the preview of a collapsed output shows the lines around the match', () => {
  const output = Array.from({ length: 200 }, (_, index) =>
    index === 120 ? 'const needle = 1;' : `line ${index}`,
  ).join('\n');
  const read = madeEntry(5, output, {
    type: 'tool_result',
    toolResult: { id: 'c1', name: 'Read', output, status: 'ok', kind: 'file', display: { title: 'a.ts' } },
  });
  const { lines, at } = previewOf([read], { seq: 5, words: ['Needle'] }, { width: 40, theme });
  expect(lines[0]).toContain('a.ts');
  expect(lines[at + 1]).toBe('┃ const needle = 1;');
  const around = ['line 117', 'line 118', 'line 119', 'const needle = 1;', 'line 121', 'line 122'];
  const below = ['line 123', 'line 124', 'line 125', 'line 126'];
  expect(lines.slice(1)).toEqual([...around, ...below].map((line) => `┃ ${line}`));
  const endless = madeEntry(6, `${'x'.repeat(100_000)} needle ${'y'.repeat(100_000)}`);
  const found = previewOf([endless], { seq: 6, words: ['needle'] }, { width: 40, theme }).lines;
  expect(found.join('\n')).toContain('needle');
  for (const line of found) expect(textWidth(line)).toBeLessThanOrEqual(40);
});
