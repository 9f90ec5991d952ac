/** Extracts the texts in a file to search for secrets, whatever its encoding, even if it is compressed with gzip. */
import { constants, gunzipSync } from 'node:zlib';

/**
 * As UTF-8. If there are NUL bytes, also without them, for UTF-16, and with each as a line end, for text in binary
 * files.
 */
export function textsIn(content: Buffer): readonly string[] {
  if (!content.includes(0)) return [content.toString('utf8')];
  const text = content.toString('latin1').replace(/^(?:\xff\xfe|\xfe\xff)/, '');
  return [text.replaceAll('\0', ''), text.replaceAll('\0', '\n')];
}

const MAX_UNPACKED = 1_000_000;

/**
 * The beginning of what `zcat` prints for a file that begins like this, or the same bytes if they are not compressed.
 * Undefined if `zcat` may print something that we cannot unpack: damaged data, or other formats that it knows.
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

/** How files begin that contain others: zip, bzip2, xz, zstd, lz4, 7z, rar, git's packs and bundles. */
const packed = [
  '504b0304',
  '425a68',
  'fd377a58',
  '28b52ffd',
  '04224d18',
  '377abcaf',
  '52617221',
  '5041434b',
  '23207632',
  '23207633',
];

/** True for the beginning of an archive or compressed file whose content cannot be searched here. */
export const isPacked = (content: Buffer | undefined): boolean => {
  const start = content?.subarray(0, 4).toString('hex') ?? '';
  return packed.some((sign) => start.startsWith(sign));
};
