/**
 * Finds the files named in a command that was not understood, from its text and in every reading of its quotes. Missing
 * some does not matter, since any rule about files that may apply asks about such a command anyway. Pure.
 */

/** Systems do not support longer paths. */
const MAX_PATH = 4096;

interface TextPath {
  readonly word: string;
  readonly verb: 'read' | 'write';
}

/** A redirection that writes, with its target: `>| x`, `3>x`, `>& x`, `<>x`. */
const writing = /(?:\d+|\{\w+\})?(?:&>>?|<>|>&|>>|>)[|!]?\s*([^\s;&|<>()]+)/g;

/** In longer commands, segments are not checked separately, and every word counts as read: rules about edits ask. */
export const MAX_JUDGED = 4000;

/**
 * The words of the text that may be paths. A command between two separators is assumed to write its files, unless it is
 * read-only on its own.
 */
export function pathsInText(command: string, isReadOnly: (segment: string) => boolean): readonly TextPath[] {
  const joined = command.replace(/\\\n/g, '');
  const verbs = new Map<string, TextPath['verb']>();
  const add = (words: readonly string[], verb: TextPath['verb']): void => {
    for (const word of words) if (verbs.get(word) !== 'write') verbs.set(word, verb);
  };
  if (joined.length <= MAX_JUDGED) {
    for (const text of [joined, withoutQuotes(joined)])
      for (const [, target = ''] of text.matchAll(writing)) add(wordsOf(target), 'write');
    const segments = joined.replace(writing, ' ').split(/[\n;&|(){}`]+/);
    for (const segment of new Set(segments.map((one) => one.trim()))) {
      const words = textWordsOf(segment);
      if (words.length > 0) add(words, isReadOnly(segment) ? 'read' : 'write');
    }
  }
  // Quotes may contain separators.
  add(textWordsOf(joined), 'read');
  return [...verbs].map(([word, verb]) => ({ word, verb }));
}

/** All words of a text, with and without quotes, and their pieces. */
export const textWordsOf = (text: string): readonly string[] => [
  ...new Set([text, withoutQuotes(text)].flatMap(wordsOf)),
];

export const withoutQuotes = (text: string): string => text.replace(/["'\\]/g, '');

const wordsOf = (text: string): readonly string[] =>
  text
    .split(/[\s"'`;&|<>()]+/)
    .flatMap((word) => [word, word.replace(/^-[A-Za-z]/, ''), ...word.split(/[:=@,{}[\]]+/)])
    .filter((word) => word !== '' && word.length < MAX_PATH);
