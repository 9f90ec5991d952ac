/** Renders a single-line text field: the part around the cursor, with secrets masked and line breaks as `↵`. Pure. */
import { unitsOfPaste } from '../input/paste.ts';
import { applyEdit, type TextBuffer } from '../input/textBuffer.ts';
import { abbreviate, expand } from '../input/units.ts';
import { sanitize, sanitizeInput } from '../print/sanitize.ts';
import { drawnWidth } from '../print/width.ts';

/** Returns the typed text. */
export function fieldText(buffer: TextBuffer): string {
  return expand(buffer.units);
}

/** Sanitizes text for a field: one line, no control characters. */
export function fieldInput(text: string): string {
  return sanitizeInput(unified(text));
}

/** Inserts a paste into a field for prose: it keeps its line breaks and, as in the composer, is folded if it is long. */
export function pastedInto(buffer: TextBuffer, text: string): TextBuffer {
  const units = unitsOfPaste(sanitize(unified(text)), buffer.units);
  return applyEdit(buffer, { type: 'insert_units', units });
}

/** Terminals send the line breaks of a paste as carriage returns. */
const unified = (text: string): string => text.replace(/\r\n?/g, '\n');

/**
 * Returns the visible text of at most `width` columns and the cursor's column in it. Characters from index `secretFrom`
 * on are masked.
 */
export function fieldView(
  buffer: TextBuffer,
  width: number,
  secretFrom = Number.POSITIVE_INFINITY,
): { readonly text: string; readonly cursor: number } {
  const shown = buffer.units.map((unit, index) =>
    index >= secretFrom ? '•' : unit === '\n' ? '↵' : abbreviate([unit]),
  );
  const widths = shown.map(drawnWidth);
  const room = Math.max(1, width - 1); // room for the cursor after the last character
  let from = 0;
  let before = widths.slice(0, buffer.cursor).reduce((sum, columns) => sum + columns, 0);
  while (before > room) {
    before -= widths[from] ?? 0;
    from += 1;
  }
  let text = '';
  let used = 0;
  for (let at = from; at < shown.length; at += 1) {
    const columns = widths[at] ?? 0;
    if (used + columns > room) break;
    text += shown[at];
    used += columns;
  }
  return { text, cursor: before };
}
