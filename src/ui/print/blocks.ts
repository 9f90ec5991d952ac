/** Renders Markdown blocks as painted lines. Works on marked's tokens; loads nothing itself. */
import type { Token, Tokens } from 'marked';
import { largest } from '../../protocol/text/numbers.ts';
import { withoutTrailing } from '../../protocol/text/trimming.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';
import type { Highlighter } from './highlight.ts';
import { paintLine, prefixLines, type Span, wrapColumns, wrapSpans, wrapText } from './spans.ts';
import { textWidth } from './width.ts';

interface BlockStyle {
  readonly theme: Theme;
  readonly width: number;
  readonly hyperlinks: boolean;
  readonly highlight: Highlighter;
}

/** Renders blocks separated by one empty line, except for tight items and a list directly below its sentence. */
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

/** Fenced code, indented by two columns; long lines wrap. */
function renderCode(code: string, info: string, { theme, width, highlight }: BlockStyle): string[] {
  const language = info.trim().split(/[\s{:,]/)[0] ?? '';
  const text = withoutTrailing(code, '\n');
  if (text.trim() === '') return [];
  const spans = highlight(text, language, theme) ?? [{ text }];
  return wrapColumns(spans, width - 2).map((line) => (line.length === 0 ? '' : `  ${paintLine(line)}`));
}

/** Style of Markdown inside a paragraph. Line breaks are kept, because models write them on purpose. */
interface InlineStyle {
  readonly theme: Theme;
  /** Write links as terminal hyperlinks (OSC 8) instead of appending the address. */
  readonly hyperlinks: boolean;
}

/** Renders emphasis, code, links and line breaks; unknown tokens are shown as written. */
export function inlineSpans(tokens: readonly Token[], style: InlineStyle, paint?: Paint): Span[] {
  return tokens.flatMap((token) => spansOf(token, style, paint));
}

function spansOf(token: Token, style: InlineStyle, paint: Paint | undefined): Span[] {
  const { theme } = style;
  const children: readonly Token[] = 'tokens' in token ? (token.tokens ?? []) : [];
  const inside = (own: Paint): Span[] => inlineSpans(children, style, nest(own, paint));
  switch (token.type) {
    case 'strong':
      return inside(theme.strong);
    case 'em':
      return inside(theme.italic);
    case 'del':
      return inside(theme.strike);
    case 'codespan':
      return [{ text: theme.plain ? `\`${token.text}\`` : token.text, paint: nest(theme.inlineCode, paint) }];
    case 'br':
      return [{ text: '\n' }];
    case 'link':
      return link(String(token.href), inside(theme.link), style);
    case 'image':
      return link(String(token.href), [{ text: token.text || 'image', paint: theme.link }], style);
    case 'html':
      return [{ text: /^<br\s*\/?>$/i.test(token.raw.trim()) ? '\n' : token.raw, paint }];
    case 'checkbox':
      return [];
    case 'escape':
      return [{ text: token.text, paint }];
    case 'text':
      return children.length === 0
        ? [{ text: decodeEntities(token.text), paint }]
        : inlineSpans(children, style, paint);
    default:
      return [{ text: token.raw, paint }];
  }
}

function link(address: string, label: Span[], { theme, hyperlinks }: InlineStyle): Span[] {
  const text = label.map((span) => span.text).join('');
  if (hyperlinks && !theme.plain)
    return label.map((span) => ({ ...span, paint: linked(address, span.paint) }));
  if (text === address || `mailto:${text}` === address || address === '') return label;
  return [...label, { text: ` (${address})`, paint: theme.dim }];
}

function linked(address: string, paint: Paint = (text) => text): Paint {
  return (text) => `\u001b]8;;${encodeURI(decodeSafely(address))}\u0007${paint(text)}\u001b]8;;\u0007`;
}

function decodeSafely(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

function nest(inner: Paint, outer: Paint | undefined): Paint {
  return outer === undefined ? inner : (text) => outer(inner(text));
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

function decodeEntities(text: string): string {
  return text.includes('&')
    ? text.replace(/&(?:lt|gt|amp|quot|#39|nbsp);/g, (all) => entities[all] ?? all)
    : text;
}

/**
 * Alignment of a table column. Tables are fitted to the width: columns shrink and wrap; if even that is too wide, the
 * table becomes a list of records.
 */
type Align = 'left' | 'right' | 'center' | null;

interface Table {
  readonly header: readonly (readonly Span[])[];
  readonly rows: readonly (readonly (readonly Span[])[])[];
  readonly align: readonly Align[];
}

const gap = 3; // " │ "
const minColumn = 4;

/** Renders a table in lines of at most `width` columns. */
function renderTable(table: Table, width: number, theme: Theme): string[] {
  const columns = table.header.length;
  const widths = fitColumns(naturalWidths(table), width - gap * (columns - 1));
  if (widths === undefined) return renderRecords(table, width, theme);
  const bar = theme.dim(' │ ');
  const row = (cells: readonly (readonly Span[])[]): string[] => {
    const wrapped = widths.map((column, index) => wrapSpans(cells[index] ?? [], column));
    const height = largest(
      wrapped.map((lines) => lines.length),
      1,
    );
    return Array.from({ length: height }, (_, line) =>
      widths
        .map((column, index) => align(wrapped[index]?.[line] ?? [], column, table.align[index] ?? null))
        .join(bar)
        .trimEnd(),
    );
  };
  const rule = theme.dim(widths.map((column) => '─'.repeat(column)).join('─┼─'));
  return [...row(strong(table.header, theme)), rule, ...table.rows.flatMap(row)];
}

function naturalWidths({ header, rows }: Table): number[] {
  return header.map((cell, index) =>
    largest(
      rows.map((row) => cellWidth(row[index] ?? [])),
      Math.max(1, cellWidth(cell)),
    ),
  );
}

function cellWidth(spans: readonly Span[]): number {
  const text = spans.map((span) => span.text).join('');
  return largest(text.split('\n').map(textWidth), 0);
}

/** Shrinks the widest columns until all fit; `undefined` if columns would become unreadable. */
function fitColumns(natural: readonly number[], room: number): number[] | undefined {
  const total = natural.reduce((sum, width) => sum + width, 0);
  if (total <= room) return [...natural];
  if (natural.reduce((sum, width) => sum + Math.min(width, minColumn), 0) > room) return undefined;
  // The largest maximum width at which all columns fit together.
  let cap = minColumn;
  const capped = (limit: number) => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  while (capped(cap + 1) <= room) cap += 1;
  const widths = natural.map((width) => Math.min(width, cap));
  let spare = room - capped(cap);
  return widths.map((width, index) => {
    if (spare <= 0 || width >= (natural[index] ?? 0)) return width;
    spare -= 1;
    return width + 1;
  });
}

function align(spans: readonly Span[], columns: number, how: Align): string {
  const free = Math.max(0, columns - textWidth(spans.map((span) => span.text).join('')));
  const before = how === 'right' ? free : how === 'center' ? Math.floor(free / 2) : 0;
  return ' '.repeat(before) + paintLine(spans) + ' '.repeat(free - before);
}

function strong(cells: readonly (readonly Span[])[], theme: Theme): Span[][] {
  return cells.map((cell) => cell.map(({ text, paint }) => ({ text, paint: paint ?? theme.strong })));
}

/** One block per row, with one line per cell: "Header: value". */
function renderRecords({ header, rows }: Table, width: number, theme: Theme): string[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [theme.dim('─'.repeat(Math.min(width, 8)))] : []),
    ...header.flatMap((name, column) =>
      wrapSpans([...(strong([name], theme)[0] ?? []), { text: ': ' }, ...(row[column] ?? [])], width).map(
        paintLine,
      ),
    ),
  ]);
}
