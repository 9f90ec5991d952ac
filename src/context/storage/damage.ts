/** What is damaged in a log, and how a person is told. */

/** A line that could not be read, or not as it was written. */
export interface DamagedLine {
  /** From 1; of a log that was read from its middle, counted from there. 0 where there is no line any more. */
  readonly line: number;
  readonly reason: string;
  /** Where the line begins, in bytes from the start of the file. */
  readonly offset: number;
  readonly bytes: number;
  /** Positions of the entries that are lost here, as ranges with both ends. */
  readonly lost: readonly SeqRange[];
  /** True when a copy was kept, and the user told, on an earlier day. */
  readonly isKnown?: boolean;
}

/** The reason where entries are missing and not even a damaged line is left of them. */
export const missing = 'missing';

export type SeqRange = readonly [first: number, last: number];

export interface DamageContext {
  readonly sessionId: string;
  /** The folder in which the damaged bytes are kept; undefined when that failed. */
  readonly quarantine: string | undefined;
}

/** One sentence for all of it, ready to show; none when nothing is lost and the rest was told before. */
export function damageNotices(
  all: readonly DamagedLine[],
  { sessionId, quarantine }: DamageContext,
): string[] {
  const damaged = all.filter(({ isKnown, lost }) => isKnown !== true || lost.length > 0);
  const [first] = damaged;
  if (first === undefined) return [];
  const what =
    damaged.length > 1
      ? `${damaged.length} places in this session’s log could not be read as they were written: ${lossOf(damaged)}.`
      : first.reason === 'cut short'
        ? 'The last line of this session’s log could not be read: it was cut short when the program stopped.'
        : first.reason === missing
          ? `Something is missing from this session’s log, and could not be read: ${lossOf(damaged)}.`
          : `Line ${first.line} of this session’s log could not be read as it was written (it ${phrase(first.reason)}): ${lossOf(damaged)}.`;
  const kept = quarantine === undefined ? 'The log is left as it is' : `The bytes are kept in ${quarantine}`;
  return [`${what} ${kept}; \`clawdcode session verify ${sessionId}\` tells more.`];
}

/** "is not an entry", "holds zero bytes": reasons that begin with a verb stand as they are. */
function phrase(reason: string): string {
  return /^(holds|changed|has)/.test(reason) ? reason : `is ${reason}`.replace('is lines', 'has lines that');
}

function lossOf(damaged: readonly DamagedLine[]): string {
  const lost = damaged.flatMap((one) => one.lost);
  const count = countOf(lost);
  if (count === 0) return 'no entry is lost';
  const shown = lost.slice(0, maxShown).map(([from, to]) => (from === to ? `#${from}` : `#${from}–#${to}`));
  const names = `${shown.join(', ')}${lost.length > maxShown ? ', …' : ''}`;
  return count === 1 ? `1 entry is lost (${names})` : `${count} entries are lost (${names})`;
}

const maxShown = 5;

/** How many positions the ranges have. */
export function countOf(ranges: readonly SeqRange[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

/** The positions strictly between two that are not taken by others, which are sorted. */
export function gapsBetween(before: number, after: number, taken: readonly number[] = []): SeqRange[] {
  const ranges: SeqRange[] = [];
  let from = before + 1;
  for (const seq of [...taken.filter((one) => one > before && one < after), after]) {
    if (seq > from) ranges.push([from, seq - 1]);
    from = Math.max(from, seq + 1);
  }
  return ranges;
}
