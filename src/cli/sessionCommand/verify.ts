/** `clawdcode session verify` and `repair`: check a session's log, and replace it with a repaired one. */
import {
  type RepairReport,
  repairSession,
  SessionLockedError,
  type VerifyReport,
  verifySession,
} from '../../context/index.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { count } from '../../protocol/text/numbers.ts';
import { formatBytes } from '../../ui/print/numbers.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import type { Theme } from '../../ui/theme/theme.ts';
import { StorageFailure } from '../sessions/sessionErrors.ts';
import { jsonDocument } from './output.ts';
import { type SessionPorts, type SubagentLog, subagentLogs } from './withSession.ts';

/** Checks without changing anything. Exits with 1 if something is wrong. */
export async function verify(
  { output }: SessionPorts,
  session: SessionRecord,
  { deep, json }: { readonly deep: boolean; readonly json: boolean },
): Promise<number> {
  const report = await verifySession(session.file, { deep });
  const text = json
    ? jsonDocument(report)
    : `${verifyLines(report, sanitizeLine(session.id), output.theme).join('\n')}\n`;
  await output.write(text);
  const damaged = json ? [] : await damagedSubagents(session, deep);
  for (const { id, file } of damaged)
    output.say(`The log of subagent ${id} is damaged: ${sanitizeLine(file)}`);
  return isWhole(report) && damaged.length === 0 ? EXIT.ok : EXIT.failed;
}

/** The logs of subagents are checked with that of their session; the sound ones are not listed. */
async function damagedSubagents(session: SessionRecord, deep: boolean): Promise<readonly SubagentLog[]> {
  const damaged: SubagentLog[] = [];
  for (const log of await subagentLogs(session))
    if (!isWhole(await verifySession(log.file, { deep }))) damaged.push(log);
  return damaged;
}

/**
 * Repairs the log; prints what was done and where the original log is. A damaged session is unarchived first, as far as
 * it can be read.
 */
export async function repair(
  ports: SessionPorts,
  session: SessionRecord,
  { json }: { readonly json: boolean },
): Promise<number> {
  const { output, now } = ports;
  const id = sanitizeLine(session.id);
  const isSoundArchive = session.isArchived && !(await verifySession(session.file)).isDamaged;
  let { file } = session;
  if (session.isArchived && !isSoundArchive) {
    const unarchived = await (await ports.sessions()).unarchive(session);
    output.say(sanitizeLine(`Session ${session.id} is unarchived. ${unarchived.lost ?? ''}`).trimEnd());
    file = unarchived.file;
  }
  const report: RepairReport = isSoundArchive ? { type: 'sound' } : await repairSession(file, now());
  if (report.type === 'locked') throw new SessionLockedError(session.id, report.holder);
  if (report.type === 'failed')
    throw new StorageFailure(`Session ${id} could not be repaired and is unchanged: ${report.reason}`);
  if (json) await output.write(jsonDocument(report));
  else if (report.type === 'sound') await output.line(`Session ${id} is intact; nothing was changed.`);
  else await output.line(repairLines(report, id).join('\n'));
  return EXIT.ok;
}

// Formats the results of checks and repairs of a session.

/** Returns the verdict, then the problems, worst first; safe for a terminal. */
function verifyLines(report: VerifyReport, id: string, theme: Theme): string[] {
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
    ...(isShortened ? [theme.dim('  … and more; --json lists more of them.')] : []),
    ...(isDamaged ? [`To make an intact copy and keep this one: clawdcode session repair ${id}`] : []),
  ];
}

/** True if nothing is lost and a repair would change nothing. */
function isWhole({ isDamaged, blobProblems }: VerifyReport): boolean {
  return !isDamaged && blobProblems.length === 0;
}

/** Describes the result of a repair. */
function repairLines(report: Extract<RepairReport, { type: 'repaired' }>, id: string): string[] {
  const { entries, restored, lost, duplicates, relinked, wasSorted, original } = report;
  const entry = (number: number): string => count(number, 'entry', 'entries');
  return [
    `Session ${id} is repaired: ${entry(entries)}.`,
    ...(restored > 0 ? [`  ${entry(restored)} restored from damaged lines`] : []),
    ...(lost > 0 ? [`  ${entry(lost)} lost; each has a placeholder line`] : []),
    ...(duplicates > 0 ? [`  ${count(duplicates, 'copy', 'copies')} left out`] : []),
    ...(wasSorted ? [] : ['  restored the original order']),
    ...(relinked > 0 ? [`  ${entry(relinked)} linked to the one before`] : []),
    `The original log: ${sanitizeLine(original)}`,
  ];
}

function damageLines({ damaged, gaps, brokenLinks, isSorted }: VerifyReport): string[] {
  return [
    ...shown(damaged, ({ line, offset, bytes, reason, lost, isEnd }) => {
      const where =
        line === 0 ? `at byte ${offset}` : `line ${line}, ${formatBytes(bytes)} at byte ${offset}`;
      if (isEnd === true) return `${where}: ${reason}; what follows cannot be read`;
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
