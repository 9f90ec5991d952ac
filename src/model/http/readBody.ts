/** The body of an answer, also of one that a server packed though nobody had asked for it. */
import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../replyBounds.ts';

export interface BodyFacts {
  /** Nobody wants the rest, which may come nevertheless. */
  readonly isReleased: () => boolean;
  /** Bytes of the connection since the body began. */
  readonly wireBytes: () => number;
  /** What the HTTP parser met in the middle of the body; the stream itself only says that it was cut. */
  readonly protocolError: () => Error | undefined;
}

/** Chunks of a byte each take six times the size of what is in them, and much time; packing may hold nothing at all. */
const MAX_WIRE_SHARE = 4;
const FREE_WIRE_BYTES = 1_000_000;

/** Bytes as they come. Left before its end, it is cut, unless it has been released. */
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

/** What names no packing that is known passes as it is. */
async function unpack(
  response: IncomingMessage,
  packing: string,
  onPiece: () => void,
): Promise<AsyncIterable<Uint8Array>> {
  const { pipeline } = await import('node:stream');
  const zlib = await import('node:zlib');
  // What is there is given out at once: a stream of events has no end to wait for. Nor is an end that is missing an
  // error here: whoever reads knows what a whole reply is.
  const soon = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const flush = zlib.constants.BROTLI_OPERATION_FLUSH;
  const makers: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
    gzip: () => zlib.createGunzip(soon),
    'x-gzip': () => zlib.createGunzip(soon),
    deflate: () => zlib.createInflate(soon),
    br: () => zlib.createBrotliDecompress({ flush, finishFlush: flush }),
    // The window is memory that a frame of a few bytes may demand: 8 MB at most (RFC 9659), not Node's 128.
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
      // Empty blocks unpack to nothing: nobody who reads would ever hear of them.
      onPiece();
      yield piece;
    }
  }
  // What breaks comes out of what is read.
  return pipeline(response, checked, make(), () => {}) as AsyncIterable<Uint8Array>;
}
