/**
 * Tables at the end of an index by which git may find entries without reading all before them, in several threads
 * (`index.threads`). It trusts them, so an index can show one list of entries to git and another to a program that reads
 * it from the start. Pure. Source: gitformat-index, extensions.
 */

interface Block {
  /** Where its first entry starts. */
  readonly offset: number;
  /** Of entries. */
  readonly count: number;
}

interface Tables {
  /** Where the entries end; absent if the index does not say. */
  readonly end?: number;
  /** In order; empty if git reads all entries from the start. */
  readonly blocks: readonly Block[];
}

const HEADER_BYTES = 8;

export function indexTables(index: Buffer, hashBytes: number): Tables {
  // Git looks for it in this place only.
  const at = index.length - hashBytes - HEADER_BYTES - 4 - hashBytes;
  if (at < 0 || index.toString('latin1', at, at + 4) !== 'EOIE') return { blocks: [] };
  const end = index.readUInt32BE(at + HEADER_BYTES);
  const [table] = extensions(index, end, hashBytes).filter(({ name }) => name === 'IEOT');
  return { end, blocks: table === undefined ? [] : blocksIn(table.content) };
}

function blocksIn(table: Buffer): readonly Block[] {
  const count = Math.floor((table.length - 4) / 8);
  return Array.from({ length: Math.max(count, 0) }, (_, block) => ({
    offset: table.readUInt32BE(4 + block * 8),
    count: table.readUInt32BE(8 + block * 8),
  }));
}

interface Extension {
  readonly name: string;
  readonly content: Buffer;
}

/** `from`: where the entries end. */
export function extensions(index: Buffer, from: number, hashBytes: number): readonly Extension[] {
  const found: Extension[] = [];
  const last = index.length - hashBytes - HEADER_BYTES;
  for (let at = from; at <= last; ) {
    const next = at + HEADER_BYTES + index.readUInt32BE(at + 4);
    found.push({
      name: index.toString('latin1', at, at + 4),
      content: index.subarray(at + HEADER_BYTES, next),
    });
    at = next;
  }
  return found;
}
