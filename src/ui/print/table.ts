/** A Markdown table, fitted to the width: columns shrink and wrap; when even that is too narrow, a list. */
import { largest } from '../../protocol/largest.ts';
import type { Theme } from '../theme.ts';
import { paintLine, type Span, wrapSpans } from './spans.ts';
import { textWidth } from './width.ts';

export type Align = 'left' | 'right' | 'center' | null;

export interface Table {
  readonly header: readonly (readonly Span[])[];
  readonly rows: readonly (readonly (readonly Span[])[])[];
  readonly align: readonly Align[];
}

const gap = 3; // " │ "
const minColumn = 4;

/** The lines of the table, each at most `width` columns. */
export function renderTable(table: Table, width: number, theme: Theme): string[] {
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

/** Takes from the widest columns until the rest fits; `undefined` when columns would become unreadable. */
export function fitColumns(natural: readonly number[], room: number): number[] | undefined {
  const total = natural.reduce((sum, width) => sum + width, 0);
  if (total <= room) return [...natural];
  if (natural.reduce((sum, width) => sum + Math.min(width, minColumn), 0) > room) return undefined;
  // The largest cap under which the columns fit together.
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

/** One block per row, one line per cell: "Header: value". */
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
