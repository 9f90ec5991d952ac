/**
 * Fits a page of a form to the screen: the options always fit, question and preview scroll in what they leave. Pure.
 */
import { stripVTControlCharacters } from 'node:util';
import { answerText, type Form, type FormField, isAnswered, isOfServer } from '../../protocol/forms.ts';
import { reveal } from '../../protocol/text/reveal.ts';
import { choiceLines, type DialogRoom, fittedChoiceLines } from '../dialog/choices.ts';
import { fieldText } from '../dialog/field.ts';
import { previewNotice } from '../dialog/permission.ts';
import { createBuffer } from '../input/textBuffer.ts';
import { joinWithDots, keyHints } from '../keys/keyHints.ts';
import type { Keymap } from '../keys/keymap.ts';
import { shownLine } from '../print/sanitize.ts';
import { paintLine, prefixLines, titledRule, wrapColumns, wrapText } from '../print/spans.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Paint } from '../theme/paints.ts';
import {
  answersOf,
  type FormState,
  fieldHint,
  formFocus,
  hasReview,
  isTyping,
  reviewOf,
} from './formState.ts';

interface FormLayout {
  /** Lines above and below the row to type in, if that row is selected. */
  readonly above: readonly string[];
  readonly below: readonly string[];
  /** The label of the row to type in, if it is selected. */
  readonly typing?: string;
  /** Lines to scroll by, and the last first line. */
  readonly pageRows: number;
  readonly lowest: number;
  /** How many lines of the review have been on the screen once this is drawn, from the first one on. */
  readonly seen: number;
  /** The first line to show of those that have not been on the screen; absent if all have. */
  readonly unread?: number;
}

/** Label of the row for a typed answer. */
export const OWN_ANSWER = 'Type something else';

/** Minimum width for a preview next to the options. */
const WIDE = 100;
const HEADER_COLUMNS = 12;

/**
 * At most `rows` lines, if there are at least as many as options and three more. `seen`: lines of the review that have been
 * on the screen before.
 */
export function formLayout(
  form: Form,
  title: string,
  state: FormState,
  room: DialogRoom,
  keymap: Keymap,
  seen = 0,
): FormLayout {
  const { width, rows, theme } = room;
  const field = form.fields[state.page];
  const head = [titledRule(shownLine(title), width, theme), ...tabLines(form, state, room)];
  const hint = theme.dim(truncate(hintText(form, state, keymap), width));
  if (field === undefined) return reviewLayout(form, state, room, { head, hint, seen }, keymap);
  const typing = isTyping(form, state);
  const preview = typing ? [] : previewOf(field, state);
  const isSideBySide = preview.length > 0 && width >= WIDE;
  const column = isSideBySide ? Math.floor(width * 0.45) : width;
  const question = questionLines(form, field, state, room);
  // The hint and a blank line take two rows, the row to type in one.
  const inner = Math.max(1, rows - head.length - 2);
  const least = Math.min(question.length, Math.max(1, Math.floor(inner / 4)));
  const options = optionLines(field, state, { width: column, rows: inner - least, theme });
  const left = Math.max(0, inner - options.length - (typing ? 1 : 0));
  const questionRows = Math.min(question.length, Math.max(least, left));
  const free = isSideBySide ? inner - questionRows : left - questionRows;
  const lines = preview.flatMap((line) =>
    wrapColumns([{ text: line }], isSideBySide ? width - column - 4 : width - 2).map(paintLine),
  );
  // One line is too little for a preview.
  const previewRows = free < Math.min(2, lines.length) ? 0 : Math.min(lines.length, free);
  const unseen = question.length - questionRows;
  const lowest = unseen + (previewRows === 0 ? 0 : lines.length - previewRows);
  const top = Math.min(state.top, lowest);
  const from = Math.min(top, unseen);
  const body = lines.slice(top - from, top - from + previewRows).map((line) => theme.dim('│ ') + line);
  const asked = [...head, ...question.slice(from, from + questionRows)];
  const spare = free > (isSideBySide ? Math.max(options.length, body.length) : body.length);
  const blank = spare || isSideBySide ? [''] : [];
  const below = [
    ...(isSideBySide ? [] : body),
    lowest > 0 ? moreLine(form, lowest - top, room, keymap) : hint,
  ];
  return {
    above: [...asked, ...blank, ...(isSideBySide ? beside(options, body, column) : options)],
    below: below.slice(
      0,
      Math.max(0, rows - asked.length - blank.length - options.length - (typing ? 1 : 0)),
    ),
    ...(typing && { typing: field.type === 'choice' ? `❯ ${field.options.length + 1}. ` : '❯ ' }),
    pageRows: Math.max(1, (unseen > from ? questionRows : previewRows) - 1),
    lowest,
    seen: 0,
  };
}

