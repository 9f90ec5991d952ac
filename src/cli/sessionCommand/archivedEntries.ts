/** The entries of a compressed log, as they come out of it. */
import { createReadStream } from 'node:fs';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { parseLine } from '../../context/index.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';

/** Streams: memory does not grow with the session. Rejects for a file that is no archive. */
export async function* archivedEntries(file: string): AsyncGenerator<JSONLEntry> {
  const compressed = createReadStream(file);
  const plain = file.endsWith('.zst') ? createZstdDecompress() : createGunzip();
  compressed.on('error', (error) => plain.destroy(error));
  let pieces: Buffer[] = [];
  try {
    for await (const chunk of compressed.pipe(plain) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let feed = chunk.indexOf(10); feed !== -1; feed = chunk.indexOf(10, from)) {
        pieces.push(chunk.subarray(from, feed));
        yield* parseLine(Buffer.concat(pieces)).entries;
        pieces = [];
        from = feed + 1;
      }
      pieces.push(chunk.subarray(from));
    }
    yield* parseLine(Buffer.concat(pieces), false).entries;
  } finally {
    compressed.destroy();
    plain.destroy();
  }
}
