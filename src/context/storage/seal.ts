/**
 * A line's checksum: its last field, `"crc"`, is the CRC-32 of all bytes before that field, in hex. With it a line
 * tells by itself whether it is as it was written: a flipped bit in a text, or two halves of different lines, would
 * otherwise pass for an entry. Lines without one are older, or written by hand; nothing is known of them.
 */
import { crc32 } from 'node:zlib';

/** `,"crc":"`, eight digits, `"}`. */
const sealBytes = 18;
const sealed = /^,"crc":"([0-9a-f]{8})"\}$/;

export interface Unsealed {
  /** The line without its checksum, which is no part of an entry. */
  readonly json: string;
  readonly seal: 'intact' | 'broken' | 'absent';
}

/** The line with its checksum; one that it already has is made anew. */
export function seal(line: string): string {
  const body = sealed.test(line.slice(-sealBytes)) ? line.slice(0, -sealBytes) : line.slice(0, -1);
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}`;
}

/** What a line says of itself. */
export function unseal(line: Buffer): Unsealed {
  const start = line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const end = endOf(line);
  const found = sealed.exec(line.toString('latin1', Math.max(start, end - sealBytes), end));
  if (found === null) return { json: line.toString('utf8', start, end), seal: 'absent' };
  const body = line.subarray(start, end - sealBytes);
  const isIntact = crc32(body) === Number.parseInt(found[1] ?? '', 16);
  return { json: `${body.toString('utf8')}}`, seal: isIntact ? 'intact' : 'broken' };
}

/** A line up to its checksum, of which only the beginning may be left; undefined where nothing like one is there. */
export function beforeTornSeal(text: string): string | undefined {
  const at = text.indexOf(',"cr');
  return at === -1 ? undefined : `${text.slice(0, at)}}`;
}

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);

/** Without blanks and the carriage return that an editor may have put there. */
function endOf(line: Buffer): number {
  let end = line.length;
  for (let last = line[end - 1]; last === 32 || last === 9 || last === 13; last = line[end - 1]) end -= 1;
  return end;
}
