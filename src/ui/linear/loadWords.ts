import { boundMarkdown } from '../../protocol/boundMarkdown.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { sanitize } from '../print/sanitize.ts';
import { printablePieces } from '../print/streaming.ts';
import { blockWords } from './markdownWords.ts';

/** Loads the Markdown parser; the width does not matter, as whoever shows the lines wraps them. */
export async function loadWords(): Promise<MarkdownRenderer> {
  const { Lexer, Tokenizer } = await import('marked');
  return (text) => {
    const told = printablePieces(sanitize(text)).map((piece) => {
      if (piece.isPlain) return piece.text;
      const lexer = new Lexer({ gfm: true, tokenizer: boundMarkdown(new Tokenizer()) });
      return blockWords(lexer.lex(piece.text)).join('\n');
    });
    return told.join('\n');
  };
}
