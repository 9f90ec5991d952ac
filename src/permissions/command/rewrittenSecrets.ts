/**
 * Secrets in code, documents and files found in a folder. Most are examples, so such files may be read, and what is found
 * in the output is redacted. It cannot be found in parts of lines, or in another form: a command line that prints one like
 * that asks, and so does one that prints an archive in another form.
 */
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { isStored } from '../lookups/credentialSettings.ts';
import type { Policy } from '../policy.ts';
import type { ReadOnlyUse } from '../readOnly/use.ts';
import type { Visit } from '../shell/workingDirectory.ts';
import { MAX_SEARCHED, type PartVerdict } from './partDecision.ts';
import { isNoFile, shownInTree } from './treeDecision.ts';

interface Part {
  readonly visit?: Visit;
  readonly verdict: PartVerdict;
}

/**
 * The first file with a secret among those that a command line names or finds, in any of these directories, if a part of
 * the line rewrites text. `name`: as the command line names it.
 */
export function rewrittenSecret(
  parts: readonly Part[],
  directories: readonly string[],
  policy: Policy,
): { readonly name: string; readonly verdict: PartVerdict } | undefined {
  if (!parts.some(isRewriting)) return undefined;
  const uses = parts.flatMap(({ verdict: { isApproved, basis, use } }) =>
    use === undefined || isApproved || basis === 'rule' ? [] : [use],
  );
  // Text that the shell inserts holds no binary data.
  const printsBinary =
    uses.some(({ rewrites }) => rewrites === true) && uses.some((use) => use.printsBinary === true);
  const name = directories
    .flatMap((directory) => uses.flatMap((use) => shownBy(use, directory, policy, printsBinary)))
    .find(({ paths }) => paths.some((path) => policy.holdsAnySecret?.(policy.realpath(path)) === true))?.name;
  if (name === undefined) return undefined;
  const reason = `${name} contains what looks like a secret, which could not be redacted in parts of lines or in another form.`;
  return { name, verdict: { behavior: 'ask', reason, cause: { type: 'limit', reason, isSecret: true } } };
}

/** The shell can take parts of the text that it inserts (`${x:0:9}`, `read -n 9`) or compare it. */
const isRewriting = ({ visit, verdict }: Part): boolean =>
  verdict.use?.rewrites === true ||
  visit?.part.runs?.some((run) => run.some(({ type }) => type === 'output')) === true;

interface ShownFiles {
  readonly name: string;
  readonly paths: readonly string[];
}

/** Files that a command finds in a folder. If it finds more, they are not searched: that would take too long. */
const MAX_FOUND = 20;

function shownBy(
  { contents, trees = [] }: ReadOnlyUse,
  directory: string,
  policy: Policy,
  printsBinary: boolean,
): readonly ShownFiles[] {
  const named = contents
    .filter((word) => !isNoFile(word))
    .map((name) => ({ name, paths: filesOf(locate(name, directory, policy), policy) }));
  const found = trees.map((tree) => {
    const all = shownInTree(tree, directory, policy);
    const stored = all.find(isStored);
    if (printsBinary && stored !== undefined) return { name: tree.path, paths: [stored] };
    const open = all.filter((path) => !isStored(path));
    return { name: tree.path, paths: open.length <= MAX_FOUND ? open : [] };
  });
  return [...named, ...found];
}

const filesOf = (path: string, policy: Policy): readonly string[] =>
  hasGlob(path) ? (policy.expandGlob(path) ?? []).slice(0, MAX_SEARCHED) : [path];
