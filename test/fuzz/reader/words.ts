/** Random words of a command: file names, patterns, text, and words that a shell may expand. */
import { programText } from './programTexts.ts';
import type { Random } from './random.ts';
import { braces, commits, evil, files, patterns, texts, variables } from './wordTables.ts';

/** The kind of word expected in a position. */
export type WordKind = 'file' | 'text' | 'pattern' | 'number' | 'commit' | 'awk' | 'sed' | 'jq';

/** Generates words of all kinds. */
export interface Words {
  readonly variable: () => string;
  /** `word`, quoted in one of several ways or not at all. */
  readonly quote: (word: string) => string;
  readonly word: (kind: WordKind) => string;
  /** Text in which shells find something to execute or to expand. */
  readonly trap: () => string;
}

/** `inner` generates a command for a substitution. */
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
    // Joined without a space, words are one.
    if (chance(0.03)) return `${word(kind)}${pick(['', '', ',', ':', '=', '/'])}${word(kind)}`;
    if (chance(0.04)) return quote(pick(evil));
    if (chance(0.04)) return pick(braces);
    if (chance(0.06)) return chance(0.7) ? `"$${variable()}"` : `$${variable()}`;
    if (chance(0.02)) return `"$(${inner()})"`;
    if (chance(0.02)) return `<(${inner()})`;
    if (kind === 'file' && chance(0.12)) return plain.pattern();
    // Sometimes uses a different kind than expected: a program takes what it is given.
    return plain[chance(0.95) ? kind : pick(['file', 'text', 'pattern', 'commit'] as const)]();
  };
  return { variable, quote, word, trap: () => pick(evil) };
}
