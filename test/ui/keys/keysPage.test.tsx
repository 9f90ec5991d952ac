import { readFileSync } from 'node:fs';
import { render } from 'ink';
import { expect, test } from 'vitest';
import { plainText } from '../../../src/commands/pages/page.ts';
import { keys as keysCommand } from '../../../src/commands/screen.ts';
import { KeysDialog, keyLines } from '../../../src/ui/keys/KeysDialog.tsx';
import { keyGroups } from '../../../src/ui/keys/keyHints.ts';
import { defaultKeymap } from '../../../src/ui/keys/keymap.ts';
import { renderPage } from '../../../src/ui/print/page.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { commandHost } from '../../commands/commandHost.ts';
import { createScreen, keys } from '../screen.ts';

const theme = chooseTheme('plain', { noColor: true });

test('docs/keys.md has every action with its keys', () => {
  const doc = readFileSync(new URL('../../../docs/keys.md', import.meta.url), 'utf8').replace(/ +/g, ' ');
  for (const { title, context, rows } of keyGroups(defaultKeymap)) {
    expect(doc).toContain(`## ${title} (\`${context}\`)`);
    for (const { keys: names, description, action, isFixed } of rows)
      expect(doc).toContain(
        `| ${names.join(', ') || 'none'} | ${description} | \`${action}\`${isFixed ? ' (fixed)' : ''} |`,
      );
  }
});

test('/keys prints them, the file to change, and ignored bindings', async () => {
  const host = commandHost({
    keys: async () => ({ file: '~/keys.json', groups: keyGroups(defaultKeymap), problems: ['Not so.'] }),
  });
  const result = await keysCommand.run('', host);
  const page = result.type === 'page' ? result.page : () => [];
  const text = plainText(page);
  for (const part of ['Ctrl+X Ctrl+E', 'chat:externalEditor', 'fixed', '~/keys.json', 'Not so.'])
    expect(text).toContain(part);
  for (const width of [20, 40, 80, 200])
    for (const line of renderPage(page, width, theme).split('\n'))
      expect(textWidth(line)).toBeLessThanOrEqual(width);
});

test.each([20, 40, 80, 100, 200])('at %i columns every line fits', (width) => {
  const lines = keyLines(defaultKeymap, width, theme);
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
});

test.each([
  { columns: 80, rows: 12 },
  { columns: 20, rows: 8 },
])(
  'at $columns columns it stays within its rows, scrolls, and any other key closes it',
  async ({ columns, rows }) => {
    const screen = createScreen({ columns, rows: 24, quietMs: 20 });
    let closed = 0;
    const app = render(
      <KeysDialog
        keymap={defaultKeymap}
        width={columns}
        rows={rows}
        theme={theme}
        onClose={() => closed++}
      />,
      { ...screen, interactive: true, exitOnCtrlC: false, patchConsole: false, maxFps: 250 },
    );
    await screen.settle();
    const first = screen.text();
    expect(first.length).toBeLessThanOrEqual(rows);
    expect(first.join('\n')).toContain('Ctrl+C');
    await screen.press(keys.down, keys.down);
    expect(screen.text()[1]).not.toBe(first[1]);
    expect(closed).toBe(0);
    await screen.press('x');
    expect(closed).toBe(1);
    app.unmount();
  },
);
