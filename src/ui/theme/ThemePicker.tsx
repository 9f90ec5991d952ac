/** A list of themes, with a sample of the one under the cursor in its own colors. */
import { themeSettings } from '../../protocol/settings/themeNames.ts';
import { Lines } from '../dialog/Lines.tsx';
import { SelectList } from '../dialog/SelectList.tsx';
import { renderDiff } from '../print/diff.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { truncate } from '../print/width.ts';
import { shortDescription } from './describeTheme.ts';
import { followsTerminal, type Theme, type ThemeSetting, withSetting } from './theme.ts';

interface ThemePickerProps {
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly markdown: MarkdownRenderer;
  readonly onPick: (setting: ThemeSetting) => void;
  readonly onCancel: () => void;
}

/** Maximum rows of the sample, and minimum rows of the list with its frame. */
const SAMPLE_ROWS = 11;
const LIST_ROWS = 8;

export function ThemePicker({ width, rows, theme, markdown, onPick, onCancel }: ThemePickerProps) {
  const sampleRows = Math.max(0, Math.min(SAMPLE_ROWS, rows - LIST_ROWS));
  return (
    <SelectList
      width={width}
      rows={rows}
      theme={theme}
      title="Theme"
      items={inOrder(theme.setting)}
      textOf={(setting) => `${setting} ${shortDescription(setting)}`}
      rowOf={(setting, columns, isSelected) => rowOf(setting, theme, columns, isSelected)}
      detailRows={sampleRows}
      detailOf={(setting) =>
        setting !== undefined && (
          <Lines lines={sampleLines(withSetting(theme, setting), markdown, width, sampleRows)} />
        )
      }
      onPick={onPick}
      onCancel={onCancel}
    />
  );
}

/** Puts the current theme first, so that Enter changes nothing. */
function inOrder(current: ThemeSetting): readonly ThemeSetting[] {
  const now = current === 'default' ? 'auto' : current;
  return [now, ...themeSettings.filter((setting) => setting !== now && setting !== 'default')];
}

function rowOf(setting: ThemeSetting, theme: Theme, columns: number, isSelected: boolean): string {
  const found = followsTerminal(setting) ? ` (${withSetting(theme, setting).name})` : '';
  const name = truncate(`${setting}${found}`, columns);
  const words = truncate(shortDescription(setting), Math.max(0, columns - name.length - 2));
  return `${isSelected ? theme.accent(name) : name}${words.length < 8 ? '' : `  ${theme.dim(words)}`}`;
}

// A sample of everything that has colors, drawn by the same code as in a session.

const TEXT = `## A heading
Plain text, \`code\`, **strong** and [a link](https://example.com).
\`\`\`ts
export const answer: number = 42; // a comment
const name = 'text';
\`\`\``;

const DIFF = `--- a/greet.ts
+++ b/greet.ts
@@ -1,2 +1,2 @@
 export function greet() {
-  return 'Hello';
+  return 'Hello, world';
`;

/** At most `rows` styled lines of at most `width` columns. */
export function sampleLines(theme: Theme, markdown: MarkdownRenderer, width: number, rows: number): string[] {
  const marks = [
    theme.error('✗ an error'),
    theme.warning('! a warning'),
    theme.success('✓ done'),
    theme.dim('quiet'),
    theme.accent('❯ selected'),
  ];
  const fits = width >= 50;
  const lines = [
    ...renderDiff(DIFF, { width, theme }).split('\n'),
    fits ? marks.join('  ') : theme.accent(truncate('❯ selected', width)),
    ...markdown(TEXT, { width, theme })
      .split('\n')
      .filter((line) => line !== ''),
  ];
  return lines.slice(0, rows);
}
