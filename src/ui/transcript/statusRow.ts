/** The last row of the transcript view: what is asked, found or running, where this is, and the keys. Pure. */
import type { DialogPlace } from '../keys/dialogKeys.ts';
import { dotted, keyHints } from '../keys/keyHints.ts';
import type { Keymap } from '../keys/keymap.ts';
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

/** Where the keys of the view are read, while nobody types words to look for. */
export const transcriptPlace: DialogPlace = { contexts: ['Transcript'], typing: 'keys' };

export function statusRow(facts: StatusFacts, width: number, theme: Theme, keymap: Keymap): string {
  const place = placeText(facts);
  if (facts.question !== undefined) {
    const asks = `${sanitizeLine(facts.question)} asks: ${exitKey(keymap)} goes back to answer`;
    return theme.warning(truncate(asks, width));
  }
  const left =
    facts.message ?? (facts.isBusy && facts.isAtEnd ? `working · ${keysText(keymap)}` : keysText(keymap));
  const room = width - textWidth(place) - 1;
  if (room < 8) return theme.dim(truncate(facts.message ?? place, width));
  const paint = facts.message === undefined ? theme.dim : theme.accent;
  return `${paint(padEnd(truncate(left, room), room))} ${theme.dim(place)}`;
}

function placeText({ isAtEnd, seq, lastSeq }: StatusFacts): string {
  if (isAtEnd || seq === undefined) return `#${lastSeq} end`;
  return `#${seq} of #${lastSeq}`;
}

function keysText(keymap: Keymap): string {
  const hints = keyHints(keymap, transcriptPlace);
  const search = hints.keys(
    'transcript:search',
    'transcript:searchBack',
    'transcript:searchNext',
    'transcript:searchPrevious',
  );
  const prompts = hints.keys('transcript:previousPrompt', 'transcript:nextPrompt');
  return dotted(
    `${exitKey(keymap)} back`,
    hints.keys(
      'scroll:lineUp',
      'scroll:lineDown',
      'scroll:pageUp',
      'scroll:pageDown',
      'scroll:top',
      'scroll:bottom',
    ),
    search && `${search} search`,
    prompts && `${prompts} prompts`,
  );
}

function exitKey(keymap: Keymap): string {
  return keyHints(keymap, transcriptPlace).key('transcript:exit') ?? 'Esc';
}
