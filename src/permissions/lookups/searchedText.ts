/** The texts in a file that are searched for secrets: whatever its encoding, and also if gzip has packed it. */
import { constants, gunzipSync } from 'node:zlib';

/**
 * As UTF-8; with NUL bytes, which UTF-16 has in every other place and binary files around a text, also without them and
 * with each as the end of a line.
 */
export function textsIn(content: Buffer): readonly string[] {
  if (!content.includes(0)) return [content.toString('utf8')];
  const text = content.toString('latin1').replace(/^(?:\xff\xfe|\xfe\xff)/, '');
  return [text.replaceAll('\0', ''), text.replaceAll('\0', '\n')];
}

const MAX_UNPACKED = 1_000_000;

/**
 * The beginning of what `zcat` prints of a file with this beginning, or the beginning itself if it is not compressed.
 * Undefined if `zcat` may print what cannot be unpacked here: damaged data, or other formats that it knows.
 */
export function unpackedStart(content: Buffer, path: string): Buffer | undefined {
  const isGzip = content.length > 1 && content.readUInt16BE(0) === GZIP;
  if (!isGzip) return content.length > 0 && /\.t?gz$/i.test(path) ? undefined : content;
  // Deflate packs at most 1:1032, so a short part always fits.
  for (let bytes = content.length; ; bytes = Math.ceil(bytes / 4))
    try {
      return gunzipSync(content.subarray(0, bytes), {
        maxOutputLength: MAX_UNPACKED,
        finishFlush: constants.Z_SYNC_FLUSH,
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE' || bytes < 64) return undefined;
    }
}

const GZIP = 0x1f8b;
