/** May this call run? What is asked and what each answer is, for the screen and for lines; and what a key does. Pure. */
import type { PermissionAnswer, PermissionQuestion, Preview } from '../../protocol/permissions.ts';
import { applyEdit, createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import type { DialogKey } from '../keys/keymap.ts';
import { reveal, revealedNotice, revealLine, sanitizeLine } from '../print/sanitize.ts';
import { type Choice, choiceOfKey, movedChoice } from './choices.ts';
import { fieldInput, fieldText } from './field.ts';
import type { StrayWord } from './useAnswers.ts';

/** A choice, and the answer that it gives; of the last one, no, the words of the user are part of the answer. */
export type PermissionChoice = Choice & { readonly answer: PermissionAnswer };

/** What can be answered: yes, always where a rule is proposed, always in the sandbox, no. The last one is no. */
export function permissionChoices({
  suggestion,
  canAutoAllow,
}: PermissionQuestion): readonly PermissionChoice[] {
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
      label: 'No, tell it what to do instead',
      letter: 'n',
      action: 'confirm:no',
      answer: { behavior: 'deny' },
    },
  ];
}

/** A no, with what to do instead where the user says so. */
export function denial(comment = ''): PermissionAnswer {
  return comment.trim() === '' ? { behavior: 'deny' } : { behavior: 'deny', comment: comment.trim() };
}

/** Says that characters of the preview are marked; undefined where none is. */
export function previewNotice(preview: Preview): string | undefined {
  return revealedNotice(shownTexts(preview), preview.type === 'command');
}

/** What is shown of a preview with everything revealed; a plan is prose. */
function shownTexts(preview: Preview): readonly string[] {
  switch (preview.type) {
    case 'diff':
      return [preview.path, preview.diff];
    case 'command':
      return [preview.command, preview.cwd];
    case 'paths':
      return preview.paths;
    case 'plan':
      return [];
    case 'text':
      return [preview.text];
  }
}

/** The file that is meant and, where it is reached by a link, the path that was asked for. */
export function pathWords(path: string, realPath = path): string {
  if (realPath === path) return revealLine(path);
  return `${revealLine(realPath)}, through the link ${revealLine(path)}`;
}

/** Why it is asked: one reason as a sentence, several as items of a list; safe to show. */
export function reasonItems(reason: string): readonly string[] {
  const all = reason.split('\n').filter((line) => line.trim() !== '');
  return all.map((line) => `${all.length === 1 ? '' : '- '}${sanitizeLine(reveal(line))}`);
}

/** The dialog on the screen. */
export interface PermissionState {
  readonly selected: number;
  /** First visible line of the preview. */
  readonly top: number;
  /** The comment for the model, while it is being written. */
  readonly comment: TextBuffer | undefined;
}

export const askedPermission: PermissionState = { selected: 0, top: 0, comment: undefined };

export interface PermissionPress {
  readonly choices: readonly PermissionChoice[];
  /** Lines of the preview, and how many of them are visible at once. */
  readonly previewLines: number;
  readonly previewRows: number;
  /** Whether the key was meant for the question: not typed ahead of it. */
  readonly counts: () => boolean;
  readonly stray: StrayWord;
}

/** What a key makes of the dialog, and the answer if it gives one. */
export function pressPermission(
  state: PermissionState,
  key: DialogKey,
  { choices, previewLines, previewRows, counts, stray }: PermissionPress,
): { readonly state: PermissionState; readonly answer?: PermissionAnswer } {
  const { selected, comment } = state;
  const no = choices.length - 1;
  const action = key.type === 'action' ? key.name : undefined;
  const pages = action === 'confirm:pageUp' ? -1 : action === 'confirm:pageDown' ? 1 : 0;
  if (pages !== 0) {
    const lowest = Math.max(0, previewLines - previewRows);
    return { state: { ...state, top: Math.max(0, Math.min(state.top + pages * previewRows, lowest)) } };
  }
  const take = (index: number): ReturnType<typeof pressPermission> =>
    index === no
      ? { state: { ...state, selected: no, comment: createBuffer() } }
      : { state, answer: choices[index]?.answer ?? denial() };
  // A refusal is always heard; everything that could approve waits until nobody is typing ahead.
  const isTypedAhead = !counts();
  if (action === 'app:interrupt') return { state, answer: denial() };
  if (comment !== undefined) return pressInComment(state, comment, key);
  if (action === 'confirm:cancel') return { state, answer: denial() };
  const isTyped = key.type === 'text' || (key.type === 'action' && key.typed !== undefined);
  if (isTypedAhead || stray.holds(isTyped || action === 'confirm:accept')) return { state };
  const moved = movedChoice(selected, choices.length, key);
  if (moved !== undefined) return { state: { ...state, selected: moved } };
  if (action === 'confirm:comment') return take(no);
  if (action === 'confirm:accept') return take(selected);
  if (action === 'confirm:no') return { state, answer: denial() };
  const index = choiceOfKey(choices, key);
  // What lasts beyond this call is taken with Enter or its number, so that no stray letter saves a rule.
  if (index !== undefined && lasting.has(action)) return { state: { ...state, selected: index } };
  if (index !== undefined) return take(index);
  if (key.type === 'text') stray.begin();
  return { state };
}

/** The same with text put into the comment, if there is one. */
export function withCommentText(state: PermissionState, text: string): PermissionState {
  const { comment } = state;
  if (comment === undefined) return state;
  return { ...state, comment: applyEdit(comment, { type: 'insert', text: fieldInput(text) }) };
}

function pressInComment(
  state: PermissionState,
  comment: TextBuffer,
  key: DialogKey,
): ReturnType<typeof pressPermission> {
  if (key.type === 'edit') return { state: { ...state, comment: applyEdit(comment, key.edit) } };
  if (key.type === 'text') return { state: withCommentText(state, key.text) };
  if (key.type !== 'action') return { state };
  if (key.name === 'confirm:cancel') return { state: { ...state, comment: undefined } };
  return key.name === 'confirm:accept' ? { state, answer: denial(fieldText(comment)) } : { state };
}

const lasting: ReadonlySet<string | undefined> = new Set(['confirm:always', 'confirm:sandbox']);

const oneRow = (text: string): string => sanitizeLine(reveal(text, text.includes('Bash(')));
