import { hasGlob } from '../files/globOverlap.ts';
import { eachUse } from './eachFile.ts';
import { type FoundFiles, mergeUses, type ReadOnlyUse } from './use.ts';

const alone =
  /^(?:-empty|-not|!|-o|-or|-a|-and|\(|\)|,|-prune|-print|-print0|-ls|-depth|-d|-mount|-xdev|-daystart|-readable|-writable|-executable|-true|-false|-quit|-noleaf)$/;
const withValue =
  /^-(?:i?name|i?path|i?wholename|i?lname|i?regex|regextype|type|xtype|maxdepth|mindepth|size|[amc]time|[amc]min|perm|user|group|uid|gid|links|inum|samefile|newer|anewer|cnewer|newer[aBcm][aBcmt]|printf)$/;
/** Tests that only narrow the search, as long as there is no "or" or "not". */
const narrowing =
  /^(?:-name|-type|-maxdepth|-mindepth|-size|-[amc]time|-[amc]min|-newer|-print0?|-empty|-path|-mount|-xdev)$/;

/** `find` without actions that delete or write. Commands it runs for the files must be read-only as well. */
export function findUse(args: readonly string[]): ReadOnlyUse | undefined {
  const found = readFind(args);
  if (found === undefined) return undefined;
  const { files, commands } = found;
  const listed: ReadOnlyUse = {
    contents: [],
    names: files.trees.map(({ path }) => path),
    printsNoText: true,
  };
  const uses = commands.map((command) => eachUse(command, files, { split: 'never', mayBeNone: false }));
  if (uses.some((use) => use === undefined)) return undefined;
  return mergeUses([listed, ...uses.filter((use) => use !== undefined)]);
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
  const trees = (places.length > 0 ? places : ['.']).map((path) => ({
    path,
    hidden: true,
    // Links are among the found names, and a program opens their targets.
    follows: true,
    ...(only && { only }),
  }));
  return { files: { trees, hasFolders: true, isBare: false, byNul }, commands };
}

/** The files whose names such a command prints, if it prints nothing else. */
export function printedByFind(args: readonly string[]): FoundFiles | undefined {
  const found = readFind(args);
  const prints = args.filter((word) => /^-(?:print.*|ls)$/.test(word));
  const isPlain = prints.length <= 1 && prints.every((word) => /^-print0?$/.test(word));
  return found?.commands.length === 0 && isPlain ? found.files : undefined;
}
