/** One hit of a search on two rows: which session, who and when; then the words, marked. Pure. */
import type { SearchHit } from '../../protocol/sessions.ts';
import { formatAge } from '../print/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { graphemes, padEnd, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { projectName, type Scope } from './pickerState.ts';
import { ageInLetters } from './sessionRows.ts';

export interface HitOptions {
  readonly scope: Scope;
  readonly isSelected: boolean;
  readonly now: Date;
  readonly theme: Theme;
}

/** Rows of one hit. */
export const HIT_ROWS = 2;

/** Two lines of at most `width` columns each. */
export function hitRows(hit: SearchHit, width: number, options: HitOptions): readonly [string, string] {
  const { scope, isSelected, now, theme } = options;
  const { session, timestamp, who } = hit;
  const isNarrow = width < 44;
  const facts = isNarrow
    ? ` ${ageInLetters(timestamp, now)}`
    : [
        '',
        ...(scope === 'all' ? [sanitizeLine(projectName(session))] : []),
        sanitizeLine(who),
        formatAge(timestamp, now),
      ].join(' · ');
  const shownFacts = truncate(facts, Math.max(0, width - 8));
  const room = width - textWidth(shownFacts);
  const title = truncate(sanitizeLine(session.title).trim() || '(no title)', room);
  const paint = isSelected ? theme.accent : theme.text;
  return [
    paint(isNarrow ? padEnd(title, room) : title) + theme.dim(shownFacts),
    `  ${markedLine(hit, width - 2, theme)}`,
  ];
}

/** The snippet around its first mark, marks painted; in a plain theme in brackets. */
export function markedLine({ snippet, marks }: SearchHit, width: number, theme: Theme): string {
  const [open, close] = theme.plain ? ['[', ']'] : ['', ''];
  const first = marks[0]?.[0] ?? 0;
  const pieces: { readonly text: string; readonly isMarked: boolean }[] = [];
  let at = 0;
  for (const [start, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (start < at || end <= start) continue;
    pieces.push({ text: snippet.slice(at, start), isMarked: false });
    pieces.push({ text: snippet.slice(start, end), isMarked: true });
    at = end;
  }
  pieces.push({ text: snippet.slice(at), isMarked: false });
  // Where the first mark lies further in than the row is wide, the beginning goes.
  const before = sanitizeLine(snippet.slice(0, first));
  const lead = Math.floor(width / 3);
  const isCut = textWidth(before) > lead * 2;
  let room = width;
  let line = '';
  for (const [index, { text, isMarked }] of pieces.entries()) {
    const clean = sanitizeLine(text);
    const whole = index === 0 && isCut ? `…${lastColumns(clean, lead)}` : clean;
    const framed = isMarked ? `${open}${whole}${close}` : whole;
    const shown = truncate(framed, room);
    line += shown === '' ? '' : isMarked ? theme.warning(shown) : theme.dim(shown);
    room -= textWidth(shown);
    if (room <= 0 || shown !== framed) break;
  }
  return line;
}

function lastColumns(text: string, columns: number): string {
  const parts = graphemes(text.slice(-columns * 8));
  let used = 0;
  let from = parts.length;
  while (from > 0 && used + textWidth(parts[from - 1] ?? '') <= columns) {
    from -= 1;
    used += textWidth(parts[from] ?? '');
  }
  return parts.slice(from).join('');
}
