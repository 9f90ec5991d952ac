import { expect, test } from 'vitest';
import type { Snapshot } from '../../../src/ui/controller/types.ts';
import { loadMarkdown } from '../../../src/ui/print/markdown.ts';
import { keepTheme } from '../../../src/ui/theme/describeTheme.ts';
import { sampleLines, ThemePicker } from '../../../src/ui/theme/ThemePicker.tsx';
import { chooseTheme, type TerminalColors, type ThemeSetting } from '../../../src/ui/theme/theme.ts';
import { mount } from '../mount.tsx';
import { keys } from '../screen.ts';

const terminal: TerminalColors = {
  noColor: false,
  term: 'xterm-256color',
  colorTerm: 'truecolor',
  background: 'light',
};
const markdown = await loadMarkdown();

async function open(setting: ThemeSetting, size: { columns?: number; rows?: number } = {}) {
  const picked: (ThemeSetting | 'cancelled')[] = [];
  const { columns = 80, rows = 24 } = size;
  const { screen } = await mount(
    <ThemePicker
      width={columns}
      rows={rows}
      theme={chooseTheme(setting, terminal)}
      markdown={markdown}
      onPick={(one) => picked.push(one)}
      onCancel={() => picked.push('cancelled')}
    />,
    { columns, rows },
  );
  return { screen, picked };
}

test('the list starts with the current theme, says what auto detected, and shows a sample', {
  tags: 'long',
}, async () => {
  const { screen, picked } = await open('auto');
  const text = screen.text().join('\n');
  expect(text).toMatch(/❯ auto \(light\) {2}light or dark, matching the terminal/);
  for (const part of ['A heading', 'const answer', "+   return 'Hello, world';", '✗ an error', '❯ selected'])
    expect(text).toContain(part);
  await screen.press(keys.enter);
  expect(picked).toEqual(['auto']);
});

test('the sample has the colors of the selected theme', { tags: 'long' }, async () => {
  const { screen, picked } = await open('light');
  const error = (setting: ThemeSetting) => chooseTheme(setting, terminal).error('✗ an error');
  expect(screen.output()).toContain(error('light'));
  expect(screen.output()).not.toContain(error('dark'));
  await screen.press(keys.down, keys.down);
  expect(screen.output()).toContain(error('dark'));
  await screen.press(keys.enter);
  expect(picked).toEqual(['dark']);
});

test('Esc changes nothing, typing filters', { tags: 'long' }, async () => {
  const { screen, picked } = await open('dark');
  await screen.press(...'orange', keys.enter);
  expect(picked).toEqual(['daltonized']);
  await screen.press(keys.escape);
  expect(picked).toEqual(['daltonized', 'cancelled']);
});

test.each([
  [20, 10],
  [20, 24],
  [200, 12],
  [80, 6],
])('at %i × %i nothing is wider or taller than the terminal', { tags: 'long' }, async (columns, rows) => {
  const { screen } = await open('auto', { columns, rows });
  expect(screen.text().length).toBeLessThanOrEqual(rows);
  expect(screen.text().join('\n')).toContain('❯ auto');
  for (const row of screen.text()) expect(row.length).toBeLessThanOrEqual(columns);
});

test('without colors, the parts of the sample are still distinguishable', () => {
  const lines = sampleLines(chooseTheme('auto', { ...terminal, noColor: true }), markdown, 80, 20).join('\n');
  expect(lines).not.toContain('\u001B');
  expect(lines).toMatch(/- {3}return 'Hello';/);
  expect(lines).toMatch(/\+ {3}return 'Hello, world';/);
  expect(lines).toContain('## A heading');
});

test.each([
  ['auto', terminal, 'Theme: auto. The terminal reports its background as light, so it is light.'],
  [
    'default',
    { ...terminal, background: undefined, colorFgBg: '15;0' },
    'Theme: default. COLORFGBG is 15;0, so it is dark.',
  ],
  [
    'daltonized',
    { ...terminal, background: undefined },
    'Theme: daltonized. The terminal does not report its background, so it is dark-daltonized.',
  ],
  ['dark', terminal, 'Theme: dark.'],
  ['light', { ...terminal, noColor: true }, 'Theme: light. NO_COLOR is set, so no colors are shown.'],
  ['light', { ...terminal, forceColor: '0' }, 'Theme: light. FORCE_COLOR is 0, so no colors are shown.'],
  [
    'light',
    { noColor: false, term: 'xterm' },
    'Theme: light. The terminal has 16 colors, so its own are used. Set COLORTERM=truecolor if it has more.',
  ],
] as [ThemeSetting, TerminalColors, string][])('%s in %j: "%s"', async (setting, colors, said) => {
  const notices: string[] = [];
  const controller = {
    snapshot: () => ({ theme: chooseTheme('auto', colors) }) as Snapshot,
    services: () => undefined,
    adjust: () => {},
    showNotice: (_level: string, text: string) => void notices.push(text),
  };
  await keepTheme(controller, setting);
  expect(notices).toEqual([said]);
});
