import { padEnd, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import type { Keymap } from './keymap.ts';
import { shortKeyRows } from './keyRows.ts';

/** From this width on there are two columns. */
const TWO_COLUMNS_FROM = 100;

/** The keys on lines of at most `width` columns; on narrow screens what a key does has a line of its own. */
export function keyLines(keymap: Keymap, width: number, theme: Theme): readonly string[] {
  const rows = [
    ...shortKeyRows(keymap).map(({ keys, description }) => [keys.join(', '), description] as const),
    ['@path', 'name a file'],
    ['!command', 'run it yourself; the model sees the output'],
    ['/', 'commands'],
  ] as const;
  const half = Math.ceil(rows.length / 2);
  if (width < TWO_COLUMNS_FROM) return columnOf(rows, width, theme).flat();
  const column = Math.floor(width / 2) - 1;
  const [left, right] = [rows.slice(0, half), rows.slice(half)].map((part) =>
    columnOf(part, column, theme).flat(),
  );
  return (left ?? []).map((line, at) => `${padEnd(line, column + 2)}${right?.[at] ?? ''}`);
}

function columnOf(
  rows: readonly (readonly [string, string])[],
  width: number,
  theme: Theme,
): readonly (readonly string[])[] {
  const widest = Math.max(...rows.map(([keys]) => textWidth(keys)));
  const room = width - widest - 2;
  return rows.map(([keys, description]) =>
    room < 20
      ? [theme.accent(truncate(keys, width)), truncate(`  ${description}`, width)]
      : [`${theme.accent(padEnd(keys, widest))}  ${truncate(description, room)}`],
  );
}
