/**
 * A command that a rule allows in part runs in the user's own environment, in which git may fetch, run helpers, and
 * find programs in the project. So the parts that no rule allows must be safe there too; on their own, they run in the
 * environment of read-only commands (`tools/shell/childEnvironment.ts`).
 */

import { locate } from '../files/locate.ts';
import { type Policy, workspaceFolders } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import type { Visit } from '../shell/workingDirectory.ts';
import type { PartVerdict } from './partDecision.ts';

/** The verdict on a part in that environment. */
export function decideInUserEnvironment(
  { visit, verdict }: { readonly visit: Visit; readonly verdict: PartVerdict },
  policy: Policy,
): PartVerdict {
  if (verdict.behavior !== 'allow' || verdict.isApproved) return verdict;
  const { part, directories } = visit;
  const name = part.argv[0];
  if (name == null) return verdict;
  const own = policy.projectProgram(workspaceFolders(policy), name);
  if (own !== undefined) return ask(`${name} is ${own} in the PATH of a command that a rule allows.`);
  const { repositories = [] } = readOnlyUse(part) ?? {};
  const places = (directories ?? []).flatMap((directory) =>
    repositories.map((place) => locate(place, directory, policy)),
  );
  return places.some(policy.gitFetches)
    ? ask(`git may fetch missing objects for ${part.text}, since a rule allows another part of the command.`)
    : verdict;
}

/**
 * It has no cause, so it is a limit: the repository decides what would run, so the judge of mode `auto` cannot allow
 * it.
 */
const ask = (reason: string): PartVerdict => ({ behavior: 'ask', reason });
