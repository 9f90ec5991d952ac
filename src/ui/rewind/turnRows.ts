/** The list of turns as rows: when, what was asked, what it changed. */
import { changedText } from '../../commands/turnChoice.ts';
import type { TurnRecord } from '../../protocol/rewind.ts';
import { formatAge } from '../print/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { padEnd, padStart, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

/** Columns of the age, and of what was changed. */
const AGE = 12;
const CHANGES = 24;

/** One row of at most `width` columns: what was asked first, the rest as far as there is room. */
export function turnRow(
  turn: TurnRecord,
  { width, isSelected, now, theme }: { width: number; isSelected: boolean; now: Date; theme: Theme },
): string {
  const age = width >= 60 ? padEnd(formatAge(new Date(turn.timestamp), now), AGE) : '';
  const changes = width >= 44 ? padStart(truncate(changedText(turn), CHANGES), CHANGES) : '';
  const room = Math.max(1, width - textWidth(age) - textWidth(changes) - (changes === '' ? 0 : 1));
  const asked = padEnd(truncate(sanitizeLine(turn.text).trim() || '(an image)', room), room);
  const text = isSelected ? theme.accent(asked) : asked;
  return theme.dim(age) + text + (changes === '' ? '' : theme.dim(` ${changes}`));
}
