/**
 * Finds the files that a command names which was not understood: by its text, in every reading of its quotes. What it
 * misses does not matter, since a rule about files that may apply asks about such a command in any case. Pure.
 */

/** Longer words are no paths that systems support. */
const MAX_PATH = 4096;

interface TextPath {
  readonly word: string;
  readonly verb: 'read' | 'write';
}

/** A redirection that writes, with its target: `>| x`, `3>x`, `>& x`, `<>x`. */
const writing = /(?:\d+|\{\w+\})?(?:&>>?|<>|>&|>>|>)[|!]?\s*([^\s;&|<>()]+)/g;

/**
 * The words of the text that may be paths. A command between two separators is taken to write its files, unless it is
 * read-only on its own.
 */
export function pathsInText(command: string, isReadOnly: (segment: string) => boolean): readonly TextPath[] {
  const joined = command.replace(/\\\n/g, '');
  const targets = [joined, withoutQuotes(joined)].flatMap((text) =>
    [...text.matchAll(writing)].map(([, target = '']) => target),
  );
  const segments = joined.replace(writing, ' ').split(/[\n;&|(){}`]+/);
  return [
    ...targets.flatMap(wordsOf).map((word) => ({ word, verb: 'write' }) as const),
    ...segments.flatMap((segment) => {
      const words = textWordsOf(segment);
      const verb = words.length === 0 || isReadOnly(segment.trim()) ? 'read' : 'write';
      return words.map((word) => ({ word, verb }) as const);
    }),
    // Quotes may contain separators.
    ...textWordsOf(joined).map((word) => ({ word, verb: 'read' }) as const),
  ];
}

/** All words of a text, with quotes and without, and their pieces. */
export const textWordsOf = (text: string): readonly string[] => [
  ...new Set([text, withoutQuotes(text)].flatMap(wordsOf)),
];

export const withoutQuotes = (text: string): string => text.replace(/["'\\]/g, '');

const wordsOf = (text: string): readonly string[] =>
  text
    .split(/[\s"'`;&|<>()]+/)
    .flatMap((word) => [word, word.replace(/^-[A-Za-z]/, ''), ...word.split(/[:=@,{}[\]]+/)])
    .filter((word) => word !== '' && word.length < MAX_PATH);
