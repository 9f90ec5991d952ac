/** Markdown for the ear: every mark that only looks like something becomes a word or goes. Pure. */
import type { Token, Tokens } from 'marked';
import { inlineSpans } from '../print/blocks.ts';
import { chooseTheme } from '../theme/theme.ts';

/** Without colours; meaning is in the characters. */
export const plainTheme = chooseTheme('plain', { noColor: true });

/** Marked's tokens as lines; an empty line between blocks that do not belong together. */
export function blockWords(tokens: readonly Token[]): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = wordsOf(token);
    if (block.length === 0) continue;
    if (lines.length > 0 && token.type !== 'list' && token.type !== 'text') lines.push('');
    for (const line of block) lines.push(line);
  }
  return lines;
}

function wordsOf(token: Token): string[] {
  switch (token.type) {
    case 'heading':
      return [`Heading: ${inline(token.tokens)}`];
    case 'paragraph':
      return inline(token.tokens).split('\n');
    case 'text':
      return inline(token.tokens ?? [token]).split('\n');
    case 'list':
      return listWords(token as Tokens.List);
    case 'blockquote':
      return ['Quote:', ...blockWords(token.tokens ?? []), 'End of quote.'];
    case 'code':
      return codeWords(String(token.text), String(token.lang ?? ''));
    case 'table':
      return tableWords(token as Tokens.Table);
    case 'html':
      return token.raw.trim() === '' ? [] : token.raw.trim().split('\n');
    case 'hr':
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    default:
      return token.raw.trimEnd().split('\n');
  }
}

function listWords(list: Tokens.List): string[] {
  const first = typeof list.start === 'number' ? list.start : 1;
  return list.items.flatMap((item, index) => {
    const mark = list.ordered ? `${first + index}. ` : '- ';
    const box = item.task ? (item.checked === true ? 'done: ' : 'open: ') : '';
    const [head = '', ...rest] = blockWords(item.tokens);
    return [mark + box + head, ...rest.map((line) => (line === '' ? '' : `  ${line}`))];
  });
}

/** The code itself is as written, so that it can be copied. */
function codeWords(code: string, info: string): string[] {
  const language = info.trim().split(/[\s{:,]/)[0] ?? '';
  const text = code.replace(/\n+$/, '');
  if (text.trim() === '') return [];
  return [language === '' ? 'Code:' : `Code, ${language}:`, ...text.split('\n'), 'End of code.'];
}

/** A row at a time, each cell with the name of its column. */
function tableWords({ header, rows }: Tokens.Table): string[] {
  const names = header.map((cell) => inline(cell.tokens));
  return [
    `Table, ${rows.length === 1 ? '1 row' : `${rows.length} rows`}.`,
    ...rows.map((row, index) => {
      const cells = row.map((cell, column) => {
        const name = names[column] ?? '';
        return name === '' ? inline(cell.tokens) : `${name}: ${inline(cell.tokens)}`;
      });
      return `Row ${index + 1}. ${cells.join('; ')}.`;
    }),
  ];
}

function inline(tokens: readonly Token[] | undefined): string {
  return inlineSpans(tokens ?? [], { theme: plainTheme, hyperlinks: false })
    .map(({ text }) => text)
    .join('');
}
