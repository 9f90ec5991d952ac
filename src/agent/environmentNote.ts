/** The note that tells the model of its surroundings again. It stays in the conversation, so it says when it was true. */
import type { EntryDraft } from '../protocol/entries.ts';
import { quotedName } from '../protocol/quotedName.ts';

/** What a note is made from. */
export interface EnvironmentNews {
  readonly occasion: 'resuming' | 'going back';
  readonly now: Date;
  /** As `environmentBlock` writes it. */
  readonly block: string;
  /** Where the shell is: absolute. */
  readonly shell: string;
}

/** The entry of a note. It names the shell's directory where that is not the working directory of the block. */
export function environmentNote({ occasion, now, block, shell }: EnvironmentNews): EntryDraft {
  const place =
    directoryOf(block) === `${DIRECTORY}${quotedName(shell)}`
      ? ''
      : `\n\nThe shell was in ${quotedName(shell)}, where tools resolve relative paths.`;
  const content = `On ${occasion} (${minuteOf(now)}) the environment was:\n\n${block}${place}`;
  return {
    type: 'user',
    subtype: 'environment',
    message: { role: 'user', content },
    data: { block, ...(occasion === 'going back' ? { about: 'rewind' } : {}) },
  };
}

const DIRECTORY = 'Working directory: ';

/** The line that names the working directory. */
export function directoryOf(block: string | undefined): string | undefined {
  return block?.split('\n').find((line) => line.startsWith(DIRECTORY));
}

/** Local time. */
function minuteOf(now: Date): string {
  const pad = (part: number): string => String(part).padStart(2, '0');
  const day = `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
  return `${day} ${pad(now.getHours())}:${pad(now.getMinutes())}`;
}
