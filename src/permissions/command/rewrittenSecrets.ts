/**
 * Secrets in code and documents. Most are examples, so such files may be read, and what is found in the output is
 * redacted. It cannot be found in parts of lines, or in another form: a command line that prints one like that asks.
 */
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import type { Policy } from '../policy.ts';
import type { ReadOnlyUse } from '../readOnly/use.ts';
import type { Visit } from '../shell/workingDirectory.ts';
import { MAX_SEARCHED, type PartVerdict } from './partDecision.ts';
import { isNoFile } from './treeDecision.ts';

interface Part {
  readonly visit?: Visit;
  readonly verdict: PartVerdict;
}

/**
 * The first file with a secret among those that a command line names, in any of these directories, if a part of the line
 * rewrites text. `name`: as the command line names it.
 */
export function rewrittenSecret(
  parts: readonly Part[],
  directories: readonly string[],
  policy: Policy,
): { readonly name: string; readonly verdict: PartVerdict } | undefined {
  if (!parts.some(isRewriting)) return undefined;
  const names = parts.flatMap(({ verdict: { isApproved, basis, use } }) =>
    use === undefined || isApproved || basis === 'rule' ? [] : namedBy(use),
  );
  const name = [...new Set(names)].find((word) =>
    directories
      .flatMap((directory) => filesOf(locate(word, directory, policy), policy))
      .some((path) => policy.codeHoldsSecret?.(policy.realpath(path)) === true),
  );
  if (name === undefined) return undefined;
  const reason = `${name} contains what looks like a secret, which could not be redacted in parts of lines or in another form.`;
  return { name, verdict: { behavior: 'ask', reason, cause: { type: 'limit', reason, isSecret: true } } };
}

/** The shell can take parts of the text that it inserts (`${x:0:9}`, `read -n 9`) or compare it. */
const isRewriting = ({ visit, verdict }: Part): boolean =>
  verdict.use?.rewrites === true ||
  visit?.part.runs?.some((run) => run.some(({ type }) => type === 'output')) === true;

const namedBy = ({ contents, trees = [] }: ReadOnlyUse): readonly string[] =>
  [...contents, ...trees.map(({ path }) => path)].filter((word) => !isNoFile(word));

const filesOf = (path: string, policy: Policy): readonly string[] =>
  hasGlob(path) ? (policy.expandGlob(path) ?? []).slice(0, MAX_SEARCHED) : [path];
