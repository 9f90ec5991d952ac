import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Most that is read of one page, in bytes after decompression. */
export const MAX_BODY_BYTES = 10_000_000;

export interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether there was more. */
  readonly cut: boolean;
}

/** Reads and decompresses a body up to the limit and hangs up. Rejects when the connection or the packing breaks. */
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
  // Errors come out of the loop that reads; the callback is there so that they are not thrown as well.
  return unpack === undefined ? response : pipeline(response, unpack, () => undefined);
}

function unpackerOf(encoding: string | undefined) {
  // Many servers leave out the end of a packed stream; browsers take what there is.
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
