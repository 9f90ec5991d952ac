/** Damage in a log, and its description for the user. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, copyFile, type FileHandle, link } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createStored, makeStoredFolder, openStored, openToAppend, syncFolder } from '../storedFiles.ts';

/** A line that could not be read, or that changed after it was written. */
export interface DamagedLine {
  /** 1-based; if the log was not read from its start, counted from there. 0 if the line is missing. */
  readonly line: number;
  readonly reason: string;
  /** Byte offset of the line in the file. */
  readonly offset: number;
  readonly bytes: number;
  /** Seqs of the entries that are lost here, as inclusive ranges. */
  readonly lost: readonly SeqRange[];
  /** True if a copy was made and reported to the user before. */
  readonly isKnown?: boolean;
  /** True if everything that followed is lost, however much that was. */
  readonly isEnd?: boolean;
}

/** Reason for missing entries that left no damaged line. */
export const missing = 'missing';

export type SeqRange = readonly [first: number, last: number];

interface DamageContext {
  readonly sessionId: string;
  /** Folder with a copy of the damaged bytes; undefined if copying failed. */
  readonly quarantine: string | undefined;
}

/** One sentence for the user; empty if nothing is lost and it was reported before. */
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
  const isCopied = quarantine !== undefined && damaged.every(({ bytes }) => bytes <= maxBytes);
  const kept = isCopied ? `The bytes are kept in ${quarantine}` : 'The log is left as it is';
  return [`${what} ${kept}; \`clawdcode session verify ${sessionId}\` has details.`];
}

/** "is not an entry", "holds zero bytes": a reason that begins with a verb is used unchanged. */
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

function countOf(ranges: readonly SeqRange[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

/** The seqs strictly between two that are not in `taken`, which has to be sorted. */
export function gapsBetween(before: number, after: number, taken: readonly number[]): SeqRange[] {
  const ranges: SeqRange[] = [];
  let from = before + 1;
  for (const seq of [...taken.filter((one) => one > before && one < after), after]) {
    if (seq > from) ranges.push([from, seq - 1]);
    from = Math.max(from, seq + 1);
  }
  return ranges;
}

/** Describes an archive that is read up to its damage; `last` is the seq of the last entry before it. */
export function lossText(reason: string, last: number | undefined): string {
  return `${reason}. ${last === undefined ? 'No entry of it can be read.' : `What follows entry #${last} cannot be read.`}`;
}

// Copies damaged parts of a log, so that they can still be examined after a repair:
// `<project>/quarantine/<session>/<offset>-<hash>.bin`, with a line for each in `damage.jsonl` there. The log itself is
// not changed.

/** Maximum bytes copied per damaged line; the rest is still in the log. */
const maxBytes = 16 * 2 ** 20;
/** Maximum copies per log: one with more damage should be repaired. */
const maxPlaces = 1000;

/** Folder for copies of the damaged parts of a session's log. */
export function quarantineFolder(logFile: string): string {
  return join(dirname(logFile), 'quarantine', basename(logFile, '.jsonl'));
}

/**
 * Keeps a damaged log, or the damaged archive of one, under another name in the quarantine folder, and returns its path
 * there. The file also stays where it is.
 */
export async function keepDamaged(logFile: string, damaged: string, now: Date): Promise<string> {
  const folder = quarantineFolder(logFile);
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const kept = join(folder, `${basename(damaged)}.damaged-${time}`);
  await makeStoredFolder(folder, dirname(logFile));
  // A hard link if possible; neither replaces a file.
  await link(damaged, kept).catch(() => copyFile(damaged, kept, constants.COPYFILE_EXCL));
  await syncFolder(folder);
  return kept;
}

interface Quarantined {
  /** Undefined if there is nothing to copy or the disk fails. */
  readonly folder: string | undefined;
  /** The same damage, with earlier copies marked as known. */
  readonly damaged: readonly DamagedLine[];
}

/** Copies damage that was not copied before. */
export async function quarantineDamage(
  logFile: string,
  damaged: readonly DamagedLine[],
  now: Date,
): Promise<Quarantined> {
  if (!damaged.some(({ bytes }) => bytes > 0)) return { folder: undefined, damaged };
  const folder = quarantineFolder(logFile);
  let log: FileHandle | undefined;
  try {
    await makeStoredFolder(folder, dirname(logFile));
    log = await openStored(logFile);
    const marked: DamagedLine[] = [];
    for (const [index, damage] of damaged.entries()) {
      const isKnown =
        damage.bytes > 0 && index < maxPlaces && (await keep(log, damage, { folder, logFile, now }));
      marked.push(isKnown ? { ...damage, isKnown } : damage);
    }
    return { folder, damaged: marked };
  } catch {
    // The bytes are still in the log: copying is retried when the session is opened again.
    return { folder: undefined, damaged };
  } finally {
    await log?.close();
  }
}

/** Copies one damaged line; returns true if a copy already existed. */
async function keep(
  log: FileHandle,
  damage: DamagedLine,
  { folder, logFile, now }: { readonly folder: string; readonly logFile: string; readonly now: Date },
): Promise<boolean> {
  const { offset, bytes, line, reason, lost } = damage;
  const buffer = Buffer.alloc(Math.min(bytes, maxBytes));
  const { bytesRead } = await log.read(buffer, 0, buffer.length, offset);
  const content = buffer.subarray(0, bytesRead);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const file = join(folder, `${offset}-${hash}.bin`);
  if (await exists(file)) return true;
  const record = { when: now.toISOString(), offset, bytes, line, reason, lost, file: basename(file) };
  const list = await openToAppend(join(folder, 'damage.jsonl'), dirname(logFile));
  await list.writeFile(`${JSON.stringify(record)}\n`).finally(() => list.close());
  const copy = await createStored(file, dirname(logFile));
  try {
    await copy.writeFile(content);
    await copy.datasync();
  } finally {
    await copy.close();
  }
  return false;
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
