/** Writes a git index as any program can: without git's checks. */
import { createHash } from 'node:crypto';

interface WrittenEntry {
  readonly path: string;
  /** Default: an ordinary file. */
  readonly mode?: number;
  /** Of the content; hexadecimal. */
  readonly id?: string;
  /** The length of the path that the entry states; default: the real one. */
  readonly length?: number;
  /** Of a conflict. */
  readonly stage?: number;
}

export const LINK_MODE = 0o120000;
export const FOLDER_MODE = 0o040000;

const NO_ID = '0123456789abcdef0123456789abcdef01234567';

/** `tail`: extensions. */
export function writtenIndex(entries: readonly WrittenEntry[], tail: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([
    header(entries.length),
    ...entries.map(({ path, mode = 0o100644, id = NO_ID, length, stage = 0 }) => {
      const name = Buffer.from(path);
      const fixed = Buffer.alloc(40);
      fixed.writeUInt32BE(mode, 24);
      const flags = Buffer.alloc(2);
      flags.writeUInt16BE((stage << 12) | (length ?? Math.min(name.length, 0xfff)));
      const entry = Buffer.concat([fixed, Buffer.from(id, 'hex'), flags, name]);
      return Buffer.concat([entry, Buffer.alloc(8 - (entry.length % 8))]);
    }),
    tail,
  ]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function header(count: number): Buffer {
  const start = Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1');
  start.writeUInt32BE(count, 8);
  return start;
}

/** An extension of an index. */
export function extension(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from(name), size, content]);
}

/** Numbers as an index stores them. */
export function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) buffer.writeUInt32BE(value, at * 4);
  return buffer;
}
