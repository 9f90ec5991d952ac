/**
 * Bounds what a Markdown parser spends on a text that nobody wrote for its layout: 100 kB of `_a_a_a…` took ten seconds,
 * on the screen and in an export. Pure; knows the parser by its shape alone.
 */

/** The parts of marked's tokenizer that look ahead or nest; each reads a token off the beginning of `source`, or nothing. */
export interface Reader {
  blockquote(source: string): object | undefined;
  list(source: string): object | undefined;
  emStrong(source: string, masked: string, before?: string): { readonly raw: string } | undefined;
  inlineText(source: string): object | undefined;
  url(source: string): object | undefined;
}

/** Characters that are looked through for emphasis in one text: a few milliseconds, and far more than prose needs. */
const MAX_CHARACTERS = 2_000_000;
/** Emphasis within emphasis, and quotes and lists within each other: more levels than anyone can see. */
const MAX_EMPHASIS_LEVELS = 10;
const MAX_BLOCK_LEVELS = 30;
/** No address of mail is longer (RFC 5321: 254), so further is not looked for its `@`. */
const MAX_MAIL = 300;
const LONG_WORD = new RegExp(`^\\S{${MAX_MAIL}}`);
/** What may begin something else than text. */
const MARK = /[\\\s<!&[\]`*_~@]|(?:https?|ftp):\/\/|www\./gi;

/**
 * The same tokenizer, for one text: what nests too deeply, and what comes once emphasis has cost too much, is characters,
 * and within a word of hundreds of characters text goes to the next mark.
 */
export function boundMarkdown<Tokenizer extends Reader>(tokenizer: Tokenizer): Tokenizer {
  const blockquote = tokenizer.blockquote.bind(tokenizer);
  const list = tokenizer.list.bind(tokenizer);
  const emStrong = tokenizer.emStrong.bind(tokenizer);
  const inlineText = tokenizer.inlineText.bind(tokenizer);
  const url = tokenizer.url.bind(tokenizer);
  let [left, emphasisLevel, blockLevel] = [MAX_CHARACTERS, 0, 0];
  const nested = (read: (source: string) => object | undefined, source: string): object | undefined => {
    if (blockLevel >= MAX_BLOCK_LEVELS) return undefined;
    blockLevel += 1;
    const token = read(source);
    blockLevel -= 1;
    return token;
  };
  return Object.assign(tokenizer, {
    blockquote: (source: string) => nested(blockquote, source),
    list: (source: string) => nested(list, source),
    emStrong(source: string, masked: string, before?: string) {
      if (!/^[*_]/.test(source) || left <= 0 || emphasisLevel >= MAX_EMPHASIS_LEVELS) return undefined;
      emphasisLevel += 1;
      const token = emStrong(source, masked, before);
      emphasisLevel -= 1;
      left -= token?.raw.length ?? source.length;
      return token;
    },
    inlineText(source: string) {
      if (!LONG_WORD.test(source)) return inlineText(source);
      MARK.lastIndex = 1;
      return inlineText(source.slice(0, MARK.exec(source)?.index));
    },
    url(source: string) {
      const isShort = !LONG_WORD.test(source) || /^(?:https?|ftp):|^www\./i.test(source);
      return url(isShort ? source : source.slice(0, MAX_MAIL));
    },
  });
}
