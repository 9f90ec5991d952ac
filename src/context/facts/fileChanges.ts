import type { FileChange } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';

/** What became of one file over all its changes. */
export interface ChangedFile {
  /** Absolute path. */
  readonly path: string;
  /** As it stands after the last change: a file that was created and later changed is `created`. */
  readonly kind: FileChange['kind'];
  /** Of the last change. */
  readonly seq: number;
}

/** The files that successful results say were changed, oldest change first; each once, as it was left. `before` is what was known ahead of the entries. */
export function changedFiles(
  entries: readonly JSONLEntry[],
  before: readonly ChangedFile[] = [],
): ChangedFile[] {
  const files = new Map(before.map((file) => [file.path, file]));
  for (const { seq, toolResult } of entries) {
    for (const change of toolResult?.filesChanged ?? []) {
      const known = files.get(change.path);
      // Taken out and put in again: the order is that of the last change.
      files.delete(change.path);
      files.set(change.path, {
        path: change.path,
        kind: kindAfter(known?.kind, change.kind),
        seq,
      });
    }
  }
  return [...files.values()];
}

function kindAfter(before: FileChange['kind'] | undefined, now: FileChange['kind']): FileChange['kind'] {
  if (now === 'deleted' || before === undefined) return now;
  return before === 'created' ? 'created' : before === 'deleted' ? 'created' : now;
}
