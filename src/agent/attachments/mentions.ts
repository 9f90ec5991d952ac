/** What a text names after `@`: files and folders, with lines. Pure. */

export interface Mention {
  /** As written, without quotes and lines. */
  readonly path: string;
  /** First and last line, from 1; absent = the whole file. */
  readonly lines?: { readonly first: number; readonly last: number };
}

/** A name in quotes may hold blanks. Not after a letter or digit: that is an address, such as me@example.org. */
const mention = /(?<![\w.+\-/@])@(?:"([^"\n]+)"(#L\d+(?:-L?\d+)?)?|([^\s"'`<>|]+))/g;

/** The mentions of a text, each once, in order. A name may still end in a sign of the sentence: see `spellings`. */
export function mentionsIn(text: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const [, quoted, quotedLines = '', bare] of text.matchAll(mention)) {
    const written = quoted === undefined ? (bare ?? '') : quoted + quotedLines;
    const one = withLines(written);
    // Without a letter or digit it is a sign, such as a lone `@.`.
    if (/[\p{L}\p{N}]/u.test(one.path)) found.set(written, one);
  }
  return [...found.values()];
}

/** The mention as written, then without the signs that may end a sentence. */
export function spellings(one: Mention): readonly Mention[] {
  const bare = one.path.replace(/[.,;:!?)\]}'"…]+$/, '');
  if (one.lines !== undefined || bare === one.path || bare === '') return [one];
  return [one, withLines(bare)];
}

/** Splits off `#L10` or `#L10-20`. */
function withLines(written: string): Mention {
  const [, path = '', first = '', last = first] = /^(.+?)#L(\d+)(?:-L?(\d+))?$/.exec(written) ?? [];
  if (path === '') return { path: written };
  const [from, to] = [Number(first), Number(last)];
  return from < 1 || to < from ? { path: written } : { path, lines: { first: from, last: to } };
}
