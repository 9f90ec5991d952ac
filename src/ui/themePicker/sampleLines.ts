/** A bit of everything that colours are used for, drawn by what draws it in a session. */
import { renderDiff } from '../print/diff.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';

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

/** At most `rows` painted lines of at most `width` columns. */
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
