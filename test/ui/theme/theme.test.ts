import { expect, test } from 'vitest';
import { parseThemeSetting, themeSettings } from '../../../src/protocol/settings/themeNames.ts';
import {
  type Background,
  chooseTheme,
  type TerminalColors,
  type ThemeSetting,
  withBackground,
  withSetting,
} from '../../../src/ui/theme/theme.ts';

const rich: TerminalColors = { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' };

test.each([
  ['auto', rich, 'dark'],
  ['default', rich, 'dark'],
  ['auto', { ...rich, colorFgBg: '0;15' }, 'light'],
  ['auto', { ...rich, colorFgBg: '15;default;0' }, 'dark'],
  ['auto', { ...rich, colorFgBg: '7;8' }, 'dark'],
  ['auto', { ...rich, colorFgBg: 'default;default' }, 'dark'],
  ['auto', { ...rich, colorFgBg: '15;0', background: 'light' }, 'light'],
  ['auto', { ...rich, mayAnswer: true }, 'undecided'],
  ['auto', { ...rich, mayAnswer: true, colorFgBg: '0;15' }, 'light'],
  ['light', { ...rich, background: 'dark' }, 'light'],
  ['high-contrast', { ...rich, background: 'light' }, 'light-high-contrast'],
  ['high-contrast', { ...rich, background: 'dark' }, 'dark-high-contrast'],
  ['light-high-contrast', { ...rich, background: 'dark' }, 'light-high-contrast'],
  ['daltonized', { ...rich, background: 'light' }, 'light-daltonized'],
  ['dark', { noColor: false, term: 'xterm' }, 'ansi'],
  ['ansi', rich, 'ansi'],
  ['plain', rich, 'plain'],
  ['dark', { ...rich, noColor: true }, 'plain'],
  ['light', { ...rich, term: 'dumb', colorTerm: undefined }, 'plain'],
  ['dark', { ...rich, forceColor: '0' }, 'plain'],
  ['dark', { ...rich, noColor: true, forceColor: '3' }, 'dark'],
  ['dark', { noColor: false, term: 'dumb', forceColor: '' }, 'ansi'],
] as [ThemeSetting, TerminalColors, string][])('%s in %j is %s', (setting, terminal, name) => {
  expect(chooseTheme(setting, terminal).name).toBe(name);
});

test.each([
  [{ noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' }, '\u001b[38;2;240;120;120mx\u001b[39m'],
  [{ noColor: false, term: 'xterm-256color' }, '\u001b[38;5;210mx\u001b[39m'],
  [{ noColor: false, term: 'xterm-256color', program: 'iTerm.app' }, '\u001b[38;2;240;120;120mx\u001b[39m'],
  [{ noColor: false, term: 'xterm' }, '\u001b[31mx\u001b[39m'],
  [{ noColor: false, term: 'xterm', forceColor: '2' }, '\u001b[38;5;210mx\u001b[39m'],
])('an error in %j is written as %j', (terminal, written) => {
  expect(chooseTheme('dark', terminal).error('x')).toBe(written);
});

test('a late reply of the terminal rebuilds the theme for the same setting', () => {
  const undecided = chooseTheme('auto', { ...rich, mayAnswer: true });
  const told = (background: Background | undefined) => withBackground(undecided, background).name;
  expect([told('light'), told('dark'), told(undefined)]).toEqual(['light', 'dark', 'dark']);
  expect(withSetting(withBackground(undecided, 'light'), 'daltonized').name).toBe('light-daltonized');
});

test('every setting names a theme, in any spelling of its name', () => {
  for (const setting of themeSettings) {
    expect(chooseTheme(setting, rich).setting).toBe(setting);
    expect(parseThemeSetting(` ${setting.toUpperCase().replaceAll('-', ' ')} `)).toBe(setting);
  }
  expect(parseThemeSetting('darkish')).toBeUndefined();
});

test.each(['dark', 'ansi', 'daltonized', 'high-contrast'] as const)(
  'without colors, %s writes no escape sequence',
  (setting) => {
    const theme = chooseTheme(setting, { ...rich, noColor: true });
    const paints = [...Object.values(theme), ...Object.values(theme.code)].filter(
      (one) => typeof one === 'function',
    );
    expect(paints.length).toBeGreaterThan(20);
    for (const paint of paints) expect(paint('x')).toBe('x');
  },
);
