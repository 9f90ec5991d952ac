/** Reads the body of an answer, decompressing it even if no compression was requested. */
import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../replyBounds.ts';

interface BodyFacts {
  /** True if the caller no longer needs the rest, although it may still arrive. */
  readonly isReleased: () => boolean;
  /** Bytes received on the connection since the body began. */
  readonly wireBytes: () => number;
  /** The error of the HTTP parser in the middle of the body; the stream itself only reports that it was cut off. */
  readonly protocolError: () => Error | undefined;
}

/**
 * Maximum ratio of wire bytes to content. One-byte chunks take six times their content and much CPU time, and compressed
 * data can decompress to nothing.
 */
const MAX_WIRE_SHARE = 4;
const FREE_WIRE_BYTES = 1_000_000;

/** Yields bytes as they arrive. Destroys the connection if the reader stops early, unless the body was released. */
export async function* readBody(response: IncomingMessage, facts: BodyFacts): AsyncGenerator<Uint8Array> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const isPlain = encoding === 'identity';
  let length = 0;
  const checkYield = (): void => {
    if (facts.wireBytes() > MAX_WIRE_SHARE * length + FREE_WIRE_BYTES)
      throw tooLarge('almost no content for the bytes received');
  };
  const bytes = isPlain
    ? response.iterator({ destroyOnReturn: false })
    : await unpack(response, encoding, checkYield);
  try {
    for await (const piece of bytes) {
      length += piece.length;
      checkYield();
      yield piece;
    }
  } catch (error) {
    throw facts.protocolError() ?? error;
  } finally {
    if (!facts.isReleased()) response.destroy();
  }
}

/** Returns the response unchanged for an unknown encoding. */
async function unpack(
  response: IncomingMessage,
  encoding: string,
  onPiece: () => void,
): Promise<AsyncIterable<Uint8Array>> {
  const { pipeline } = await import('node:stream');
  const zlib = await import('node:zlib');
  // Pass data on immediately: an event stream has no end to wait for. A missing end is not an error here, since the
  // caller knows what a complete reply is.
  const flushing = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const flush = zlib.constants.BROTLI_OPERATION_FLUSH;
  const makers: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
    gzip: () => zlib.createGunzip(flushing),
    'x-gzip': () => zlib.createGunzip(flushing),
    deflate: () => zlib.createInflate(flushing),
    br: () => zlib.createBrotliDecompress({ flush, finishFlush: flush }),
    // A frame of a few bytes may demand a large window in memory: allow at most 8 MB (RFC 9659) instead of Node's 128.
    zstd: () =>
      zlib.createZstdDecompress({
        finishFlush: zlib.constants.ZSTD_e_flush,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 },
      }),
  };
  const make = makers[encoding];
  if (make === undefined) return response;
  async function* checked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      // Empty blocks decompress to nothing, so the reader would never see them.
      onPiece();
      yield piece;
    }
  }
  // Errors surface while reading the result.
  return pipeline(response, checked, make(), () => {}) as AsyncIterable<Uint8Array>;
}
