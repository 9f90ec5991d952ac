/** Formats the results of checks and repairs of a session. */
import type { RepairReport, VerifyReport } from '../../context/index.ts';
import { count, formatBytes } from '../../ui/print/numbers.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import type { Theme } from '../../ui/theme/theme.ts';

/** Returns the verdict, then the problems, worst first; safe for a terminal. */
export function verifyLines(report: VerifyReport, id: string, theme: Theme): string[] {
  const { entries, bytes, blobs, isDamaged, isShortened } = report;
  const size = `${count(entries, 'entry', 'entries')}, ${formatBytes(bytes)}, ${count(blobs, 'original')} next to the log`;
  const details = [...damageLines(report), ...oddityLines(report)].map((line) => sanitizeLine(line));
  const isFine = !isDamaged && report.blobProblems.length === 0;
  const verdict = isDamaged
    ? theme.error(`Session ${id} is damaged.`)
    : isFine
      ? theme.success(`Session ${id} is intact.`)
      : theme.warning(`The log of session ${id} is intact, but some of the content it refers to is missing.`);
  return [
    `${verdict} ${theme.dim(size)}`,
    ...details.map((line) => `  ${line}`),
    ...(isShortened ? [theme.dim('  … and more; --json has as many as are listed.')] : []),
    ...(isDamaged ? [`To make an intact copy and keep this one: clawdcode session repair ${id}`] : []),
  ];
}

/** True if nothing is lost and a repair would change nothing. */
export function isWhole({ isDamaged, blobProblems }: VerifyReport): boolean {
  return !isDamaged && blobProblems.length === 0;
}

/** Describes the result of a repair. */
export function repairLines(report: Extract<RepairReport, { type: 'repaired' }>, id: string): string[] {
  const { entries, restored, lost, duplicates, relinked, wasSorted, original } = report;
  const entry = (number: number): string => count(number, 'entry', 'entries');
  return [
    `Session ${id} is repaired: ${entry(entries)}.`,
    ...(restored > 0 ? [`  ${entry(restored)} put back from damaged lines`] : []),
    ...(lost > 0 ? [`  ${entry(lost)} lost; each is marked by a line in its place`] : []),
    ...(duplicates > 0 ? [`  ${count(duplicates, 'copy', 'copies')} left out`] : []),
    ...(wasSorted ? [] : ['  put in the order in which it was written']),
    ...(relinked > 0 ? [`  ${entry(relinked)} linked to the one before`] : []),
    `The original log: ${sanitizeLine(original)}`,
  ];
}

function damageLines({ damaged, gaps, brokenLinks, isSorted }: VerifyReport): string[] {
  return [
    ...shown(damaged, ({ line, offset, bytes, reason, lost }) => {
      const where =
        line === 0 ? `at byte ${offset}` : `line ${line}, ${formatBytes(bytes)} at byte ${offset}`;
      return `${where}: ${reason}${lost.length === 0 ? '; no entry is lost' : `; lost: ${rangesOf(lost)}`}`;
    }),
    ...(gaps.length === 0 ? [] : [`no entry at ${rangesOf(gaps)}`]),
    ...shown(
      brokenLinks,
      ({ seq, parentUuid }) => `#${seq} names ${parentUuid ?? 'nothing'} as the entry before it`,
    ),
    ...(isSorted ? [] : ['lines are out of order; they are read in the right order anyway']),
  ];
}

function oddityLines({ duplicates, unansweredCalls, blobProblems }: VerifyReport): string[] {
  return [
    ...shown(blobProblems, ({ seq, hash, problem }) => `#${seq} points to ${hash.slice(0, 12)}…: ${problem}`),
    ...(duplicates.length === 0
      ? []
      : [`${count(duplicates.length, 'entry', 'entries')} more than once; each is read once`]),
    ...shown(
      unansweredCalls,
      ({ seq, tool }) => `#${seq} ${tool} has no result yet; it gets one when the session is resumed`,
    ),
  ];
}

/** Maximum number of lines printed per kind. */
const MOST = 20;

function shown<T>(items: readonly T[], lineOf: (item: T) => string): string[] {
  const more = items.length - MOST;
  return [...items.slice(0, MOST).map(lineOf), ...(more > 0 ? [`… and ${more} more like this`] : [])];
}

function rangesOf(ranges: readonly (readonly [number, number])[]): string {
  const texts = ranges.slice(0, MOST).map(([from, to]) => (from === to ? `#${from}` : `#${from}–#${to}`));
  return `${texts.join(', ')}${ranges.length > MOST ? ', …' : ''}`;
}
