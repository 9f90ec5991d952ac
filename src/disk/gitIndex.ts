/** Parses the files and submodules listed in a git index. Pure. */

/** The mode of a submodule entry. */
const GITLINK = 0xe000;
const FIXED_BYTES = 42;
/** Flag of an entry with extended flags. */
const EXTENDED = 0x4000;
/** An index with more entries is not read. */
const MAX_ENTRIES = 5_000_000;

/** Paths relative to the worktree. */
export interface IndexPaths {
  readonly files: readonly string[];
  readonly submodules: readonly string[];
}

/**
 * The tracked paths; undefined if the format is unknown, or the index shares its entries with another file.
 * `hashBytes`: 20, or 32 in a repository with SHA-256.
 */
export function indexPaths(index: Buffer, hashBytes: number): IndexPaths | undefined {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  if (version < 2 || version > 4 || count > MAX_ENTRIES) return undefined;
  const files: string[] = [];
  const submodules: string[] = [];
  let at = 12;
  let before = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry++) {
    const start = at;
    const flagsAt = start + FIXED_BYTES - 2 + hashBytes;
    if (flagsAt + 2 > index.length) return undefined;
    const mode = index.readUInt32BE(start + 24);
    at = flagsAt + ((index.readUInt16BE(flagsAt) & EXTENDED) === 0 ? 2 : 4);
    let kept = 0;
    if (version === 4) {
      const dropped = readVarint(index, at);
      if (dropped === undefined || dropped.value > before.length) return undefined;
      kept = before.length - dropped.value;
      at = dropped.next;
    }
    const end = index.indexOf(0, at);
    if (end === -1) return undefined;
    const path =
      version === 4
        ? Buffer.concat([before.subarray(0, kept), index.subarray(at, end)])
        : index.subarray(at, end);
    if (version === 4) before = Buffer.from(path);
    ((mode & 0xf000) === GITLINK ? submodules : files).push(path.toString('utf8'));
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  return sharesEntries(index, at, hashBytes) ? undefined : { files, submodules };
}

/** True if the index has a `link` extension: most entries are in another file. */
function sharesEntries(index: Buffer, from: number, hashBytes: number): boolean {
  for (let at = from; at + 8 <= index.length - hashBytes; at += 8 + index.readUInt32BE(at + 4))
    if (index.toString('latin1', at, at + 4) === 'link') return true;
  return false;
}

/** As in pack files: seven bits per byte, with an offset of one for each additional byte. */
function readVarint(
  buffer: Buffer,
  from: number,
): { readonly value: number; readonly next: number } | undefined {
  let value = 0;
  for (let at = from; at < buffer.length && at < from + 5; at++) {
    const byte = buffer[at] ?? 0;
    value = (at === from ? 0 : (value + 1) * 128) + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: at + 1 };
  }
  return undefined;
}
