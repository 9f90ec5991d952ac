/** Markdown to what a terminal prints. The parser and the highlighter load on demand: until then, plain text. */
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
  /** Write links as terminal hyperlinks (OSC 8); off unless asked for. */
  readonly hyperlinks?: boolean;
}

/** Pure: the same text and options give the same lines, joined by `\n`, without one at the end. */
export interface MarkdownRenderer {
  (text: string, options: PrintOptions): string;
  /** Colours code; absent until it is loaded. */
  readonly highlight?: Highlighter;
}

/** Loads marked and lowlight; call it after the first frame and keep the result. */
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

/** What is printed while the parser is not there yet: the text as written, wrapped. */
export const plainMarkdown: MarkdownRenderer = (text, { width }) =>
  wrapText(sanitize(text).replace(/^\n+|\s+$/g, ''), width).join('\n');

// The first reply would be printed by code that has never run: 35 ms in which no key is looked at. So it runs once
// before, in two pieces, while the user reads the first frame.

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
