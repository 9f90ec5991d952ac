/** Instruction files as the model reads them, and as the log keeps them. */
import { createHash } from 'node:crypto';
import type { EntryDraft } from '../../protocol/entries.ts';
import { quotedName } from '../../protocol/quotedName.ts';

/** One instruction file as it was read; together they are a pinned block of the request. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
  /** SHA-256 of `text`, in hex. */
  readonly hash: string;
}

/** What has become of a file since it was last told of. */
export type InstructionChange = InstructionFile | { readonly path: string; readonly text: undefined };

/** The block as the model reads it; an empty string when there are no instructions. */
export function formatInstructions(files: readonly Pick<InstructionFile, 'path' | 'text'>[]): string {
  return files
    .map(({ path, text }) => `# Instructions from ${quotedName(path)}\n\n${text.trim()}`)
    .join('\n\n');
}

/** The entry that tells of one file: `data` has its path and, unless it is gone, its hash; empty when gone. */
export function instructionDraft(change: InstructionChange): EntryDraft {
  const isGone = change.text === undefined;
  return {
    type: 'user',
    subtype: 'instructions',
    message: { role: 'user', content: isGone ? '' : formatInstructions([change]) },
    data: isGone ? { path: change.path } : { path: change.path, hash: change.hash },
  };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
