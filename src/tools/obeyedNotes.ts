import type { Confinement } from '../protocol/sandbox.ts';

/** What a command has made or changed of the files that other programs obey, since the last call. */
export function obeyedNotes(confinement: Pick<Confinement, 'obeyedChanges'> | undefined): {
  readonly forModel: readonly string[];
  readonly forUser: readonly string[];
} {
  const paths = confinement?.obeyedChanges() ?? [];
  if (paths.length === 0) return { forModel: [], forUser: [] };
  const named = paths.join(', ');
  return {
    forModel: [`(It created or changed ${named}, which other programs run or obey.)`],
    forUser: [`changed what other programs run: ${named}`],
  };
}
