/** The last row of the transcript view: what is asked, found or running, where this is, and the keys. Pure. */
import { sanitizeLine } from '../print/sanitize.ts';
import { padEnd, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';

export interface StatusFacts {
  /** A call that waits for an answer below this view. */
  readonly question: string | undefined;
  /** What came of the last key, such as `match 3 of 17`. */
  readonly message: string | undefined;
  /** The agent is at work. */
  readonly isBusy: boolean;
  readonly isAtEnd: boolean;
  /** Number of the topmost entry, and of the newest. */
  readonly seq: number | undefined;
  readonly lastSeq: number;
}

const KEYS = 'q back · ↑↓ PgUp PgDn g G · / ? n N search · { } prompts';

export function statusRow(facts: StatusFacts, width: number, theme: Theme): string {
  const place = placeText(facts);
  if (facts.question !== undefined) {
    const asks = `${sanitizeLine(facts.question)} asks: q goes back to answer`;
    return theme.warning(truncate(asks, width));
  }
  const left = facts.message ?? (facts.isBusy && facts.isAtEnd ? `working · ${KEYS}` : KEYS);
  const room = width - textWidth(place) - 1;
  if (room < 8) return theme.dim(truncate(facts.message ?? place, width));
  const paint = facts.message === undefined ? theme.dim : theme.accent;
  return `${paint(padEnd(truncate(left, room), room))} ${theme.dim(place)}`;
}

function placeText({ isAtEnd, seq, lastSeq }: StatusFacts): string {
  if (isAtEnd || seq === undefined) return `#${lastSeq} end`;
  return `#${seq} of #${lastSeq}`;
}
