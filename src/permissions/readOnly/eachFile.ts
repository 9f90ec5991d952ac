/** Commands that other commands run for files they have found: each name is a word that is not known in advance. */
import { programUse } from './programs.ts';
import {
  type FoundFiles,
  type FoundWords,
  mergeUses,
  type ReadOnlyUse,
  type Tree,
  withUnknownWords,
} from './use.ts';

interface Insertion {
  readonly split: FoundWords['split'];
  /** True if the command also runs without any name. */
  readonly mayBeNone: boolean;
  /** True if it runs with one name at a time, in a loop that may change the folder between. */
  readonly isOne?: boolean;
}

/** Programs that print matches in files, or only numbers about them: judged like a search of the folder. */
const searching = /^(?:[ef]?grep|rg|ag|wc|cksum|\w*sum)$/;

/** Prefix of placeholder names that no file has, one for each name that is inserted. */
const FOUND = '\u0002';

/** The accesses of a command that receives the found names in place of `{}`. */
export function eachUse(
  command: readonly string[],
  found: FoundFiles,
  { split, mayBeNone, isOne = false }: Insertion,
): ReadOnlyUse | undefined {
  // A name could be parsed as an option or an assignment, unless it begins with a path such as `./x`.
  if (found.trees.some(({ path }) => /^[-+~]|^\w+(?:::\w+)?=/.test(path))) return undefined;
  // Nested commands, and names inside other words, are not supported.
  if (
    command.some((word) => word !== '{}' && word.includes('{}')) ||
    /^(?:git|set|command)$/.test(command[0] ?? '')
  )
    return undefined;
  const marks: string[] = [];
  const withNames = (count: number): readonly string[] =>
    command.flatMap((word, at) => {
      if (word !== '{}') return [word];
      const placeholders = Array.from({ length: count }, (_, index) => `${FOUND}${at}.${index}`);
      marks.push(...placeholders);
      return placeholders;
    });
  const [none, use, several] = [0, 1, isOne ? 1 : 2].map((count) => programUse(withNames(count)));
  if (use === undefined || several === undefined || (mayBeNone && none === undefined)) return undefined;
  const isFound = (path: string): boolean => path.startsWith(FOUND);
  // A name must be used as a file; it must not be anything else, such as a filter or a format.
  const files = [use, several].flatMap(({ contents, names, trees = [] }) => [
    ...contents,
    ...names,
    ...trees.map(({ path }) => path),
  ]);
  if (
    !marks.every((mark) => files.includes(mark)) ||
    files.some((path) => path.includes(FOUND) && !marks.includes(path))
  )
    return undefined;
  const own = (use.trees ?? []).filter(({ path }) => !isFound(path));
  const shown =
    marks.length > 0
      ? found.trees.map((tree) => ({
          ...accessed(tree, use, found, { split, isBare: found.isBare, isOne }),
          ...(!searching.test(command[0] ?? '') && { isNamed: true }),
        }))
      : [];
  const each = {
    ...use,
    contents: [...use.contents.filter((path) => !isFound(path)), ...(found.others ?? [])],
    names: use.names.filter((path) => !isFound(path)),
    trees: [...own, ...shown],
    ...withUnknownWords(use, FOUND),
  };
  return mayBeNone && none !== undefined ? mergeUses([each, none]) : each;
}

/** What a command with one of the names accesses of all found files. */
function accessed(tree: Tree, use: ReadOnlyUse, { hasFolders }: FoundFiles, words: FoundWords): Tree {
  const isFound = (path: string): boolean => path.startsWith(FOUND);
  const entersFolders = use.trees?.some(({ path }) => isFound(path)) === true;
  const { only, ...rest } = tree;
  return {
    ...rest,
    ...(!entersFolders && !use.contents.some(isFound) && { namesOnly: true }),
    ...(only && !(entersFolders && hasFolders) && { only }),
    ...(entersFolders && { entersFolders }),
    ...((words.isBare || words.split !== 'never') && { words }),
  };
}
