/** The cells of a headless terminal: their characters and styles. */
import type headless from '@xterm/headless';

export interface ScreenCell {
  /** A whole grapheme; a space if nothing was written. */
  readonly text: string;
  /** Width in columns: 1 or 2. */
  readonly width: number;
  /** For example `bold #d97757 on 4`; empty for plain text. */
  readonly style: string;
}

/** A row of the visible part. Rows that the terminal wrapped belong to one logical line; see `wrapped`. */
export interface ScreenRow {
  readonly cells: readonly ScreenCell[];
  /** True if it continues the previous row. */
  readonly wrapped: boolean;
}

/** `from`: the first row of an earlier screenful, counted from the start of the scrollback. */
export function visibleCells(
  terminal: headless.Terminal,
  from: number = terminal.buffer.active.baseY,
): ScreenRow[] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, y) => {
    const line = active.getLine(from + y);
    const cells: ScreenCell[] = [];
    for (let x = 0; x < terminal.cols; x++) {
      const cell = line?.getCell(x);
      // The second half of a wide character is not a cell.
      if (cell !== undefined && cell.getWidth() > 0)
        cells.push({ text: cell.getChars() || ' ', width: cell.getWidth(), style: styleOf(cell) });
    }
    return { cells, wrapped: line?.isWrapped === true };
  });
}

type Cell = NonNullable<ReturnType<NonNullable<ReturnType<headless.IBuffer['getLine']>>['getCell']>>;

function styleOf(cell: Cell): string {
  const attributes = [
    cell.isBold() ? 'bold' : '',
    cell.isDim() ? 'dim' : '',
    cell.isItalic() ? 'italic' : '',
    cell.isUnderline() ? 'underline' : '',
    cell.isStrikethrough() ? 'struck' : '',
    cell.isInverse() ? 'inverse' : '',
    cell.isFgDefault() ? '' : color(cell.isFgRGB(), cell.getFgColor()),
    cell.isBgDefault() ? '' : `on ${color(cell.isBgRGB(), cell.getBgColor())}`,
  ];
  return attributes.filter((one) => one !== '').join(' ');
}

/** True color as #rrggbb, a palette color by its number. */
function color(isRgb: boolean, value: number): string {
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : String(value);
}