/** The question, what its answer must be like, and why the last answer was not accepted. */
function questionLines(
  form: Form,
  field: FormField,
  { problem }: FormState,
  { width, theme }: DialogRoom,
): readonly string[] {
  const { message } = form;
  const hint = fieldHint(field);
  const notice = previewNotice({ type: 'form', fields: [field], ...(message !== undefined && { message }) });
  return [
    ...(problem === undefined ? [] : wrapText(problem, width, theme.error)),
    ...(message === undefined ? [] : givenLines(form, message, { width, theme })),
    ...givenLines(form, field.question, { width, theme }, theme.strong),
    ...(hint === '' ? [] : wrapText(hint, width, theme.dim)),
    ...(notice === undefined ? [] : wrapText(notice, width, theme.warning)),
  ];
}

/** A text of the form; that of a server is marked as a quotation in each line. */
function givenLines(form: Form, text: string, { width, theme }: Paper, paint?: Paint): readonly string[] {
  if (!isOfServer(form)) return wrapText(reveal(text).trim(), width, paint);
  return prefixLines(wrapText(reveal(text).trim(), Math.max(1, width - 2), paint), QUOTE, QUOTE).map(
    (line) => (line.startsWith(QUOTE) ? theme.dim(QUOTE) + line.slice(QUOTE.length) : line),
  );
}

const QUOTE = '│ ';

/** Replaces the hint while something is cut off. `isUnread`: nothing is sent before its end. */
function moreLine(
  form: Form,
  more: number,
  { width, theme }: DialogRoom,
  keymap: Keymap,
  isUnread = false,
): string {
  const hints = keyHints(keymap, { contexts: ['Question'], typing: 'answer' });
  const keys = [hints.key('question:pageUp'), hints.key('question:pageDown')];
  const scrolls = `${keys.filter((key) => key !== undefined).join('/')} scrolls`;
  const place = more === 0 ? 'end' : `${more} more lines`;
  const reads = isUnread ? 'read to the end to send' : undefined;
  return theme.warning(truncate(joinWithDots(place, scrolls, reads, escapeHint(form)), width));
}

function previewOf(field: FormField, state: FormState): readonly string[] {
  const row = state.fields[state.page]?.row ?? 0;
  const preview = field.type === 'choice' ? field.options[row]?.preview : undefined;
  return preview === undefined || preview.trim() === '' ? [] : reveal(preview).trimEnd().split('\n');
}

/**
 * The numbered options, and the row for a typed answer, which is omitted while it is selected: a text field replaces it.
 */
function optionLines(field: FormField, state: FormState, room: DialogRoom): readonly string[] {
  if (field.type === 'text') return [];
  const { row, chosen, text } = state.fields[state.page] ?? { row: 0, chosen: [], text: createBuffer() };
  const written = fieldText(text).trim();
  const mark = (index: number): string =>
    field.isMultiple ? `[${chosen.includes(index) ? 'x' : ' '}] ` : chosen.includes(index) ? '✓ ' : '';
  const choices = [
    ...field.options.map(({ label, description = '' }, index) => ({
      label: mark(index) + shownLine(label),
      ...(description.trim() !== '' && { detail: shownLine(description) }),
    })),
    ...(field.hasOwnAnswer ? [{ label: written === '' ? OWN_ANSWER : `${OWN_ANSWER}: ${written}` }] : []),
  ];
  return row < field.options.length
    ? describedLines(choices, row, room)
    : describedLines(choices.slice(0, -1), -1, { ...room, rows: room.rows - 1 });
}

/** Options with their full descriptions if there is room, else shortened like other choices. */
function describedLines(
  choices: readonly { readonly label: string; readonly detail?: string }[],
  selected: number,
  { width, rows, theme }: DialogRoom,
): readonly string[] {
  const whole = choices.flatMap(({ label, detail }, index) => [
    ...choiceLines([{ label }], selected === index ? 0 : -1, width, theme).map((line) =>
      line.replace('1. ', `${index + 1}. `),
    ),
    ...(detail === undefined
      ? []
      : prefixLines(wrapText(detail, Math.max(2, width - 5), theme.dim), '     ')),
  ]);
  return whole.length <= rows ? whole : fittedChoiceLines(choices, selected, width, Math.max(1, rows), theme);
}

/** Two columns, the left one `column` wide. */
function beside(left: readonly string[], right: readonly string[], column: number): readonly string[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const line = left[index] ?? '';
    const other = right[index];
    if (other === undefined) return line;
    const gap = Math.max(0, column + 2 - textWidth(stripVTControlCharacters(line)));
    return line + ' '.repeat(gap) + other;
  });
}

