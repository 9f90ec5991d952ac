/**
 * The terminal's alternate screen, row by row: only rows that changed are written. What is on the ordinary screen
 * and in the scrollback stays untouched below it.
 */

export interface Frame {
  readonly rows: readonly string[];
  /** Where the cursor stands, from 0; hidden without one. */
  readonly cursor?: { readonly x: number; readonly y: number } | undefined;
}

export interface FullScreen {
  draw(frame: Frame): void;
  /** Everything is drawn anew next time: the terminal was resized, or somebody else wrote. */
  forget(): void;
  leave(): void;
}

// The screen, no wrapping: a character that the terminal takes for wider than we do must not push rows down.
const ENTER = '\u001B[?1049h\u001B[?7l\u001B[?25l\u001B[H\u001B[J';
const LEAVE = '\u001B[?7h\u001B[?25h\u001B[?1049l';
const BEGIN = '\u001B[?2026h';
const END = '\u001B[?2026l';

export function enterFullScreen(write: (text: string) => void): FullScreen {
  let shown: readonly string[] = [];
  let shownCursor: Frame['cursor'];
  let isFresh = true;
  write(ENTER);
  return {
    draw({ rows, cursor }) {
      // Rows below a terminal that became smaller would be written into its last one.
      const changed = Array.from(
        { length: isFresh ? rows.length : Math.max(rows.length, shown.length) },
        (_, y) => {
          const row = rows[y] ?? '';
          if (!isFresh && row === (shown[y] ?? '')) return '';
          return `\u001B[${y + 1};1H\u001B[0m\u001B[2K${row}\u001B[0m`;
        },
      ).join('');
      const isMoved = cursor?.x !== shownCursor?.x || cursor?.y !== shownCursor?.y;
      shown = rows;
      shownCursor = cursor;
      if (changed === '' && !isMoved && !isFresh) return;
      const place =
        cursor === undefined ? '\u001B[?25l' : `\u001B[${cursor.y + 1};${cursor.x + 1}H\u001B[?25h`;
      write(`${BEGIN}${isFresh ? '\u001B[H\u001B[J' : ''}${changed}${place}${END}`);
      isFresh = false;
    },
    forget() {
      isFresh = true;
    },
    leave: () => write(LEAVE),
  };
}
