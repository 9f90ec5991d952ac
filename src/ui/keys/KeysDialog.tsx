import { useInput, usePaste } from 'ink';
import { useState } from 'react';
import { Lines } from '../components/Lines.tsx';
import { ruled } from '../components/permissionLayout.ts';
import type { Theme } from '../theme.ts';
import { keyLines } from './keyLines.ts';
import type { Keymap } from './keymap.ts';

/** What was on screen is pushed up by no more than this. */
const MAX_ROWS = 16;

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
  useInput((_input, key) => {
    if (key.eventType === 'release') return;
    if (lowest > 0 && (key.upArrow || key.downArrow)) scroll(key.upArrow ? -1 : 1);
    else if (lowest > 0 && (key.pageUp || key.pageDown)) scroll(key.pageUp ? -height : height);
    else onClose();
  });
  usePaste(onClose);
  const more =
    lowest > 0 ? `${shown + 1}–${Math.min(lines.length, shown + height)} of ${lines.length} · ↑↓ · ` : '';
  return (
    <Lines
      lines={[
        ruled('Keys', width, theme),
        ...lines.slice(shown, shown + height),
        theme.dim(`${more}/keys has all · any other key closes`.slice(0, width)),
      ]}
    />
  );
}
