import { wrapText } from '../print/spans.ts';
import { padEnd, textWidth } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import type { Keymap } from './keymap.ts';
import { shortKeyRows } from './keyRows.ts';

/** Keys of one action; `/keys` has them all. */
const KEYS_SHOWN = 2;

/** From this width on there are two columns. */
const TWO_COLUMNS_FROM = 130;

/** The keys on lines of at most `width` columns; on narrow screens what a key does has a line of its own. */
export function keyLines(keymap: Keymap, width: number, theme: Theme): readonly string[] {
  const rows = [
    ...shortKeyRows(keymap).map(
      ({ keys, description }) => [keys.slice(0, KEYS_SHOWN).join(', '), description] as const,
    ),
    ['@path', 'name a file'],
    ['!command', 'run it yourself; the model sees the output'],
    ['/', 'commands'],
  ] as const;
  if (width < TWO_COLUMNS_FROM) return columnOf(rows, width, theme).flat();
  const column = Math.floor(width / 2) - 1;
  const half = Math.ceil(rows.length / 2);
  const [left, right] = [rows.slice(0, half), rows.slice(half)].map((part) =>
    columnOf(part, column, theme).flat(),
  );
  const height = Math.max(left?.length ?? 0, right?.length ?? 0);
  return Array.from({ length: height }, (_, at) =>
    `${padEnd(left?.[at] ?? '', column + 2)}${right?.[at] ?? ''}`.trimEnd(),
  );
}

function columnOf(
  rows: readonly (readonly [string, string])[],
  width: number,
  theme: Theme,
): readonly (readonly string[])[] {
  const widest = Math.max(...rows.map(([keys]) => textWidth(keys)));
  const room = width - widest - 2;
  return rows.map(([keys, description]) => {
    if (room < 20) {
      const names = wrapText(keys, width, theme.accent);
      return [...names, ...wrapText(description, width - 2).map((line) => `  ${line}`)];
    }
    const [first = '', ...more] = wrapText(description, room);
    const left = ' '.repeat(widest + 2);
    return [`${theme.accent(padEnd(keys, widest))}  ${first}`, ...more.map((line) => left + line)];
  });
}
