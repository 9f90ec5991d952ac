/** Every theme on a sample of all uses of color, and the list of themes; files in test/e2e/golden/screens. */

import { test } from 'vitest';
import { Lines } from '../../../src/ui/dialog/Lines.tsx';
import { StatusLine } from '../../../src/ui/live/StatusLine.tsx';
import { loadMarkdown } from '../../../src/ui/print/markdown.ts';
import { statusText } from '../../../src/ui/terminal/statusLineCommand.ts';
import { sampleLines, ThemePicker } from '../../../src/ui/theme/ThemePicker.tsx';
import { chooseTheme, type TerminalColors, type ThemeSetting } from '../../../src/ui/theme/theme.ts';
import { goldenScreen } from '../../e2e/support/goldenScreen.ts';
import { mount } from '../mount.tsx';

const terminal: TerminalColors = {
  noColor: false,
  term: 'xterm-256color',
  colorTerm: 'truecolor',
  background: 'light',
};
const markdown = await loadMarkdown();

test.each([
  'dark',
  'light',
  'dark-high-contrast',
  'light-high-contrast',
  'dark-daltonized',
  'light-daltonized',
  'ansi',
  'plain',
] as const)('a sample of %s', async (setting) => {
  const lines = sampleLines(chooseTheme(setting, terminal), markdown, 70, 20);
  const { screen } = await mount(<Lines lines={lines} />, { columns: 70, rows: 14 });
  await goldenScreen(screen, `themes/${setting}`, { styles: true });
});

test('a sample of dark in 256 colors', async () => {
  const lines = sampleLines(chooseTheme('dark', { ...terminal, colorTerm: undefined }), markdown, 70, 20);
  const { screen } = await mount(<Lines lines={lines} />, { columns: 70, rows: 14 });
  await goldenScreen(screen, 'themes/dark-256', { styles: true });
});

test.each([
  [20, 'light'],
  [80, 'auto'],
  [200, 'dark'],
] as [number, ThemeSetting][])('the list of themes at %i columns, from %s', async (columns, setting) => {
  const { screen } = await mount(
    <ThemePicker
      width={columns}
      rows={22}
      theme={chooseTheme(setting, terminal)}
      markdown={markdown}
      onPick={() => undefined}
      onCancel={() => undefined}
    />,
    { columns, rows: 24 },
  );
  await goldenScreen(screen, `themes/list-${columns}`);
});

test.each([20, 80])('a custom status line at %i columns', async (columns) => {
  const printed =
    '\u001B[32mmodèle 模型 👩‍👩‍👧 עברית\u001B[0m 12% \u001B]0;x\u0007of a long, long line that goes on\nsecond';
  const { screen } = await mount(
    <StatusLine
      own={statusText(printed, true)}
      model="mock-1"
      mode="plan"
      demo
      width={columns}
      theme={chooseTheme('light', terminal)}
    />,
    { columns, rows: 6 },
  );
  await goldenScreen(screen, `themes/status-${columns}`, { styles: true });
});
