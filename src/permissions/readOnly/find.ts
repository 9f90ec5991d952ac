import { hasGlob } from '../files/globOverlap.ts';
import type { Argument } from '../shell/wordValues.ts';
import { programUse } from './programs.ts';
import { mergeUses, type ReadOnlyUse, type Tree } from './use.ts';

const alone =
  /^(?:-empty|-not|!|-o|-or|-a|-and|\(|\)|,|-prune|-print|-print0|-ls|-depth|-d|-mount|-xdev|-daystart|-readable|-writable|-executable|-true|-false|-quit|-noleaf)$/;
const withValue =
  /^-(?:i?name|i?path|i?wholename|i?lname|i?regex|regextype|type|xtype|maxdepth|mindepth|size|[amc]time|[amc]min|perm|user|group|uid|gid|links|inum|newer|anewer|cnewer|newer[aBcm][aBcmt]|printf)$/;
/** Tests that only narrow the search, as long as there is no "or" or "not". */
const narrowing =
  /^(?:-name|-type|-maxdepth|-mindepth|-size|-[amc]time|-[amc]min|-newer|-print0?|-empty|-path|-mount|-xdev)$/;

/** Prefix of placeholder names that no file has, one for each name that `find` inserts. */
const FOUND = '\u0002';

interface FoundFiles {
  /** Where the search starts; every printed name begins with one of these. */
  readonly places: readonly string[];
  /** The patterns that every name matches. */
  readonly only: readonly string[] | undefined;
  /** Each name ends with a NUL instead of a line feed. */
  readonly byNul: boolean;
}

/** `find` without actions that delete or write. Commands it runs for the files must be read-only as well. */
export function findUse(args: readonly string[]): ReadOnlyUse | undefined {
  const found = readFind(args);
  if (found === undefined) return undefined;
  const { files, commands } = found;
  const listed: ReadOnlyUse = { contents: [], names: files.places };
  const uses = commands.map((command) => eachUse(command, files, { isSplit: false, mayBeNone: false }));
  if (uses.some((use) => use === undefined)) return undefined;
  return mergeUses([listed, ...uses.filter((use) => use !== undefined)]);
}

/** The accesses of a command that receives the found names in place of `{}`. */
function eachUse(
  command: readonly string[],
  found: FoundFiles,
  /** Whether the names are split at spaces, and whether the command also runs without any. */
  { isSplit, mayBeNone }: { readonly isSplit: boolean; readonly mayBeNone: boolean },
): ReadOnlyUse | undefined {
  // A name could be parsed as an option, unless it begins with a path such as `./x`.
  if (found.places.some((place) => /^[-~]/.test(place))) return undefined;
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
  const [none, use, several] = [0, 1, 2].map((count) => programUse(withNames(count)));
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
    files.some((path) => !isFound(path) && path.includes(FOUND))
  )
    return undefined;
  const trees = [
    ...use.contents.map((path) => ({ path, hidden: true, follows: false })),
    ...(use.trees ?? []),
  ];
  const ofFound = trees.filter(({ path }) => isFound(path));
  const rest = {
    ...use,
    contents: use.contents.filter((path) => !isFound(path)),
    names: use.names.filter((path) => !isFound(path)),
  };
  const isShown = ofFound.length > 0;
  const isWhole = use.trees?.some(({ path }) => isFound(path)) === true;
  const shown: Tree[] =
    marks.length > 0
      ? found.places.map((path) => ({
          path,
          hidden: true,
          // The program opens the target of a found link.
          follows: true,
          ...(!isShown && { namesOnly: true }),
          ...(found.only && !isWhole && { only: found.only }),
        }))
      : [];
  const named: Tree[] = isSplit
    ? found.places.map((path) => ({ path, hidden: true, follows: false, only: [], plainNames: true }))
    : [];
  const each = { ...rest, trees: [...trees.filter(({ path }) => !isFound(path)), ...shown, ...named] };
  return mayBeNone && none !== undefined ? mergeUses([each, none]) : each;
}

/** The found files, and the commands that are run for them; undefined if not understood. */
function readFind(
  args: readonly string[],
): { readonly files: FoundFiles; readonly commands: readonly (readonly string[])[] } | undefined {
  let at = 0;
  // -L and -follow follow links anywhere.
  while (/^-[HP]$/.test(args[at] ?? '')) at += 1;
  const places: string[] = [];
  for (; at < args.length && !/^(?:-.|[!(,)])/.test(args[at] ?? ''); at += 1) places.push(args[at] ?? '');
  const commands: (readonly string[])[] = [];
  const names: string[] = [];
  let isNarrow = true;
  let byNul = false;
  // A name test after `-exec` or `-print` restricts nothing.
  let hasActed = false;
  for (; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '-exec') {
      const end = args.findIndex(
        (one, index) => index > at && (one === ';' || (one === '+' && args[index - 1] === '{}')),
      );
      const command = args.slice(at + 1, end);
      if (end === -1 || command.length === 0) return undefined;
      commands.push(command);
      hasActed = true;
      at = end;
      continue;
    }
    if (word === '-print0') byNul = true;
    if (/^-print/.test(word)) hasActed = true;
    if (!narrowing.test(word)) isNarrow = false;
    if (withValue.test(word)) {
      at += 1;
      const value = args[at];
      if (value === undefined) return undefined;
      if (word === '-name' && !hasActed) names.push(value);
    } else if (!alone.test(word)) return undefined;
  }
  // Every name has to match every pattern, so the first one is sufficient.
  const [name] = names;
  const only = isNarrow && name !== undefined && (hasGlob(name) || name !== '') ? [name] : undefined;
  return { files: { places: places.length > 0 ? places : ['.'], only, byNul }, commands };
}

/**
 * `find … | xargs wc -l`: the added words are names of files that can be checked in advance. With `-0` they are used
 * verbatim; without it, only if no name contains spaces, quotes or backslashes.
 */
export function xargsUse(
  args: readonly string[],
  input: readonly Argument[] | undefined,
): ReadOnlyUse | undefined {
  const [first, ...source] = (input ?? []).map((word) => (word.type === 'text' ? word.text : undefined));
  if (first !== 'find' || source.includes(undefined)) return undefined;
  const found = readFind(source.map((word) => word ?? ''));
  if (found === undefined) return undefined;
  // It must print the names and nothing else.
  const prints = source.filter((word) => /^-(?:print.*|ls)$/.test(word ?? ''));
  if (found.commands.length > 0 || prints.length > 1 || prints.includes('-printf') || prints.includes('-ls'))
    return undefined;
  let at = 0;
  let byNul = false;
  for (; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (/^(?:-0|--null)$/.test(word)) byNul = true;
    else if (/^-[nP]$/.test(word) && /^\d+$/.test(args[at + 1] ?? '')) at += 1;
    else if (!/^(?:-r|--no-run-if-empty|-[nP]\d+)$/.test(word)) break;
  }
  const command = args.slice(at);
  if (command.length === 0 || byNul !== found.files.byNul || command.includes('{}')) return undefined;
  if (command[0]?.startsWith('-') === true) return undefined;
  return eachUse([...command, '{}'], found.files, { isSplit: !byNul, mayBeNone: true });
}
