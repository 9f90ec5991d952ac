/** Renders Markdown for the terminal. The parser and the highlighter load on demand; until then, text is plain. */
import { boundMarkdown } from '../../protocol/text/boundMarkdown.ts';
import type { Theme } from '../theme/theme.ts';
import { renderBlocks } from './blocks.ts';
import { type Highlighter, loadHighlighter } from './highlight.ts';
import { sanitize } from './sanitize.ts';
import { wrapText } from './spans.ts';
import { printablePieces } from './streaming.ts';

interface PrintOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly theme: Theme;
  /** Write links as terminal hyperlinks (OSC 8); default false. */
  readonly hyperlinks?: boolean;
}

/** Pure: the same text and options give the same lines, joined by `\n` without a trailing one. */
export interface MarkdownRenderer {
  (text: string, options: PrintOptions): string;
  /** Syntax highlighting; absent until it is loaded. */
  readonly highlight?: Highlighter;
}

/** Loads marked and lowlight. Call it after the first frame and keep the result. */
export async function loadMarkdown(): Promise<MarkdownRenderer> {
  const [{ Lexer, Tokenizer }, highlight] = await Promise.all([import('marked'), loadHighlighter()]);
  const render = (text: string, options: PrintOptions): string => {
    const { width, theme, hyperlinks = false } = options;
    const printed = printablePieces(sanitize(text)).map((piece) => {
      if (piece.isPlain) return plainMarkdown(piece.text, options);
      const tokens = new Lexer({ gfm: true, tokenizer: boundMarkdown(new Tokenizer()) }).lex(piece.text);
      return renderBlocks(tokens, { theme, width, hyperlinks, highlight }).join('\n');
    });
    return printed.filter((piece) => piece !== '').join('\n\n');
  };
  return Object.assign(render, { highlight });
}

/** Used until the parser is loaded: the text as written, wrapped. */
export const plainMarkdown: MarkdownRenderer = (text, { width }) =>
  wrapText(sanitize(text).replace(/^\n+/, '').trimEnd(), width).join('\n');

// Rendering the first reply would run cold code for 35 ms, during which keys are ignored. So the renderer is warmed up
// in two pieces while the user reads the first frame.

/** Delay before the first piece and between the pieces, in ms. */
const QUIET_MS = 300;

const PIECES = [
  '# A\n\nSome *text* with `code`, [a link](https://a.example) and **more**.\n\n- one\n  - two\n1. three\n\n> said\n\n| a | b |\n| - | - |\n| 1 | 2 |\n',
  '```ts\nexport const a = (b: string): number => b.length + 1; // c\n```\n',
];

/** Returns the renderer unchanged. Its timers do not keep the process alive. */
export function warmingUp(markdown: MarkdownRenderer, theme: Theme): MarkdownRenderer {
  for (const [index, piece] of PIECES.entries())
    setTimeout(() => markdown(piece, { width: 80, theme }), QUIET_MS * (index + 1)).unref();
  return markdown;
}
