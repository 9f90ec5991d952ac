/**
 * Keeps a copy of what is damaged in a log, so that it can be looked at when the log has been repaired:
 * `<project>/quarantine/<session>/<offset>-<hash>.bin`, and a line for each in `damage.jsonl` there.
 * The log itself is left as it is.
 */
import { createHash } from 'node:crypto';
import { access, appendFile, type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DamagedLine } from './damage.ts';
import { makeFolder } from './folders.ts';

/** Of a longer stretch only its beginning is copied: the rest is still in the log. */
const maxBytes = 16 * 2 ** 20;
/** A log with more damage than this is better repaired than copied in pieces. */
const maxPlaces = 1000;

/** Where the damage of a session's log is kept. */
export function quarantineFolder(logFile: string): string {
  return join(dirname(logFile), 'quarantine', basename(logFile, '.jsonl'));
}

export interface Quarantined {
  /** Undefined when there is nothing to keep, or the disk refuses. */
  readonly folder: string | undefined;
  /** The same damage; what was kept before is marked as known. */
  readonly damaged: readonly DamagedLine[];
}

/** Copies what is not kept yet. */
export async function quarantineDamage(
  logFile: string,
  damaged: readonly DamagedLine[],
  now: Date,
): Promise<Quarantined> {
  if (!damaged.some(({ bytes }) => bytes > 0)) return { folder: undefined, damaged };
  const folder = quarantineFolder(logFile);
  let log: FileHandle | undefined;
  try {
    await makeFolder(folder);
    log = await open(logFile, 'r');
    const marked: DamagedLine[] = [];
    for (const [index, damage] of damaged.entries()) {
      const isKnown = damage.bytes > 0 && index < maxPlaces && (await keep(log, damage, folder, now));
      marked.push(isKnown ? { ...damage, isKnown } : damage);
    }
    return { folder, damaged: marked };
  } catch {
    // The bytes are still in the log: a copy that cannot be made is made when the session is opened next.
    return { folder: undefined, damaged };
  } finally {
    await log?.close();
  }
}

/** True when it was kept before. */
async function keep(log: FileHandle, damage: DamagedLine, folder: string, now: Date): Promise<boolean> {
  const { offset, bytes, line, reason, lost } = damage;
  const buffer = Buffer.alloc(Math.min(bytes, maxBytes));
  const { bytesRead } = await log.read(buffer, 0, buffer.length, offset);
  const content = buffer.subarray(0, bytesRead);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const file = join(folder, `${offset}-${hash}.bin`);
  if (await exists(file)) return true;
  const record = { when: now.toISOString(), offset, bytes, line, reason, lost, file: basename(file) };
  await appendFile(join(folder, 'damage.jsonl'), `${JSON.stringify(record)}\n`, { mode: 0o600 });
  const copy = await open(file, 'wx', 0o600);
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
