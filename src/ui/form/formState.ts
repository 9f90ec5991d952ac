/**
 * A form on the screen: one page for each question and, if there are several, a last one to look the answers over.
 * What each key does. Pure.
 */
import type { FieldAnswer, Form, FormField } from '../../protocol/forms.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import { choiceOfKey, movedChoice } from '../dialog/choices.ts';
import { fieldInput, fieldText } from '../dialog/field.ts';
import type { StrayWord } from '../dialog/useAnswers.ts';
import { applyEdit, createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import type { DialogKey, DialogPlace } from '../keys/keymap.ts';

export interface FormState {
  /** Index of the question; the number of questions for the review. */
  readonly page: number;
  readonly fields: readonly FieldState[];
  /** The selected row of the review. */
  readonly reviewRow: number;
  /** Lines scrolled down on this page. */
  readonly top: number;
}

interface FieldState {
  /** The selected row; the row after the options is for an answer in the user's own words. */
  readonly row: number;
  readonly chosen: readonly number[];
  readonly own: TextBuffer;
}

/** The rows of the review. */
export const reviewChoices = [{ label: 'Send the answers' }, { label: 'Do not answer' }] as const;

export function createForm({ fields }: Form): FormState {
  return {
    page: 0,
    fields: fields.map(() => ({ row: 0, chosen: [], own: createBuffer() })),
    reviewRow: 0,
    top: 0,
  };
}

/** True if the selected row is the one to type in. */
export function isTyping({ fields }: Form, state: FormState): boolean {
  const field = fields[state.page];
  return field !== undefined && state.fields[state.page]?.row === field.options.length;
}

/** Where keys are read: on the row to type in, characters are text. */
export function formPlace(form: Form, state: FormState): DialogPlace {
  return isTyping(form, state)
    ? { contexts: ['Form'], typing: 'text' }
    : { contexts: ['Question'], typing: 'answer' };
}

/** The answers so far, one for each question. */
export function answersOf(form: Form, state: FormState): readonly FieldAnswer[] {
  return form.fields.map((_, index) => answerOf(state.fields[index]));
}

/** The option row counts only while it has text, and instead of an option if only one can be chosen. */
function answerOf(field: FieldState | undefined): FieldAnswer {
  const text = field === undefined ? '' : fieldText(field.own).trim();
  return { chosen: field?.chosen ?? [], ...(text !== '' && { text }) };
}

export const isAnswered = ({ chosen, text }: FieldAnswer): boolean => chosen.length > 0 || text !== undefined;

export const hasReview = ({ fields }: Form): boolean => fields.length > 1;

export interface FormStep {
  readonly state: FormState;
  readonly answer?: PermissionAnswer;
}

export interface FormPress {
  /** Lines to scroll by, and the last first line. */
  readonly pageRows: number;
  readonly lowest: number;
  /** False for a key that was typed before this page could be read. */
  readonly counts: () => boolean;
  readonly stray: StrayWord;
}

const declined: PermissionAnswer = { behavior: 'deny' };

/** Handles one key press: returns the next state, and the answer if the key gives one. */
export function pressForm(form: Form, state: FormState, key: DialogKey, press: FormPress): FormStep {
  const action = key.type === 'action' ? key.name : undefined;
  if (action === 'app:interrupt') return { state, answer: declined };
  if (action === 'question:cancel') return { state, answer: declined };
  if (action === 'question:pageUp' || action === 'question:pageDown') {
    const by = action === 'question:pageUp' ? -press.pageRows : press.pageRows;
    return { state: { ...state, top: Math.max(0, Math.min(state.top + by, press.lowest)) } };
  }
  const field = form.fields[state.page];
  if (isTyping(form, state)) return field === undefined ? { state } : pressText(form, field, state, key);
  // Neither what was typed ahead nor a word that was meant for something else chooses an answer.
  const isTyped = key.type === 'text' || (key.type === 'action' && key.typed !== undefined);
  if (!press.counts() || press.stray.holds(isTyped || action === 'question:accept')) return { state };
  if (action === 'question:back') return { state: turned(form, state, -1) };
  if (action === 'question:forward') return { state: turned(form, state, 1) };
  const step = field === undefined ? pressReview(form, state, key) : pressOption(form, field, state, key);
  if (key.type === 'text' && step.state === state && step.answer === undefined) press.stray.begin();
  return step;
}

/** Inserts pasted text into the row to type in. */
export function pasteIntoForm(form: Form, state: FormState, text: string): FormState {
  return isTyping(form, state) ? edited(state, (own) => inserted(own, text)) : state;
}

function pressOption(form: Form, field: FormField, state: FormState, key: DialogKey): FormStep {
  const rows = field.options.length + 1;
  const { row, chosen } = fieldState(state);
  const action = key.type === 'action' ? key.name : undefined;
  const moved = movedRow(row, rows, action);
  if (moved !== undefined) return { state: selected(state, moved) };
  // Enter leaves a question with several answers once there is one.
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

/** Chooses an option: of several it is marked, a single one answers the question. */
function taken(form: Form, field: FormField, state: FormState, index: number): FormStep {
  if (field.isMultiple) return { state: toggled(field, state, index) };
  // An option replaces what was typed.
  return advanced(form, changed(state, { row: index, chosen: [index], own: createBuffer() }));
}

function toggled(field: FormField, state: FormState, index: number): FormState {
  const { chosen } = fieldState(state);
  if (!field.isMultiple) return changed(state, { chosen: [index], own: createBuffer() });
  const without = chosen.filter((one) => one !== index);
  const now = without.length < chosen.length ? without : [...chosen, index].toSorted((a, b) => a - b);
  return changed(state, { chosen: now });
}

function pressText(form: Form, field: FormField, state: FormState, key: DialogKey): FormStep {
  if (key.type === 'edit') return { state: edited(state, (own) => applyEdit(own, key.edit)) };
  if (key.type === 'text') return { state: edited(state, (own) => inserted(own, key.text)) };
  if (key.type !== 'action') return { state };
  const rows = field.options.length + 1;
  switch (key.name) {
    case 'form:previous':
      return { state: selected(state, rows - 2) };
    // Back to the options; the text stays. From there Esc declines.
    case 'form:cancel':
    case 'form:next':
      return { state: selected(state, 0) };
    case 'form:submit': {
      const { own, chosen } = fieldState(state);
      const isBlank = fieldText(own).trim() === '';
      if (isBlank && !(field.isMultiple && chosen.length > 0)) return { state };
      return advanced(form, field.isMultiple ? state : changed(state, { chosen: [] }));
    }
  }
  return { state };
}

function pressReview(form: Form, state: FormState, key: DialogKey): FormStep {
  const { length } = reviewChoices;
  const action = key.type === 'action' ? key.name : undefined;
  const moved = movedRow(state.reviewRow, length, action);
  if (moved !== undefined) return { state: { ...state, reviewRow: moved } };
  const index = action === 'question:accept' ? state.reviewRow : choiceOfKey(reviewChoices, key);
  if (index === undefined) return { state };
  return { state, answer: index === 0 ? allowed(form, state) : declined };
}

function movedRow(row: number, rows: number, action: string | undefined): number | undefined {
  if (action === 'question:previous')
    return movedChoice(row, rows, { type: 'action', name: 'confirm:previous' });
  if (action === 'question:next') return movedChoice(row, rows, { type: 'action', name: 'confirm:next' });
  return undefined;
}

/** The next page; after the only question, the answer. */
function advanced(form: Form, state: FormState): FormStep {
  return hasReview(form) ? { state: turned(form, state, 1) } : { state, answer: allowed(form, state) };
}

function allowed(form: Form, state: FormState): PermissionAnswer {
  return { behavior: 'allow', answers: answersOf(form, state) };
}

function turned(form: Form, state: FormState, by: 1 | -1): FormState {
  const last = hasReview(form) ? form.fields.length : 0;
  return { ...state, page: Math.max(0, Math.min(last, state.page + by)), top: 0 };
}

const blank: FieldState = { row: 0, chosen: [], own: createBuffer() };

function fieldState({ fields, page }: FormState): FieldState {
  return fields[page] ?? blank;
}

function selected(state: FormState, row: number): FormState {
  return { ...changed(state, { row }), top: 0 };
}

function edited(state: FormState, edit: (own: TextBuffer) => TextBuffer): FormState {
  return changed(state, { own: edit(fieldState(state).own) });
}

function inserted(own: TextBuffer, text: string): TextBuffer {
  return applyEdit(own, { type: 'insert', text: fieldInput(text) });
}

function changed(state: FormState, change: Partial<FieldState>): FormState {
  const fields = state.fields.map((field, index) => (index === state.page ? { ...field, ...change } : field));
  return { ...state, fields };
}
