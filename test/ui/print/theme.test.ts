import { expect, test } from 'vitest';
import { chooseTheme, type TerminalColors, type ThemeSetting } from '../../../src/ui/theme.ts';

const rich: TerminalColors = { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' };

test.each([
  ['auto', rich, 'dark'],
  ['auto', { ...rich, colorFgBg: '0;15' }, 'light'],
  ['auto', { ...rich, colorFgBg: '15;0' }, 'dark'],
  ['light', rich, 'light'],
  ['dark', { noColor: false, term: 'xterm' }, 'ansi'],
  ['ansi', rich, 'ansi'],
  ['plain', rich, 'plain'],
  ['dark', { ...rich, noColor: true }, 'plain'],
  ['light', { ...rich, term: 'dumb' }, 'plain'],
] as [ThemeSetting, TerminalColors, string][])('%s in %j is %s', (setting, terminal, name) => {
  expect(chooseTheme(setting, terminal).name).toBe(name);
});

test('sixteen colours are the terminal’s own', () => {
  expect(chooseTheme('ansi', rich).error('x')).toBe('\u001b[31mx\u001b[39m');
});

test('without colours not one escape is written', () => {
  const theme = chooseTheme('dark', { ...rich, noColor: true });
  const paints = [...Object.values(theme), ...Object.values(theme.code)].filter(
    (one) => typeof one === 'function',
  );
  expect(paints.length).toBeGreaterThan(20);
  for (const paint of paints) expect(paint('x')).toBe('x');
});
