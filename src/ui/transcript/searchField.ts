/** The row in which words to look for are typed. Pure. */
import type { Stroke } from '../keys/strokes.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { graphemes, takeColumns, textWidth } from '../print/width.ts';
import type { Theme } from '../theme.ts';

export interface SearchField {
  readonly direction: 1 | -1;
  /** Before the cursor, and behind it. */
  readonly before: string;
  readonly after: string;
}

/** Longer words are not looked for. */
const MOST_CHARACTERS = 200;

/** The field after a key, gone when it is left; `query` when the search begins (empty: the last words again). */
export function typeInto(
  field: SearchField,
  key: Stroke,
): { readonly field: SearchField | undefined; readonly query?: string; readonly direction: 1 | -1 } {
  const { direction } = field;
  const next = edited(field, key);
  if (next === 'leave') return { field: undefined, direction };
  if (next === 'search') return { field: undefined, query: field.before + field.after, direction };
  return { field: next, direction };
}

function edited(field: SearchField, key: Stroke): SearchField | 'leave' | 'search' {
  const { before, after } = field;
  if (key.type === 'text')
    return { ...field, before: (before + sanitizeLine(key.text)).slice(0, MOST_CHARACTERS) };
  const left = graphemes(before);
  const right = graphemes(after);
  switch (key.key) {
    case 'enter':
      return 'search';
    case 'escape':
    case 'ctrl+c':
    case 'ctrl+o':
      return 'leave';
    case 'backspace':
      return before + after === '' ? 'leave' : { ...field, before: left.slice(0, -1).join('') };
    case 'delete':
      return { ...field, after: right.slice(1).join('') };
    case 'left':
      return { ...field, before: left.slice(0, -1).join(''), after: (left.at(-1) ?? '') + after };
    case 'right':
      return { ...field, before: before + (right[0] ?? ''), after: right.slice(1).join('') };
    case 'home':
    case 'ctrl+a':
      return { ...field, before: '', after: before + after };
    case 'end':
    case 'ctrl+e':
      return { ...field, before: before + after, after: '' };
    case 'ctrl+u':
      return { ...field, before: '' };
    case 'ctrl+w':
      return { ...field, before: before.replace(/\S*\s*$/, '') };
    default:
      return field;
  }
}

/** The painted row, and the column of the insertion point. */
export function cursorField(
  { direction, before, after }: SearchField,
  width: number,
  theme: Theme,
): { readonly row: string; readonly x: number } {
  const mark = direction === 1 ? '/' : '?';
  const room = Math.max(1, width - 2);
  let shown = before;
  for (const first of graphemes(before)) {
    if (textWidth(shown) <= room) break;
    shown = shown.slice(first.length);
  }
  const x = 1 + textWidth(shown);
  return { row: `${theme.accent(mark)}${shown}${takeColumns(after, width - x - 1)}`, x };
}
