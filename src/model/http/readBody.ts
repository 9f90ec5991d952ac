/** The body of an answer, also of one that a server packed though nobody had asked for it. */
import type { IncomingMessage } from 'node:http';

/** Bytes as they come. Left before its end, it is cut, unless it has been released. */
export async function* readBody(
  response: IncomingMessage,
  isReleased: () => boolean,
): AsyncGenerator<Uint8Array> {
  const packing = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const bytes =
    packing === 'identity' ? response.iterator({ destroyOnReturn: false }) : await unpack(response, packing);
  try {
    yield* bytes;
  } finally {
    if (!isReleased()) response.destroy();
  }
}

/** What names no packing that is known passes as it is. */
async function unpack(response: IncomingMessage, packing: string): Promise<AsyncIterable<Uint8Array>> {
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
    zstd: () => zlib.createZstdDecompress({ finishFlush: zlib.constants.ZSTD_e_flush }),
  };
  const make = makers[packing];
  // What breaks comes out of what is read.
  return make === undefined ? response : (pipeline(response, make(), () => {}) as AsyncIterable<Uint8Array>);
}
