/** Pointers as the model writes them. */

export type Pointer =
  | { readonly type: 'entry'; readonly seq: number }
  /** Both ends belong to it. */
  | { readonly type: 'range'; readonly from: number; readonly to: number }
  /** The beginning of a SHA-256 in lower-case hex. */
  | { readonly type: 'hash'; readonly prefix: string };

/** Hex digits that a hash pointer needs at least. */
export const MIN_HASH_DIGITS = 8;

/** Reads `#12`, `#12-#40`, `#12-40`, a hash prefix, each also in quotes or brackets; undefined for anything else. */
export function parsePointer(text: string): Pointer | undefined {
  const bare = text.slice(0, MAX_CHARACTERS).replace(/^[\s"'`([{]+|[\s"'`)\]}.,;:]+$/g, '');
  const range = /^#(\d{1,12})\s*(?:-|–|\.\.\.?|to)\s*#?(\d{1,12})$/.exec(bare);
  if (range !== null) {
    const [a, b] = [Number(range[1]), Number(range[2])];
    return { type: 'range', from: Math.min(a, b), to: Math.max(a, b) };
  }
  const entry = /^(?:#(\d{1,12})|(\d{1,7}))$/.exec(bare);
  if (entry !== null) return { type: 'entry', seq: Number(entry[1] ?? entry[2]) };
  if (/^[0-9a-f]{8,64}$/i.test(bare)) return { type: 'hash', prefix: bare.toLowerCase() };
  return undefined;
}

const MAX_CHARACTERS = 200;
