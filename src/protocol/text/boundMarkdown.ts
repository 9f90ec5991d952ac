/**
 * Limits the time that a Markdown parser spends on adversarial text: 100 kB of `_a_a_a…` took ten seconds, on screen
 * and in an export. Pure; depends only on the parser's interface.
 */

/**
 * The methods of marked's tokenizer that look ahead or nest; each reads one token from the start of `source`, or none.
 */
interface Reader {
  blockquote(source: string): object | undefined;
  list(source: string): object | undefined;
  emStrong(source: string, masked: string, before?: string): { readonly raw: string } | undefined;
  inlineText(source: string): object | undefined;
  url(source: string): object | undefined;
}

/** Maximum characters searched for emphasis per text: takes a few milliseconds, and far exceeds what prose needs. */
const MAX_CHARACTERS = 2_000_000;
/** Nesting limits for emphasis, and for quotes and lists: more levels than are readable. */
const MAX_EMPHASIS_LEVELS = 10;
const MAX_BLOCK_LEVELS = 30;
/** Maximum length of an email address (RFC 5321: 254), and so of the search for its `@`. */
const MAX_MAIL = 300;
const LONG_WORD = new RegExp(`^\\S{${MAX_MAIL}}`);
/** Characters that may start something other than plain text. */
const MARK = /[\\\s<!&[\]`*_~@]|(?:https?|ftp):\/\/|www\./gi;

/**
 * Wraps the tokenizer for one text. Beyond the nesting limits, or once emphasis has cost too much, marks count as plain
 * characters; within a word of hundreds of characters, text extends to the next mark.
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
