/**
 * A form on the screen: one page for each question, a last one to review and send the answers, and what each key does.
 * Pure.
 */
import {
  type ChoiceField,
  type FieldAnswer,
  type Form,
  type FormField,
  problemWith,
  type ReviewChoice,
} from '../../protocol/forms.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import { choiceOfKey, movedChoice } from '../dialog/choices.ts';
import { fieldInput, fieldText, pastedInto } from '../dialog/field.ts';
import { isUnmeantKey, type StrayWord, typedBy } from '../dialog/useAnswers.ts';
import { applyEdit, createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import type { DialogFocus, DialogKey } from '../keys/keymap.ts';

export interface FormState {
  /** Index of the question; the number of questions for the review. */
  readonly page: number;
  readonly fields: readonly FieldState[];
  readonly reviewRow: number;
  /** Lines scrolled down on this page. */
  readonly top: number;
  /** How often sending has shown more instead. Keys in the meantime were pressed before it could be read. */
  readonly holds: number;
  /** Why the answer on this page was not accepted. */
  readonly problem?: string | undefined;
}

interface FieldState {
  /** The selected row; the row after the options is for a typed answer. */
  readonly row: number;
  readonly chosen: readonly number[];
  readonly text: TextBuffer;
}

const modelReview: readonly ReviewChoice[] = [
  { label: 'Send the answers', sends: true },
  { label: 'Do not answer', sends: false },
];

/** The choices of the last page. */
export const reviewOf = ({ review }: Form): readonly ReviewChoice[] => review ?? modelReview;

export const hasReview = ({ fields, review }: Form): boolean => review !== undefined || fields.length > 1;

export function createForm({ fields }: Form): FormState {
  return {
    page: 0,
    fields: fields.map((field) =>
      field.type === 'text'
        ? { row: 0, chosen: [], text: createBuffer(field.initial) }
        : { row: field.chosen?.[0] ?? 0, chosen: field.chosen ?? [], text: createBuffer() },
    ),
    reviewRow: 0,
    top: 0,
    holds: 0,
  };
}

/** True if what is typed goes into a text field. */
export function isTyping({ fields }: Form, state: FormState): boolean {
  const field = fields[state.page];
  if (field === undefined) return false;
  return field.type === 'text' || state.fields[state.page]?.row === field.options.length;
}

/** Where keys are read. */
export function formFocus(form: Form, state: FormState): DialogFocus {
  return isTyping(form, state)
    ? { contexts: ['Form'], typing: 'text' }
    : { contexts: ['Question'], typing: 'answer' };
}

/** The answers so far, one for each question. */
export function answersOf({ fields }: Form, state: FormState): readonly FieldAnswer[] {
  return fields.map((_, index) => {
    const { chosen, text } = state.fields[index] ?? blank;
    const typed = fieldText(text).trim();
    return { chosen, ...(typed !== '' && { text: typed }) };
  });
}

interface FormStep {
  readonly state: FormState;
  readonly answer?: PermissionAnswer;
  /** Text that was not meant for the form. */
  readonly unmeant?: string | undefined;
}

interface FormPress {
  /** Lines to scroll by, and the last first line. */
  readonly pageRows: number;
  readonly lowest: number;
  /** See `FormLayout`. */
  readonly unread?: number | undefined;
  /** False for a key that was typed before this page could be read. */
  readonly counts: () => boolean;
  readonly stray: StrayWord;
}

const dismissed: PermissionAnswer = { behavior: 'deny' };

/** Handles one key press: returns the next state, and the answer if the key gives one. */
export function pressForm(form: Form, state: FormState, key: DialogKey, press: FormPress): FormStep {
  const action = key.type === 'action' ? key.name : undefined;
  if (action === 'app:interrupt' || action === 'question:cancel') return { state, answer: dismissed };
  if (action === 'question:pageUp' || action === 'question:pageDown') {
    const by = action === 'question:pageUp' ? -press.pageRows : press.pageRows;
    return { state: { ...state, top: Math.max(0, Math.min(state.top + by, press.lowest)) } };
  }
  const field = form.fields[state.page];
  if (field !== undefined && isTyping(form, state)) return pressText(form, field, state, key);
  // Neither what was typed ahead nor a word that was meant for something else chooses an answer.
  if (isUnmeantKey(key, !press.counts(), press.stray)) return { state, unmeant: typedBy(key) };
  if (action === 'question:back') return { state: turned(form, state, -1) };
  if (action === 'question:forward') return { state: turned(form, state, 1) };
  const step =
    field?.type === 'choice'
      ? pressOption(form, field, state, key)
      : pressReview(form, state, key, press.unread);
  if (key.type !== 'text' || step.state !== state || step.answer !== undefined) return step;
  press.stray.begin();
  return { state, unmeant: key.text };
}

/** Inserts pasted text into the text field if there is one. */
export function pasteIntoForm(form: Form, state: FormState, text: string): FormState {
  const field = form.fields[state.page];
  if (field === undefined || !isTyping(form, state)) return state;
  const isProse = field.type === 'choice' || (field.holds === 'text' && field.format === undefined);
  return edited(state, (buffer) => (isProse ? pastedInto(buffer, text) : inserted(buffer, text)));
}

function pressOption(form: Form, field: ChoiceField, state: FormState, key: DialogKey): FormStep {
  const rows = field.options.length + (field.hasOwnAnswer ? 1 : 0);
  const { row, chosen } = fieldState(state);
  const action = key.type === 'action' ? key.name : undefined;
  const moved = movedRow(row, rows, action);
  if (moved !== undefined) return { state: selected(state, moved) };
  // In a multiple-choice question, Enter continues once an option is selected.
  if (action === 'question:accept')
    return field.isMultiple && chosen.length > 0 ? advanced(form, state) : taken(form, field, state, row);
  if (action === 'question:toggle') return { state: toggled(field, state, row) };
  const index = choiceOfKey(
    Array.from({ length: rows }, () => ({ label: '' })),
    key,
  );
  if (index === undefined) return { state };
  return index === field.options.length
    ? { state: selected(state, index) }
    : taken(form, field, selected(state, index), index);
}

/** Chooses an option: toggles it in a multiple-choice question, otherwise answers the question. */
function taken(form: Form, field: ChoiceField, state: FormState, index: number): FormStep {
  if (field.isMultiple) return { state: toggled(field, state, index) };
  // An option replaces typed text.
  return advanced(form, changed(state, { row: index, chosen: [index], text: createBuffer() }));
}

function toggled(field: ChoiceField, state: FormState, index: number): FormState {
  const { chosen } = fieldState(state);
  const without = chosen.filter((one) => one !== index);
  const wasChosen = without.length < chosen.length;
  // An optional answer can be deselected.
  if (!field.isMultiple && wasChosen && field.isRequired === false) return changed(state, { chosen: [] });
  if (!field.isMultiple) return changed(state, { chosen: [index], text: createBuffer() });
  return changed(state, { chosen: wasChosen ? without : [...chosen, index].toSorted((a, b) => a - b) });
}

function pressText(form: Form, field: FormField, state: FormState, key: DialogKey): FormStep {
  if (key.type === 'edit') return { state: edited(state, (buffer) => applyEdit(buffer, key.edit)) };
  if (key.type === 'text') return { state: edited(state, (buffer) => inserted(buffer, key.text)) };
  if (key.type !== 'action') return { state };
  const isOwn = field.type === 'choice';
  switch (key.name) {
    case 'form:previous':
      return { state: isOwn ? selected(state, field.options.length - 1) : turned(form, state, -1) };
    case 'form:next':
      return isOwn ? { state: selected(state, 0) } : advanced(form, state);
    // From the user's own answer back to the options; the text stays.
    case 'form:cancel':
      return isOwn ? { state: selected(state, 0) } : { state, answer: dismissed };
    case 'form:submit': {
      if (!isOwn) return advanced(form, state);
      const { text, chosen } = fieldState(state);
      const isBlank = fieldText(text).trim() === '';
      if (isBlank && !(field.isMultiple && chosen.length > 0)) return { state };
      return advanced(form, field.isMultiple ? state : changed(state, { chosen: [] }));
    }
  }
  return { state };
}

function pressReview(form: Form, state: FormState, key: DialogKey, unread: number | undefined): FormStep {
  const choices = reviewOf(form);
  const action = key.type === 'action' ? key.name : undefined;
  const moved = movedRow(state.reviewRow, choices.length, action);
  if (moved !== undefined) return { state: { ...state, reviewRow: moved } };
  const choice = choices[(action === 'question:accept' ? state.reviewRow : choiceOfKey(choices, key)) ?? -1];
  if (choice === undefined) return { state };
  const { sends, name } = choice;
  // What was never on the screen is not sent.
  if (sends && unread !== undefined) return { state: { ...state, top: unread, holds: state.holds + 1 } };
  if (sends) return sent(form, state, name);
  return { state, answer: { behavior: 'deny', ...(name !== undefined && { choice: name }) } };
}

/** The row after a key that moves up or down. */
function movedRow(row: number, rows: number, action: string | undefined): number | undefined {
  if (action === 'question:previous')
    return movedChoice(row, rows, { type: 'action', name: 'confirm:previous' });
  return action === 'question:next'
    ? movedChoice(row, rows, { type: 'action', name: 'confirm:next' })
    : undefined;
}

/** The next page if this answer is acceptable; for a form with one question, the result. */
function advanced(form: Form, state: FormState): FormStep {
  const field = form.fields[state.page];
  const problem = field && problemWith(field, answersOf(form, state)[state.page]);
  if (problem !== undefined) return { state: { ...state, problem } };
  return hasReview(form) ? { state: turned(form, state, 1) } : sent(form, state);
}

/** Sends the answers, or turns to the page of one that is not acceptable. */
function sent(form: Form, state: FormState, name?: string): FormStep {
  const answers = answersOf(form, state);
  const problems = form.fields.map((field, index) => problemWith(field, answers[index]));
  const page = problems.findIndex((problem) => problem !== undefined);
  if (page !== -1) return { state: { ...state, page, top: 0, problem: problems[page] } };
  return { state, answer: { behavior: 'allow', answers, ...(name !== undefined && { choice: name }) } };
}

function turned(form: Form, state: FormState, by: 1 | -1): FormState {
  const last = hasReview(form) ? form.fields.length : 0;
  return { ...state, page: Math.max(0, Math.min(last, state.page + by)), top: 0, problem: undefined };
}

const blank: FieldState = { row: 0, chosen: [], text: createBuffer() };

function fieldState({ fields, page }: FormState): FieldState {
  return fields[page] ?? blank;
}

function selected(state: FormState, row: number): FormState {
  return { ...changed(state, { row }), top: 0 };
}

function edited(state: FormState, edit: (text: TextBuffer) => TextBuffer): FormState {
  return changed(state, { text: edit(fieldState(state).text) });
}

function inserted(text: TextBuffer, added: string): TextBuffer {
  return applyEdit(text, { type: 'insert', text: fieldInput(added) });
}

function changed(state: FormState, change: Partial<FieldState>): FormState {
  const fields = state.fields.map((field, index) => (index === state.page ? { ...field, ...change } : field));
  return { ...state, fields, problem: undefined };
}

/** Describes what a field accepts, such as the limits of a number; empty if it is obvious. */
export function fieldHint(field: FormField): string {
  if (field.type === 'choice') return field.isRequired === false ? 'Optional.' : '';
  const { holds, format, minimum, maximum, minLength, maxLength } = field;
  const kind = holds === 'number' ? 'A number' : holds === 'integer' ? 'A whole number' : undefined;
  const range = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(minLength === undefined ? [] : [`at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ];
  const limits = [...((kind ?? format) ? [kind ?? `Format: ${format}`] : []), ...range].join(', ');
  return [limits, field.isRequired === false ? 'optional' : ''].filter((part) => part !== '').join(' · ');
}
