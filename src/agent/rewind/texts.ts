/** The texts about rewinds: for the screen, the log and the model. */
import { oneLine } from '../../context/index.ts';
import type { PathChange, RestorePlan } from '../../protocol/checkpoints.ts';
import type { NewEntry } from '../../protocol/entries.ts';
import type { RewindScope } from '../../protocol/ops.ts';
import { quotedName } from '../../protocol/text/visible.ts';

/** Maximum characters of a quoted prompt. */
const QUOTED = 60;
/** Maximum number of paths in one message. */
const NAMED = 20;

const subjects: Readonly<Record<RewindScope, string>> = {
  both: 'Conversation and files are',
  conversation: 'The conversation is',
  files: 'The files are',
};

const pronouns: Readonly<Record<RewindScope, string>> = {
  both: 'they were',
  conversation: 'it was',
  files: 'they were',
};

/** Describes a rewind; for example "The files are as they were before “fix the test”". */
export function rewindText(prompt: string, scope: RewindScope): string {
  return `${subjects[scope]} as ${pronouns[scope]} before “${oneLine(prompt, QUOTED)}”`;
}

/** Describes the undo of a rewind. */
export function undoText(conversation: boolean, files: boolean): string {
  const scope: RewindScope = conversation ? (files ? 'both' : 'conversation') : 'files';
  const subject = `${subjects[scope].charAt(0).toLowerCase()}${subjects[scope].slice(1)}`;
  return `Rewind undone: ${subject} as ${pronouns[scope]} before the rewind`;
}

/** Adds to `what` the number of changed paths and the list of those left unchanged, with reasons. */
export function restoredText({
  what,
  done,
  left,
  withFiles,
}: {
  readonly what: string;
  readonly done: readonly PathChange[];
  readonly left: readonly string[];
  readonly withFiles: boolean;
}): string {
  const count = done.length === 1 ? '1 path changed on disk' : `${done.length} paths changed on disk`;
  const notDone = left.length === 0 ? '' : `\nLeft unchanged:\n${listOf(left)}`;
  return `${what}${withFiles ? ` (${count})` : ''}.${notDone}`;
}

/** Explains why no file would be restored. */
export function refusalText({ steps }: RestorePlan): string {
  const refused = steps.filter(({ action }) => action === 'refuse');
  if (refused.length === 0) return 'Everything already matches that point.';
  return `Left unchanged:\n${listOf(refused.map(({ path, reason = '' }) => `${path}: ${reason}`))}`;
}

/** Builds the note that tells the model which files were restored while the conversation was kept. */
export function rewindNote(done: readonly PathChange[], to: 'earlier' | 'later'): NewEntry {
  const how =
    to === 'earlier'
      ? 'The user restored files to an earlier state; the conversation is unchanged.'
      : 'The user undid that: the files are again as they were before they were restored.';
  const paths = done.map(({ path, before, after }) => {
    const kind = after === undefined ? 'deleted' : before === undefined ? 'restored' : 'changed';
    return `${quotedName(path)} (${kind})`;
  });
  const content = `${how} On disk now:\n${listOf(paths)}\nRead a file again before you rely on its content.`;
  return {
    type: 'user',
    subtype: 'nudge',
    message: { role: 'user', content },
    data: { about: 'rewind' },
  };
}

function listOf(lines: readonly string[]): string {
  const more = lines.length > NAMED ? [`… and ${lines.length - NAMED} more`] : [];
  return [...lines.slice(0, NAMED), ...more].map((line) => `- ${line}`).join('\n');
}
