import type { MarkdownRenderer } from '../print/markdown.ts';
import { sanitize } from '../print/sanitize.ts';
import { blockWords } from './markdownWords.ts';

/** Loads the Markdown parser; the width does not matter, as whoever shows the lines wraps them. */
export async function loadWords(): Promise<MarkdownRenderer> {
  const { Lexer } = await import('marked');
  return (text) => blockWords(new Lexer({ gfm: true }).lex(sanitize(text))).join('\n');
}
