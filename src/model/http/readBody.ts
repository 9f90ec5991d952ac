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
  const encodings = encodingsOf(response);
  let length = 0;
  const checkYield = (bytes = facts.wireBytes()): void => {
    if (bytes > MAX_WIRE_SHARE * length + FREE_WIRE_BYTES)
      throw tooLarge('almost no content for the bytes received');
  };
  const bytes =
    encodings.length === 0
      ? response.iterator({ destroyOnReturn: false })
      : await unpack(response, encodings, checkYield);
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

/** In the order in which they were applied: RFC 9110, section 8.4. */
function encodingsOf({ headers }: IncomingMessage): readonly string[] {
  const names = (headers['content-encoding'] ?? '').toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
}

/** Returns the response unchanged for an unknown encoding. */
async function unpack(
  response: IncomingMessage,
  encodings: readonly string[],
  onPiece: (bytes?: number) => void,
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
  const [first, second, ...more] = encodings.toReversed().map((encoding) => makers[encoding]);
  const isKnown = first !== undefined && (encodings.length === 1 || second !== undefined);
  if (!isKnown || more.length > 0) return response;
  async function* checked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      // Empty blocks decompress to nothing, so the reader would never see them.
      onPiece();
      yield piece;
    }
  }
  // Errors surface while reading the result.
  const once = pipeline(response, checked, first(), () => {}) as AsyncIterable<Uint8Array>;
  if (second === undefined) return once;
  async function* counted(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const piece of once) {
      bytes += piece.length;
      onPiece(bytes);
      yield piece;
    }
  }
  // Some gateways compress a body again.
  return pipeline(counted(), second(), () => {}) as AsyncIterable<Uint8Array>;
}
