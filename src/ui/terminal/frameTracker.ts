/**
 * Tracks Ink's frame on screen by parsing the bytes that Ink writes: the width of each row and the position of the
 * cursor. From these it computes how many rows the frame takes after the terminal has rewrapped its lines.
 */
import { drawnWidth, graphemes, isAscii } from '../print/width.ts';

/**
 * What a terminal does when it becomes narrower. `all`: it rewraps every line, and the cursor stays on its character.
 * `xterm_js` (VS Code and others): it rewraps, and the cursor moves down by the rows that the lines below it gain.
 * `none`: it cuts lines off. `unknown`: treated like `all`, but never counts a row that may not belong to the frame,
 * since erasing too far up loses output.
 */
export type Reflow = 'all' | 'xterm_js' | 'none' | 'unknown';

interface FrameTracker {
  /** Follows what is written; ignores unknown sequences. */
  write(text: string): void;
  /** Call when the frame has been removed: the next one starts at the cursor. */
  reset(): void;
  /** Rows between the cursor and the last row written. */
  rowsBelow(): number;
  /** Rows of the frame, including the empty row below it where Ink leaves the cursor. */
  height(): number;
  /**
   * Rows from the first row of the frame to the cursor, once the terminal has `columns` columns. `dropped`: rows below
   * the cursor that were lost because the terminal became shorter at the same time.
   */
  rowsAbove(columns: number, reflow: Reflow, dropped?: number): number;
}

/** The width of each cell: 1, 2 for a wide character, 0 for its second half. */
type Cells = number[];

export function createFrameTracker(): FrameTracker {
  let rows: Cells[] = [[]];
  let x = 0;
  let y = 0;
  let bottom = 0;

  const row = (): Cells => {
    while (rows.length <= y) rows.push([]);
    return rows[y] ?? [];
  };
  const put = (text: string): void => {
    const cells = row();
    while (cells.length < x) cells.push(1);
    const widths = isAscii(text) ? undefined : graphemes(text).map(drawnWidth);
    if (widths === undefined) for (let at = 0; at < text.length; at += 1) cells[x + at] = 1;
    else
      widths.reduce((at, width) => {
        if (width > 0) cells[at] = width;
        if (width === 2) cells[at + 1] = 0;
        return at + width;
      }, x);
    x += widths === undefined ? text.length : widths.reduce((sum, width) => sum + width, 0);
  };
  const control = (parameters: string, final: string): void => {
    const many = Math.max(1, Number.parseInt(parameters, 10) || 1);
    switch (final) {
      case 'A':
        y = Math.max(0, y - many);
        return;
      case 'B':
        y += many;
        return;
      case 'C':
        x += many;
        return;
      case 'D':
        x = Math.max(0, x - many);
        return;
      case 'E':
        y += many;
        x = 0;
        return;
      case 'G':
        x = many - 1;
        return;
      case 'K':
        row().length = parameters === '2' ? 0 : Math.min(row().length, x);
        return;
      case 'J':
        row().length = Math.min(row().length, x);
        rows.length = Math.min(rows.length, y + 1);
        bottom = y;
    }
  };

  return {
    write(text) {
      for (const [piece, parameters, final] of text.matchAll(pieces)) {
        if (piece === '\n') {
          y += 1;
          x = 0;
          bottom = Math.max(bottom, y);
        } else if (piece === '\r') x = 0;
        else if (final !== undefined) control(parameters ?? '', final);
        else if (!piece.startsWith('\u001B')) put(piece);
      }
    },
    reset() {
      rows = [[]];
      x = 0;
      y = 0;
      bottom = 0;
    },
    rowsBelow: () => Math.max(0, bottom - y),
    height: () => bottom + 1,
    rowsAbove(columns, reflow, dropped = 0) {
      if (reflow === 'none') return y;
      const heights = rows.map((cells) => heightOf(cells, columns));
      const above = sum(heights.slice(0, y)) + Math.max(0, y - rows.length);
      if (reflow === 'all') return above + heightOf(row().slice(0, x + 1), columns) - 1;
      if (reflow === 'unknown') return above;
      return cursorInXtermJs(heights.slice(0, bottom + 1 - dropped), y);
    },
  };
}

/** An escape sequence with its parameters and final byte, a line break, or text up to the next of these. */
// biome-ignore lint/complexity/useRegexLiterals: an escape in a literal would hide what it matches
const pieces = new RegExp('\\u001b\\[([\\d;?<>=]*)([@-~])|\\u001b.|[\\n\\r]|[^\\u001b\\n\\r]+', 'gu');

/**
 * Where xterm.js leaves the cursor after rewrapping lines to these heights: it works from the last line to the first
 * and moves the cursor down by the rows that each line gains, but skips the line that the cursor is in at that point.
 */
function cursorInXtermJs(heights: readonly number[], y: number): number {
  return heights.reduceRight((at, height, line) => (line === at ? at : at + height - 1), y);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Rows that a line takes; a wide character that does not fit at the end of a row wraps to the next. */
function heightOf(cells: Cells, columns: number): number {
  let height = 1;
  let used = 0;
  for (const width of cells) {
    // An unwritten cell is a space.
    const columnsOfCell = width ?? 1;
    if (used + columnsOfCell > columns) {
      height += 1;
      used = 0;
    }
    used += columnsOfCell;
  }
  return height;
}
