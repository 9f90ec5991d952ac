import { Text } from 'ink';
import { chordsAfter, type Keymap } from '../keys/keymap.ts';
import { showKeys } from '../keys/notation.ts';
import { truncate } from '../print/width.ts';
import type { ComposerTheme } from './composerTheme.ts';

/** One row while a chord waits: what was pressed, and what may follow. */
export function ChordHint({
  pending,
  keymap,
  width,
  theme,
}: {
  readonly pending: string;
  readonly keymap: Keymap;
  readonly width: number;
  readonly theme: ComposerTheme;
}) {
  const next = chordsAfter(keymap, pending).map(
    ({ keys, action }) => `${showKeys(keys)} ${action.description}`,
  );
  return <Text>{theme.dim(truncate(`  ${showKeys(pending)} …  ${next.join(' · ')}`, width))}</Text>;
}
