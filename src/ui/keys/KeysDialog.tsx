import { usePaste } from 'ink';
import { useState } from 'react';
import { Lines } from '../components/Lines.tsx';
import { ruled } from '../components/permissionLayout.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import type { DialogKey, DialogPlace, PlaceAction } from './dialogKeys.ts';
import { dotted, keyHints } from './keyHints.ts';
import { keyLines } from './keyLines.ts';
import type { Keymap } from './keymap.ts';
import { useDialogKeys } from './useDialogKeys.ts';

/** What was on screen is pushed up by no more than this. */
const MAX_ROWS = 16;

const place: DialogPlace = { contexts: ['Select'], typing: 'answer' };

/** The keys, over the composer: ↑↓ and PgUp PgDn scroll where there is more, any other key closes. */
export function KeysDialog({
  keymap,
  width,
  rows,
  theme,
  onClose,
}: {
  readonly keymap: Keymap;
  readonly width: number;
  /** Rows that it may take at most. */
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
  const deeds: Partial<Record<PlaceAction, () => void>> = {
    'select:previous': () => scroll(-1),
    'select:next': () => scroll(1),
    'select:pageUp': () => scroll(-height),
    'select:pageDown': () => scroll(height),
  };
  const onKey = (key: DialogKey): void => {
    const deed = key.type === 'action' && lowest > 0 ? deeds[key.name] : undefined;
    if (deed === undefined) onClose();
    else deed();
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
        ruled('Keys', width, theme),
        ...lines.slice(shown, shown + height),
        theme.dim(hintWithin([...more, '/keys has all', 'any other key closes'], width)),
      ]}
    />
  );
}

/** As much of it as fits, whole. */
function hintWithin(parts: readonly (string | undefined)[], width: number): string {
  for (let many = parts.length; many > 1; many--) {
    const line = dotted(...parts.slice(0, many));
    if (textWidth(line) <= width) return line;
  }
  return truncate(dotted(parts[0]), width);
}