/** The questions of a form with several, as tabs: answered ones are marked, the current one stands out. */
function tabLines(form: Form, state: FormState, { width, theme }: DialogRoom): readonly string[] {
  if (!hasReview(form) || form.fields.length === 0) return [];
  const answers = answersOf(form, state);
  const tabs = form.fields.map(({ header }, index) => {
    const name = truncate(shownLine(header) || `${index + 1}`, HEADER_COLUMNS);
    return `${isAnswered(answers[index]) ? '✓' : '·'} ${name}`;
  });
  const all = [...tabs, 'Review'];
  if (textWidth(all.join('   ')) > width) {
    const at = state.page < tabs.length ? `Question ${state.page + 1} of ${tabs.length}` : 'Review';
    const header = form.fields[state.page]?.header ?? '';
    return [theme.dim(truncate(joinWithDots(at, shownLine(header)), width))];
  }
  return [all.map((tab, index) => (index === state.page ? theme.accent(tab) : theme.dim(tab))).join('   ')];
}

/** What sending does stays on the screen; what the server says and the answers scroll. */
function reviewLayout(
  form: Form,
  state: FormState,
  { width, rows, theme }: DialogRoom,
  { head, hint, seen }: { readonly head: readonly string[]; readonly hint: string; readonly seen: number },
  keymap: Keymap,
): FormLayout {
  const choices = choiceLines(reviewOf(form), state.reviewRow, width, theme);
  const room = Math.max(1, rows - head.length - choices.length - 2);
  const link = linkLines(form, { width, theme });
  const fixed = link.slice(0, Math.max(0, room - MIN_READING));
  const lines = [
    ...link.slice(fixed.length),
    ...(form.message === undefined ? [] : givenLines(form, form.message, { width, theme })),
    ...answerLines(form, state, { width, theme }),
  ];
  const left = Math.max(1, room - fixed.length);
  const lowest = Math.max(0, lines.length - left);
  const top = Math.min(state.top, lowest);
  const shown = lines.slice(top, top + left);
  const hasBlank = rows > head.length + fixed.length + shown.length + choices.length + 1;
  // Nothing in the middle is skipped.
  const read = top <= seen ? Math.max(seen, Math.min(lines.length, top + left)) : seen;
  const isUnread = read < lines.length;
  return {
    above: [...head, ...fixed, ...shown, ...(hasBlank ? [''] : []), ...choices],
    below: [lowest > 0 ? moreLine(form, lowest - top, { width, rows, theme }, keymap, isUnread) : hint],
    pageRows: Math.max(1, left - 1),
    lowest,
    seen: read,
    ...(isUnread && { unread: Math.min(read, lowest) }),
  };
}

/** Lines that scroll, at least. */
const MIN_READING = 2;

type Paper = Pick<DialogRoom, 'width' | 'theme'>;

/** The URL to open, in full, after its host. */
function linkLines({ link }: Form, { width, theme }: Paper): readonly string[] {
  if (link === undefined) return [];
  const { host } = new URL(link);
  const at = link.indexOf(host);
  const spans = [
    { text: link.slice(0, at), paint: theme.dim },
    { text: host, paint: theme.strong },
    { text: link.slice(at + host.length), paint: theme.dim },
  ];
  return [...wrapText(`Host: ${host}`, width, theme.warning), ...wrapColumns(spans, width).map(paintLine)];
}

function answerLines(form: Form, state: FormState, { width, theme }: Paper): readonly string[] {
  const answers = answersOf(form, state);
  return form.fields.flatMap((field, index) => {
    const words = shownLine(answerText(field, answers[index]));
    const paint = words === '' ? theme.warning : theme.text;
    const answer = wrapText(words === '' ? 'not answered' : words, width - 4, paint);
    const [asked = ''] = field.question.trim().split('\n');
    const quote = isOfServer(form) ? QUOTE : '';
    const question = theme.dim(truncate(quote + shownLine(asked), width));
    return [question, ...prefixLines(answer, '  → ', '    ')];
  });
}

function hintText(form: Form, state: FormState, keymap: Keymap): string {
  const hints = keyHints(keymap, formFocus(form, state));
  const field = form.fields[state.page];
  if (isTyping(form, state))
    return field?.type === 'choice'
      ? joinWithDots(hints.does('form:submit', 'sends it'), 'Esc back to the answers')
      : joinWithDots(
          hints.does('form:submit', 'continues'),
          hints.does('form:previous', 'back'),
          'Esc cancels',
        );
  const keys = [hints.keys('question:previous', 'question:next'), hints.key('question:accept')];
  return joinWithDots(
    keys.filter((key) => key !== undefined).join(' '),
    field?.type === 'choice' && field.isMultiple ? hints.does('question:toggle', 'chooses') : undefined,
    hasReview(form) && form.fields.length > 0
      ? questionKeys(hints.keys('question:back', 'question:forward'))
      : undefined,
    escapeHint(form),
  );
}

const escapeHint = ({ review }: Form): string => (review === undefined ? 'Esc declines' : 'Esc cancels');

const questionKeys = (keys: string | undefined): string | undefined =>
  keys === undefined ? undefined : `${keys} questions`;
