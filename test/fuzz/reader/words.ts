/** Random words of a command: names of files, patterns, text, and what a shell may make something else of. */
import { programText } from './programTexts.ts';
import type { Random } from './random.ts';
import { braces, commits, evil, files, patterns, texts, variables } from './wordTables.ts';

/** What is expected in the place of a word. */
export type WordKind = 'file' | 'text' | 'pattern' | 'number' | 'commit' | 'awk' | 'sed' | 'jq';

/** Makes words of all kinds. */
export interface Words {
  readonly variable: () => string;
  /** `word` in one of the ways to quote it, or as it is. */
  readonly quote: (word: string) => string;
  readonly word: (kind: WordKind) => string;
  /** Text in which shells find something to run or to replace. */
  readonly trap: () => string;
}

/** `inner` makes a command for a substitution. */
export function wordsFrom(random: Random, inner: () => string): Words {
  const { below, chance, pick } = random;
  const quote = (word: string): string => {
    switch (below(10)) {
      case 0:
        return `'${word.replaceAll("'", "'\\''")}'`;
      case 1:
        return `"${word}"`;
      case 2:
        return word.replace(/[^\w./-]/g, '\\$&');
      case 3:
        return word.length > 1 ? `${word.slice(0, 1)}"${word.slice(1)}"` : `"${word}"`;
      case 4:
        return chance(0.2) ? `$'${word}'` : word;
      case 5:
        return /[^\w./-]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : word;
      default:
        return word;
    }
  };
  const variable = (): string => pick(variables);
  const plain: Readonly<Record<'file' | 'text' | 'pattern' | 'number' | 'commit', () => string>> = {
    file: () => quote(pick(files)),
    text: () => quote(pick(texts)),
    pattern: () => (chance(0.85) ? pick(patterns) : quote(pick(patterns))),
    number: () => String(pick([0, 1, 2, 5, 10, 100])),
    commit: () => quote(pick(commits)),
  };
  const word = (kind: WordKind): string => {
    if (kind === 'awk' || kind === 'sed' || kind === 'jq') return programText(random, kind);
    // Glued together, words are one.
    if (chance(0.03)) return `${word(kind)}${pick(['', '', ',', ':', '=', '/'])}${word(kind)}`;
    if (chance(0.04)) return quote(pick(evil));
    if (chance(0.04)) return pick(braces);
    if (chance(0.06)) return chance(0.7) ? `"$${variable()}"` : `$${variable()}`;
    if (chance(0.02)) return `"$(${inner()})"`;
    if (chance(0.02)) return `<(${inner()})`;
    if (kind === 'file' && chance(0.12)) return plain.pattern();
    // A program takes what it is given: now and then something else than it expects.
    return plain[chance(0.95) ? kind : pick(['file', 'text', 'pattern', 'commit'] as const)]();
  };
  return { variable, quote, word, trap: () => pick(evil) };
}
