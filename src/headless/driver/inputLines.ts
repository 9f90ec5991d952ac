/** Splits standard input into lines of bounded length. */

export type InputLine =
  | { readonly type: 'line'; readonly text: string }
  /** The line is longer than allowed; nothing after it is read. */
  | { readonly type: 'too_long' };

/** Maximum bytes of one line: several images of the largest size that models accept, in base64. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Yields each line without its ending, also the last one if it has none; skips blank lines. */
export async function* inputLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<InputLine, void, undefined> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const take = (): InputLine | undefined => {
    const text = Buffer.concat(parts)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim();
    parts = [];
    bytes = 0;
    return text === '' ? undefined : { type: 'line', text };
  };
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(LINE_FEED, from);
      const part = chunk.subarray(from, at === -1 ? chunk.length : at);
      bytes += part.length;
      if (bytes > maxBytes) return yield { type: 'too_long' };
      parts.push(part);
      from += part.length + 1;
      if (at === -1) break;
      const line = take();
      if (line !== undefined) yield line;
    }
  }
  const last = take();
  if (last !== undefined) yield last;
}

const LINE_FEED = 0x0a;
