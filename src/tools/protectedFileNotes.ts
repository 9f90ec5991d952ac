import type { Confinement } from '../protocol/sandbox.ts';

/**
 * Notes about files that other programs run or read as configuration and that a command created or changed since the
 * last call.
 */
export function protectedFileNotes(confinement: Pick<Confinement, 'changedProtectedFiles'> | undefined): {
  readonly forModel: readonly string[];
  readonly forUser: readonly string[];
} {
  const paths = confinement?.changedProtectedFiles() ?? [];
  if (paths.length === 0) return { forModel: [], forUser: [] };
  const named = paths.join(', ');
  return {
    forModel: [`(It created or changed ${named}, which other programs run or obey.)`],
    forUser: [`changed what other programs run: ${named}`],
  };
}
