/** Where the shell is, for the end of a summary: the results that told of a `cd` go with what it stands for. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { headerOf } from '../sessionDrafts.ts';

/**
 * One line about the shell and the paths of a summary; empty where both are at the project's `root` and the model
 * was never told anything else. `shell` and `root` are absolute, `entries` those that count.
 */
export function shellPlace(entries: readonly JSONLEntry[], shell: string, root: string): string {
  if (shell === root && !toldElsewhere(entries, root)) return '';
  // A name may hold a line end, and must not begin a line of its own.
  return `The shell is in ${shell}: tools resolve relative paths there. Paths in this summary are relative to ${root}.`.replace(
    /[\n\r]/g,
    '?',
  );
}

/** Whether the header, a note of the environment or an earlier summary placed the shell elsewhere than at `root`. */
function toldElsewhere(entries: readonly JSONLEntry[], root: string): boolean {
  const { directory = root } = headerOf(entries)?.environment ?? {};
  return (
    directory !== root ||
    entries.some(
      ({ subtype, isCompactSummary, cwd }) =>
        (subtype === 'environment' || isCompactSummary === true) && cwd !== root,
    )
  );
}
