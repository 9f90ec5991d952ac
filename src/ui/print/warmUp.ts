/**
 * The first reply would be printed by code that has never run: 35 ms in which no key is looked at. So it runs once
 * before, in two pieces, while the user reads the first frame.
 */
import type { Theme } from '../theme.ts';
import type { MarkdownRenderer } from './markdown.ts';

/** Milliseconds after which the start is over, and between the pieces. */
const QUIET_MS = 300;

const PIECES = [
  '# A\n\nSome *text* with `code`, [a link](https://a.example) and **more**.\n\n- one\n  - two\n1. three\n\n> said\n\n| a | b |\n| - | - |\n| 1 | 2 |\n',
  '```ts\nexport const a = (b: string): number => b.length + 1; // c\n```\n',
];

/** Returns the renderer as it is. Keeps no program from ending. */
export function warmingUp(markdown: MarkdownRenderer, theme: Theme): MarkdownRenderer {
  for (const [index, piece] of PIECES.entries())
    setTimeout(() => markdown(piece, { width: 80, theme }), QUIET_MS * (index + 1)).unref();
  return markdown;
}
