/** The permission question: its choices and answers, for the screen and for plain mode, and its key handling. Pure. */
import type { FormField } from '../../protocol/forms.ts';
import type { PermissionAnswer, PermissionQuestion, Preview } from '../../protocol/permissions.ts';
import { revealedNotice, revealLine } from '../../protocol/text/reveal.ts';
import { applyEdit, createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import type { DialogKey } from '../keys/keymap.ts';
import { shownLine } from '../print/sanitize.ts';
import { type Choice, choiceOfKey, movedChoice } from './choices.ts';
import { fieldInput, fieldText, pastedInto } from './field.ts';
import { isUnmeantKey, type StrayWord, typedBy } from './useAnswers.ts';

/** A choice and its answer. The last choice is "no". */
type PermissionChoice = Choice & { readonly answer: PermissionAnswer };

/**
 * True if a "no" may carry a comment, which the model reads. A question about the turn, or about a hook or a server, is
 * not the model's.
 */
export const takesComment = ({ tool }: PermissionQuestion): boolean => tool !== undefined;

/** The choices: yes, always (if a rule is suggested), always in the sandbox (if available), and no, which is last. */
export function permissionChoices(question: PermissionQuestion): readonly PermissionChoice[] {
  const { suggestion, canAutoAllow } = question;
  return [
    { label: 'Yes', letter: 'y', action: 'confirm:yes', answer: { behavior: 'allow' } },
    ...(suggestion === undefined
      ? []
      : [
          {
            label: oneRow(suggestion.label),
            ...(suggestion.detail === undefined ? {} : { detail: oneRow(suggestion.detail) }),
            letter: 'a',
            action: 'confirm:always',
            answer: { behavior: 'allow', remember: true },
          } as const,
        ]),
    ...(canAutoAllow === true
      ? [
          {
            label: 'Yes, and run every command in the sandbox without asking',
            detail: 'for this session; ask and deny rules still apply · see sandbox.autoAllow',
            letter: 's',
            action: 'confirm:sandbox',
            answer: { behavior: 'allow', autoAllow: true },
          } as const,
        ]
      : []),
    {
      label: takesComment(question) ? 'No, tell it what to do instead' : 'No',
      letter: 'n',
      action: 'confirm:no',
      answer: { behavior: 'deny' },
    },
  ];
}

/** A denial, with the user's comment if there is one. */
export function denial(comment = ''): PermissionAnswer {
  return comment.trim() === '' ? { behavior: 'deny' } : { behavior: 'deny', comment: comment.trim() };
}

/** The title of a form: what asks its questions. Not sanitized. */
export function formTitle({ from, headline }: PermissionQuestion): string {
  if (from === undefined) return headline ?? 'The model asks';
  return headline === undefined ? `Subagent ${from} asks` : `${headline} (subagent ${from})`;
}

/** Notice that the preview contains marked characters, or leaves some out; undefined if neither is the case. */
export function previewNotice(preview: Preview): string | undefined {
  const marked = revealedNotice(shownTexts(preview), preview.type === 'command');
  const hasPairs = preview.type === 'diff' && preview.endsLinesWithPairs === true;
  const all = [marked, hasPairs ? 'Lines end with CR LF, as on Windows.' : undefined];
  const notices = all.filter((notice) => notice !== undefined);
  return notices.length === 0 ? undefined : notices.join(' ');
}

/** The texts of a preview in which hidden characters are marked; a plan is prose and has none. */
function shownTexts(preview: Preview): readonly string[] {
  switch (preview.type) {
    case 'diff':
      // By line, as it is shown: carriage returns at the ends are marked.
      return [preview.path, ...preview.diff.split('\n')];
    case 'command':
      return [preview.command, preview.cwd, ...(preview.changed ?? [])];
    case 'paths':
      return preview.paths;
    case 'plan':
      return [];
    case 'form':
      return [preview.message ?? '', ...preview.fields.flatMap(fieldTexts)];
    case 'text':
      return [preview.text];
  }
}

function fieldTexts(field: FormField): readonly string[] {
  const options = field.type === 'choice' ? field.options : [];
  return [
    field.header,
    field.question,
    ...options.flatMap(({ label, description = '', preview = '' }) => [label, description, preview]),
  ];
}

/** The real path of the file, followed by the requested path if that is a link. */
export function pathText(path: string, realPath = path): string {
  if (realPath === path) return revealLine(path);
  return `${revealLine(realPath)}, through the link ${revealLine(path)}`;
}

/** The reason for the question: a single one as a sentence, several as list items. Sanitized. */
export function reasonItems(reason: string): readonly string[] {
  const all = reason.split('\n').filter((line) => line.trim() !== '');
  return all.map((line) => `${all.length === 1 ? '' : '- '}${shownLine(line)}`);
}

/** State of the dialog on the screen. */
interface PermissionState {
  readonly selected: number;
  /** First visible line of the preview. */
  readonly top: number;
  /** The comment for the model, while it is being written. */
  readonly comment: TextBuffer | undefined;
  /** The user was told that lines of the preview have not been on the screen. */
  readonly isWarned: boolean;
  /** How often approving has shown something instead. Keys in the meantime were pressed before it could be read. */
  readonly holds: number;
}

export const askedPermission: PermissionState = {
  selected: 0,
  top: 0,
  comment: undefined,
  isWarned: false,
  holds: 0,
};

interface PermissionPress {
  readonly question: PermissionQuestion;
  readonly choices: readonly PermissionChoice[];
  /** Number of lines of the preview, and how many of them are visible at once. */
  readonly previewLines: number;
  readonly previewRows: number;
  /** Lines of the preview that have been on the screen, from the first one on. */
  readonly seen: number;
  /** True if the dialog has room for the number of unseen lines. */
  readonly canWarn: boolean;
  /** True if the key was meant for the question, not typed ahead of it. */
  readonly counts: () => boolean;
  readonly stray: StrayWord;
}

/** Handles one key press: returns the next state, and the answer if the key gives one. */
export function pressPermission(
  state: PermissionState,
  key: DialogKey,
  press: PermissionPress,
): {
  readonly state: PermissionState;
  readonly answer?: PermissionAnswer;
  /** Text that was not meant for the question. */
  readonly unmeant?: string | undefined;
} {
  const { question, choices, previewLines, previewRows, counts, stray } = press;
  const { selected, comment } = state;
  const no = choices.length - 1;
  const action = key.type === 'action' ? key.name : undefined;
  const pages = action === 'confirm:pageUp' ? -1 : action === 'confirm:pageDown' ? 1 : 0;
  if (pages !== 0) {
    const lowest = Math.max(0, previewLines - previewRows);
    const top = Math.max(0, Math.min(state.top + pages * previewRows, lowest));
    return { state: { ...state, top, isWarned: false } };
  }
  const take = (index: number): ReturnType<typeof pressPermission> => {
    if (index === no && takesComment(question))
      return { state: { ...state, selected: no, comment: createBuffer() } };
    const answer = choices[index]?.answer ?? denial();
    const held = answer.behavior === 'allow' ? heldApproval(state, press) : undefined;
    return held === undefined ? { state, answer } : { state: held };
  };
  // A denial always counts; a key that could approve counts only if it was not typed ahead.
  const isTypedAhead = !counts();
  if (action === 'app:interrupt') return { state, answer: denial() };
  if (comment !== undefined) return pressInComment(state, comment, key);
  if (action === 'confirm:cancel') return { state, answer: denial() };
  if (isUnmeantKey(key, isTypedAhead, stray)) return { state, unmeant: typedBy(key) };
  const moved = movedChoice(selected, choices.length, key);
  if (moved !== undefined) return { state: { ...state, selected: moved } };
  if (action === 'confirm:comment') return takesComment(question) ? take(no) : { state };
  if (action === 'confirm:cycleMode')
    return acceptsEdits(question) ? take(choices.findIndex(isAlways)) : { state };
  if (action === 'confirm:accept') return take(selected);
  if (action === 'confirm:no') return { state, answer: denial() };
  const index = choiceOfKey(choices, key);
  // Choices with a lasting effect need Enter or their number, so that a stray letter cannot save a rule.
  if (index !== undefined && lasting.has(action)) return { state: { ...state, selected: index } };
  if (index !== undefined) return take(index);
  if (key.type !== 'text') return { state };
  stray.begin();
  return { state, unmeant: key.text };
}

/**
 * The effect of an approval while some of the preview has not been on the screen: it shows the next page or, if the
 * user may skim, says so once. Undefined if the user may approve.
 */
function heldApproval(
  state: PermissionState,
  { question, previewLines, previewRows, seen, canWarn }: PermissionPress,
): PermissionState | undefined {
  if (seen >= previewLines) return undefined;
  if (question.canSkim === true && canWarn)
    return state.isWarned ? undefined : { ...state, isWarned: true, holds: state.holds + 1 };
  const lowest = Math.max(0, previewLines - previewRows);
  return { ...state, top: Math.min(seen, lowest), holds: state.holds + 1 };
}

/** Inserts a paste into the comment if one is being written. */
export function withPasted(state: PermissionState, text: string): PermissionState {
  const { comment } = state;
  return comment === undefined ? state : { ...state, comment: pastedInto(comment, text) };
}

function pressInComment(
  state: PermissionState,
  comment: TextBuffer,
  key: DialogKey,
): ReturnType<typeof pressPermission> {
  if (key.type === 'edit') return { state: { ...state, comment: applyEdit(comment, key.edit) } };
  if (key.type === 'text')
    return {
      state: { ...state, comment: applyEdit(comment, { type: 'insert', text: fieldInput(key.text) }) },
    };
  if (key.type !== 'action') return { state };
  if (key.name === 'confirm:cancel') return { state: { ...state, comment: undefined } };
  return key.name === 'confirm:accept' ? { state, answer: denial(fieldText(comment)) } : { state };
}

/** True if "always" accepts edits from now on. */
export const acceptsEdits = ({ suggestion }: PermissionQuestion): boolean =>
  suggestion?.destination === 'mode' && suggestion.mode === undefined;

const isAlways = ({ action }: Choice): boolean => action === 'confirm:always';

const lasting: ReadonlySet<string | undefined> = new Set(['confirm:always', 'confirm:sandbox']);

const oneRow = (text: string): string => shownLine(text, text.includes('Bash('));
