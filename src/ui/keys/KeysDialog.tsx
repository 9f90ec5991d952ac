import { usePaste } from 'ink';
import { useState } from 'react';
import { Lines } from '../dialog/Lines.tsx';
import { titledRule, wrapText } from '../print/spans.ts';
import { padEnd, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { joinWithDots, keyHints, shortKeyRows } from './keyHints.ts';
import type { DialogFocus, DialogFocusAction, DialogKey, Keymap } from './keymap.ts';
import { useDialogKeys } from './useKeys.ts';

/** Maximum rows, so that the dialog does not push up too much of what was on screen. */
const MAX_ROWS = 16;

const place: DialogFocus = { contexts: ['Select'], typing: 'answer' };

/** The keys, shown above the composer: ↑↓ and PgUp PgDn scroll if there is more, any other key closes. */
export function KeysDialog({
  keymap,
  width,
  rows,
  theme,
  onClose,
}: {
  readonly keymap: Keymap;
  readonly width: number;
  /** Rows available. */
  readonly rows: number;
  readonly theme: Theme;
  readonly onClose: () => void;
}) {
  const [top, setTop] = useState(0);
  const lines = keyLines(keymap, width, theme);
  const height = Math.max(1, Math.min(rows, MAX_ROWS) - 2);
  const lowest = Math.max(0, lines.length - height);
  const shown = Math.min(top, lowest);
  const scroll = (by: number): void => setTop(Math.max(0, Math.min(lowest, shown + by)));
  const handlers: Partial<Record<DialogFocusAction, () => void>> = {
    'select:previous': () => scroll(-1),
    'select:next': () => scroll(1),
    'select:pageUp': () => scroll(-height),
    'select:pageDown': () => scroll(height),
  };
  const onKey = (key: DialogKey): void => {
    const handler = key.type === 'action' && lowest > 0 ? handlers[key.name] : undefined;
    if (handler === undefined) onClose();
    else handler();
  };
  useDialogKeys(() => place, onKey);
  usePaste(onClose);
  const more =
    lowest > 0
      ? [
          `${shown + 1}–${Math.min(lines.length, shown + height)} of ${lines.length}`,
          keyHints(keymap, place).keys('select:previous', 'select:next'),
        ]
      : [];
  return (
    <Lines
      lines={[
        titledRule('Keys', width, theme),
        ...lines.slice(shown, shown + height),
        theme.dim(hintWithin([...more, '/keys has all', 'any other key closes'], width)),
      ]}
    />
  );
}

/** Joins as many whole parts as fit. */
function hintWithin(parts: readonly (string | undefined)[], width: number): string {
  for (let many = parts.length; many > 1; many--) {
    const line = joinWithDots(...parts.slice(0, many));
    if (textWidth(line) <= width) return line;
  }
  return truncate(joinWithDots(parts[0]), width);
}

/** Maximum keys shown per action; `/keys` lists all. */
const KEYS_SHOWN = 2;

/** Minimum width for two columns. */
const TWO_COLUMNS_FROM = 130;

/** The keys as lines of at most `width` columns; on narrow screens a description gets its own line. */
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
