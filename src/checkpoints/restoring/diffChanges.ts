import type { PathChange, RestoreStep } from '../../protocol/checkpoints.ts';
import { describePath } from '../words.ts';
import type { RestoreDeps } from './planRestore.ts';
import { byPath, sameState, spanning } from './states.ts';
import { makeStep } from './steps.ts';

/** What the changes come to, by path, from before the first to after the last; what came to nothing is left out. */
export async function diffChanges(
  changes: readonly PathChange[],
  deps: RestoreDeps,
): Promise<readonly RestoreStep[]> {
  const steps: RestoreStep[] = [];
  for (const [path, its] of byPath(changes)) {
    const [first, last] = [its[0], its.at(-1)];
    if (first === undefined || last === undefined) continue;
    const { before, after } = spanning(first, last);
    if (sameState(before, after)) continue;
    const load = (hash: string) => deps.blobs.read({ hash }).catch(() => undefined);
    steps.push(await makeStep(path, before, after, load, { name: describePath(deps.root, path) }));
    if (deps.pace.isDue()) await deps.pace.breathe();
  }
  return steps.sort((a, b) => (a.path < b.path ? -1 : 1));
}
