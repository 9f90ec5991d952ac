/** The texts about rewinds: for the screen, the log and the model. */
import { oneLine } from '../../context/index.ts';
import type { PathChange, RestorePlan, RestoreStep } from '../../protocol/checkpoints.ts';
import type { NewEntry } from '../../protocol/entries.ts';
import { foldSteps, moreText } from '../../protocol/files/foldSteps.ts';
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
  const count = done.length === 1 ? '1 file changed on disk' : `${done.length} files changed on disk`;
  const notDone = left.length === 0 ? '' : `\nLeft unchanged:\n${listOf(left)}`;
  return `${what}${withFiles ? ` (${count})` : ''}.${notDone}`;
}

/** Explains why no file would be restored. `root`: the project's root. */
export function refusalText(plan: RestorePlan, root: string): string {
  const refused = refusedLines(plan, root);
  if (refused.length === 0) return 'Everything already matches that point.';
  return `Left unchanged:\n${listOf(refused)}`;
}

/** The paths that a plan leaves unchanged, each with its reason; of many alike, the first ones and their number. */
export function refusedLines({ steps }: RestorePlan, root: string): readonly string[] {
  const refused = steps.filter(({ action }) => action === 'refuse');
  return foldSteps(refused, root).map((row) =>
    row.type === 'more' ? `… and ${moreText(row)}` : `${row.step.path}: ${row.step.reason ?? ''}`,
  );
}

/** Joins these lines, up to a limit. */
export function boundedLines(lines: readonly string[]): string {
  return [...lines.slice(0, NAMED), ...moreLines(lines)].join('\n');
}

/** Lines of diffs in one review, and of each file's. */
const REVIEW_LINES = 200;
const DIFF_LINES = 40;

/** Shows what undoing a rewind would change on disk, and asks to repeat the command. */
export function undoReview(changes: readonly RestoreStep[], root: string): string {
  let left = REVIEW_LINES;
  const shown = foldSteps(changes, root).map((row) => {
    const { step } = row;
    if (row.type === 'more') return `- ${verbs[step.action]} ${moreText(row, quotedName)}`;
    const all = (step.diff ?? '').split('\n').filter((line) => line !== '' && !/^(---|\+\+\+) /.test(line));
    const lines = all.slice(0, Math.min(left, DIFF_LINES));
    left -= lines.length;
    const cut = all.length > lines.length ? [`… ${all.length - lines.length} more lines`] : [];
    return [`- ${stepText(step)}`, ...[...lines, ...cut].map((line) => `    ${line}`)].join('\n');
  });
  const count = changes.length === 1 ? '1 file' : `${changes.length} files`;
  return `That rewind was made before the program started. Undoing it changes ${count} on disk:\n${shown.join('\n')}\nRun /rewind undo again to do that.`;
}

const verbs: Readonly<Record<RestoreStep['action'], string>> = {
  create: 'creates',
  modify: 'changes',
  merge: 'changes',
  delete: 'deletes',
  mode: 'changes the permissions of',
  refuse: 'leaves',
  nothing: 'leaves',
};

function stepText({ action, path, added, removed, from, to }: RestoreStep): string {
  const lines = added + removed === 0 ? '' : ` (+${added} −${removed})`;
  const isExecutable = (state: RestoreStep['to']): boolean =>
    state?.type === 'file' && ((state.mode ?? 0) & 0o111) !== 0;
  const runs = isExecutable(to) && !isExecutable(from) ? ', executable' : '';
  const target = to?.type === 'link' ? `, a link to ${quotedName(to.target)}` : '';
  return `${verbs[action]} ${quotedName(path)}${lines}${runs}${target}`;
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
  return [...lines.slice(0, NAMED), ...moreLines(lines)].map((line) => `- ${line}`).join('\n');
}

function moreLines(lines: readonly string[]): readonly string[] {
  return lines.length > NAMED ? [`… and ${lines.length - NAMED} more`] : [];
}
