/** Markdown blocks to painted lines. Knows marked's tokens; loads nothing itself. */
import type { Token, Tokens } from 'marked';
import type { Theme } from '../theme.ts';
import type { Highlighter } from './highlight.ts';
import { inlineSpans } from './inline.ts';
import { paintLine, prefixLines, wrapColumns, wrapSpans, wrapText } from './spans.ts';
import { renderTable } from './table.ts';
import { textWidth } from './width.ts';

export interface BlockStyle {
  readonly theme: Theme;
  readonly width: number;
  readonly hyperlinks: boolean;
  readonly highlight: Highlighter;
}

/** Blocks stand apart by one empty line; a list right under its sentence, and tight items, do not. */
export function renderBlocks(tokens: readonly Token[], style: BlockStyle, tight = false): string[] {
  const lines: string[] = [];
  let before: Token | undefined;
  let spaced = false;
  for (const token of tokens) {
    if (token.type === 'space') spaced = true;
    const block = renderBlock(token, style);
    if (block.length === 0) continue;
    const close = tight || (!spaced && token.type === 'list' && isText(before));
    if (before !== undefined && !close) lines.push('');
    for (const line of block) lines.push(line);
    before = token;
    spaced = false;
  }
  return lines;
}

function isText(token: Token | undefined): boolean {
  return token?.type === 'paragraph' || token?.type === 'text';
}

function renderBlock(token: Token, style: BlockStyle): string[] {
  const { theme, width } = style;
  switch (token.type) {
    case 'heading': {
      const paint =
        token.depth === 1 ? (text: string) => theme.underline(theme.heading(text)) : theme.heading;
      const mark = theme.plain ? [{ text: `${'#'.repeat(Number(token.depth))} ` }] : [];
      return wrapSpans([...mark, ...inlineSpans(token.tokens ?? [], style, paint)], width).map(paintLine);
    }
    case 'paragraph':
    case 'text':
      return wrapSpans(inlineSpans(token.tokens ?? [token], style), width).map(paintLine);
    case 'list':
      return renderList(token as Tokens.List, style);
    case 'blockquote': {
      const inner = renderBlocks(token.tokens ?? [], { ...style, width: Math.max(2, width - 2) });
      return inner.map((line) => (line === '' ? theme.dim('│') : theme.dim('│ ') + line));
    }
    case 'code':
      return renderCode(String(token.text), String(token.lang ?? ''), style);
    case 'table': {
      const { header, rows, align } = token as Tokens.Table;
      const cell = (one: Tokens.TableCell) => inlineSpans(one.tokens, style);
      return renderTable(
        { header: header.map(cell), rows: rows.map((row) => row.map(cell)), align },
        width,
        theme,
      );
    }
    case 'hr':
      return [theme.dim('─'.repeat(Math.min(width, 40)))];
    case 'html':
      return wrapText(token.raw.trimEnd(), width, theme.dim);
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    default:
      return wrapText(token.raw.trimEnd(), width);
  }
}

function renderList(list: Tokens.List, style: BlockStyle): string[] {
  const first = typeof list.start === 'number' ? list.start : 1;
  const digits = String(first + list.items.length - 1).length;
  return list.items.flatMap((item, index) => {
    const mark = list.ordered ? `${String(first + index).padStart(digits)}. ` : '• ';
    const box = item.task ? (item.checked === true ? '☒ ' : '☐ ') : '';
    const prefix = item.task && !list.ordered ? box : mark + box;
    const width = Math.max(2, style.width - textWidth(prefix));
    const body = renderBlocks(item.tokens, { ...style, width }, !item.loose);
    const lines = prefixLines(
      body.length > 0 ? body : [''],
      style.theme.dim(prefix),
      ' '.repeat(textWidth(prefix)),
    );
    const apart = list.loose && index > 0 ? [''] : [];
    return [...apart, ...lines.map((line) => (line.trim() === '' ? '' : line))];
  });
}

/** Fenced code, two columns in; a long line goes on in the next. */
function renderCode(code: string, info: string, { theme, width, highlight }: BlockStyle): string[] {
  const language = info.trim().split(/[\s{:,]/)[0] ?? '';
  const text = code.replace(/\n+$/, '');
  if (text.trim() === '') return [];
  const spans = highlight(text, language, theme) ?? [{ text }];
  return wrapColumns(spans, width - 2).map((line) => (line.length === 0 ? '' : `  ${paintLine(line)}`));
}
