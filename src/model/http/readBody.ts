/** Reads the body of an answer, decompressing it even if no compression was requested. */
import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../replyBounds.ts';

interface BodyFacts {
  /** True if the rest is not wanted, although it may still arrive. */
  readonly isReleased: () => boolean;
  /** Bytes received on the connection since the body began. */
  readonly wireBytes: () => number;
  /** The error of the HTTP parser in the middle of the body; the stream itself only reports that it was cut off. */
  readonly protocolError: () => Error | undefined;
}

/**
 * Maximum ratio of wire bytes to content: chunks of one byte take six times their content and much time, and compressed
 * data can be empty.
 */
const MAX_WIRE_SHARE = 4;
const FREE_WIRE_BYTES = 1_000_000;

/** Yields bytes as they arrive. Destroys the connection if the reader stops early, unless the body was released. */
export async function* readBody(response: IncomingMessage, facts: BodyFacts): AsyncGenerator<Uint8Array> {
  const packing = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const isPlain = packing === 'identity';
  let length = 0;
  const checkYield = (): void => {
    if (facts.wireBytes() > MAX_WIRE_SHARE * length + FREE_WIRE_BYTES)
      throw tooLarge('next to nothing in all the bytes that came');
  };
  const bytes = isPlain
    ? response.iterator({ destroyOnReturn: false })
    : await unpack(response, packing, checkYield);
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
  packing: string,
  onPiece: () => void,
): Promise<AsyncIterable<Uint8Array>> {
  const { pipeline } = await import('node:stream');
  const zlib = await import('node:zlib');
  // Pass on data at once: an event stream has no end to wait for. A missing end is not an error here either, since the
  // caller knows what a complete reply is.
  const soon = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const flush = zlib.constants.BROTLI_OPERATION_FLUSH;
  const makers: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
    gzip: () => zlib.createGunzip(soon),
    'x-gzip': () => zlib.createGunzip(soon),
    deflate: () => zlib.createInflate(soon),
    br: () => zlib.createBrotliDecompress({ flush, finishFlush: flush }),
    // A frame of a few bytes may demand a large window in memory: allow at most 8 MB (RFC 9659) instead of Node's 128.
    zstd: () =>
      zlib.createZstdDecompress({
        finishFlush: zlib.constants.ZSTD_e_flush,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 },
      }),
  };
  const make = makers[packing];
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
