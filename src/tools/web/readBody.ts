import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Maximum bytes read of one page, after decompression. */
const MAX_BODY_BYTES = 10_000_000;

export interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** True if there was more. */
  readonly cut: boolean;
}

/**
 * Reads and decompresses a body up to the limit, then closes the connection. Rejects if the connection or the
 * compressed data breaks.
 */
export async function readBody(response: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Body> {
  const chunks: Buffer[] = [];
  let length = 0;
  const source: AsyncIterable<Buffer> = decompressed(response);
  // Leaving the loop destroys the stream, and with it the connection.
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  const bytes = new Uint8Array(Math.min(length, maxBytes));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, bytes.length - at), at);
    at += Math.min(chunk.length, bytes.length - at);
  }
  return { bytes, cut: length > maxBytes };
}

function decompressed(response: IncomingMessage): AsyncIterable<Buffer> {
  const unpack = unpackerOf(response.headers['content-encoding']?.trim().toLowerCase());
  // The reading loop reports errors; without the callback they would also be thrown.
  return unpack === undefined ? response : pipeline(response, unpack, () => undefined);
}

function unpackerOf(encoding: string | undefined) {
  // Many servers omit the end of a compressed stream; like browsers, accept the data there is.
  const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(lenient);
    case 'deflate':
      return createInflate(lenient);
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
