/** What one line of a log holds: an entry, or, where it is damaged, whatever can still be found in it. */

import { isUtf8 } from 'node:buffer';
import { ENTRY_FORMAT } from '../../protocol/entries/fields.ts';
import { migrateEntry, unseal } from './entryLine.ts';
import type { RawLine } from './rawLines.ts';
import { minEntryBytes, type Piece, salvage } from './repair/salvage.ts';

export interface ReadLine {
  readonly pieces: readonly Piece[];
  /** Why the line is damaged, where it is. */
  readonly reason?: string;
  /** Of an undamaged line that holds an entry. */
  readonly seal?: 'intact' | 'absent';
}

/** The same line in a log whose lines have checksums by then. */
export function withoutSeal(line: ReadLine): ReadLine {
  const { pieces } = line;
  // How a newer program guards its lines is its own affair.
  if (pieces.some((piece) => 'entry' in piece && piece.entry.v > ENTRY_FORMAT)) return line;
  return {
    pieces: pieces.map((piece) => ('entry' in piece ? { garbled: piece.entry } : piece)),
    reason: 'has lost its checksum',
  };
}

/** `seq` is the position for a line of a version that did not count them. */
export function readLine(line: RawLine, seq: number): ReadLine {
  const { bytes, complete } = line;
  if (bytes.length < line.length) return { pieces: [], reason: 'longer than any line can be' };
  if (bytes.length < minEntryBytes) return shortLine(line);
  const { json, seal } = unseal(bytes);
  const value = parse(json);
  const entry = value === undefined ? undefined : migrateEntry(value, seq);
  if (entry !== undefined) {
    if (seal === 'intact' || (seal === 'absent' && isUtf8(bytes))) return { pieces: [{ entry }], seal };
    const reason = isUtf8(bytes) ? 'changed since it was written' : 'holds bytes that are not UTF-8';
    const pieces = salvage(bytes);
    return { pieces: pieces.length === 0 ? [{ garbled: entry }] : pieces, reason };
  }
  if (json.trim() === '') return { pieces: [] };
  const pieces = salvage(bytes);
  if (pieces.length === 0 && !complete) return { pieces, reason: 'cut short' };
  if (bytes.includes(0)) return { pieces, reason: 'holds zero bytes' };
  return { pieces, reason: pieces.some((piece) => 'entry' in piece) ? 'lines run together' : 'not an entry' };
}

function shortLine({ bytes, complete }: RawLine): ReadLine {
  if (bytes.toString('latin1').trim() === '' || bytes.equals(byteOrderMark)) return { pieces: [] };
  if (!complete) return { pieces: [], reason: 'cut short' };
  return { pieces: [], reason: bytes.includes(0) ? 'holds zero bytes' : 'not an entry' };
}

const byteOrderMark = Buffer.from('\uFEFF');

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
