/** Numbered choices: how they look, which one a key takes, and a whole dialog of them as lines. Pure. */

import { dotted, keyHints } from '../keys/keyHints.ts';
import type { DialogKey, DialogPlace, Keymap } from '../keys/keymap.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { prefixLines, ruled, wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

/** Some text and a few numbered choices. */
export interface ChoiceDialog<A> extends DialogBase<A> {
  readonly type: 'choices';
  readonly body: readonly Block[];
  readonly choices: readonly (Choice & { readonly answer: A })[];
  /** On a small screen the text gives way to the choices, rather than their details to the text. */
  readonly keepsChoices?: boolean;
  /** The line of keys; absent for none. */
  readonly hint?: {
    /** What Esc does. */
    readonly escape: string;
    /** Names the digits and letters, too. */
    readonly hasLetters?: boolean;
  };
}

/** Text above the choices; it may quote anybody, and is made safe by what shows it. */
export type Block =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly tone?: 'dim' | 'error';
      /** Where the other renderer says it in its own way. */
      readonly only?: 'screen' | 'lines';
    }
  /** On the screen one row, which loses its beginning where it is too long. */
  | { readonly type: 'path'; readonly text: string; readonly only?: 'screen' | 'lines' }
  /** As much as fits, the first line of each item first. */
  | {
      readonly type: 'list';
      readonly items: readonly ListedItem[];
      /** Behind "… +3 more lines". */
      readonly more: string;
      readonly only?: 'screen' | 'lines';
    };

export interface ListedItem {
  readonly text: string;
  readonly sign: 'does' | 'added' | 'removed';
}

export interface DialogBase<A> {
  /** Another id is another dialog: nothing of the one before is kept. */
  readonly id: string;
  readonly title: string;
  /** What Esc answers. */
  readonly cancel: A;
  /** What Ctrl+C and Ctrl+D answer, and the end of the input; `cancel` when absent. */
  readonly quit?: A;
}

/** A few numbered choices: how they look, and which one a key takes. Pure. */
export interface Choice {
  readonly label: string;
  /** A second line, dim: what exactly this does. */
  readonly detail?: string | undefined;
  /** A letter that takes it, besides its number. */
  readonly letter?: string;
  /** What has its keys in the user's keymap, in place of the letter; in plain lines the letter holds. */
  readonly action?: 'confirm:yes' | 'confirm:always' | 'confirm:sandbox' | 'confirm:no';
  /** It lasts: its letter only selects it, so that the first letter of a word that is being typed does not take it. */
  readonly isLasting?: boolean;
}

/** Each choice on as many lines as it needs, and one for a detail; the selected one is marked. */
export function choiceLines(
  choices: readonly Choice[],
  selected: number,
  width: number,
  theme: Theme,
): string[] {
  return choices.flatMap(({ label, detail }, index) => {
    const isSelected = index === selected;
    const mark = isSelected ? theme.accent('❯ ') : '  ';
    const [first = '', ...rest] = wrapText(
      `${index + 1}. ${label}`,
      width - 2,
      isSelected ? theme.accent : theme.text,
    );
    return [
      ...prefixLines([first, ...rest], mark, '  '),
      ...(detail === undefined ? [] : [theme.dim(truncate(`     ${detail}`, width, 'end'))]),
    ];
  });
}

/**
 * As `choiceLines`, in at most `rows` lines where that can be: the others lose their details, then the selected one
 * does, then everything but the label of the selected one, which is always whole, becomes one row: a label that nobody can tell from the next one is
 * worth more than details.
 */
export function choiceLinesWithin(
  choices: readonly Choice[],
  selected: number,
  width: number,
  rows: number,
  theme: Theme,
): string[] {
  const whole = choiceLines(choices, selected, width, theme);
  if (whole.length <= rows) return whole;
  const labels = choiceLines(detailed(choices, selected), selected, width, theme);
  if (labels.length <= rows) return labels;
  const bare = choiceLines(detailed(choices, -1), selected, width, theme);
  if (bare.length <= rows) return bare;
  // The number and its mark take five columns.
  const cut = choices.map(({ label }, index) => ({
    label: index === selected ? label : truncate(label, Math.max(1, width - 5)),
  }));
  return choiceLines(cut, selected, width, theme);
}

/** The same in never more than `rows` lines: the choices that are farthest from the selected one go. */
export function fittedChoiceLines(
  choices: readonly Choice[],
  selected: number,
  width: number,
  rows: number,
  theme: Theme,
): string[] {
  const lines = choiceLinesWithin(choices, selected, width, rows, theme);
  // Where these are too many, each of the others has one row.
  const own = lines.length - choices.length + 1;
  const before = Math.max(0, Math.floor((rows - own) / 2));
  const from = Math.max(0, Math.min(selected - before, lines.length - rows));
  return lines.length <= rows ? lines : lines.slice(from, from + Math.max(1, rows));
}

/** Only the selected one keeps its detail. */
function detailed(choices: readonly Choice[], selected: number): readonly Choice[] {
  return choices.map(({ detail, ...choice }, index) => (index === selected ? { ...choice, detail } : choice));
}

/** Where the keys of choices are read; a number or a letter counts only when it came alone. */
export const choicesPlace: DialogPlace = { contexts: ['Confirmation'], typing: 'answer' };

/** The choice that a key takes at once: by its action, its number or its letter. */
export function choiceOfKey(choices: readonly Choice[], key: DialogKey): number | undefined {
  if (key.type === 'action') {
    const index = choices.findIndex(({ action }) => action === key.name);
    return index === -1 && key.typed !== undefined ? choiceOfCharacter(choices, key.typed) : indexOf(index);
  }
  return key.type === 'text' ? choiceOfCharacter(choices, key.text) : undefined;
}

/** The row of the choice after a key that moves up or down, around both ends. */
export function movedChoice(selected: number, many: number, key: DialogKey): number | undefined {
  if (key.type !== 'action') return undefined;
  if (key.name === 'confirm:previous') return (selected + many - 1) % many;
  return key.name === 'confirm:next' ? (selected + 1) % many : undefined;
}

function choiceOfCharacter(choices: readonly Choice[], character: string): number | undefined {
  const wanted = character.toLowerCase();
  return indexOf(
    choices.findIndex(
      ({ letter, action }, at) => wanted === String(at + 1) || (wanted === letter && action === undefined),
    ),
  );
}

const indexOf = (found: number): number | undefined => (found === -1 ? undefined : found);

/** A dialog of choices as painted lines: its title, as much of its text as fits, the choices, the keys. Pure. */
export interface DialogRoom {
  readonly width: number;
  /** Rows that it may take at most. */
  readonly rows: number;
  readonly theme: Theme;
}

/** At most `rows` lines, unless the choices alone are more and must be kept. */
export function choiceDialogLines<A>(
  dialog: ChoiceDialog<A>,
  selected: number,
  room: DialogRoom,
  keymap: Keymap,
): readonly string[] {
  const head = ruled(sanitizeLine(dialog.title), room.width, room.theme);
  const hint = hintLine(dialog, room, keymap);
  return dialog.keepsChoices === true
    ? choicesFirst(dialog, selected, room, head, hint)
    : textFirst(dialog, selected, room, head, hint);
}

function choicesFirst<A>(
  { body, choices }: ChoiceDialog<A>,
  selected: number,
  { width, rows, theme }: DialogRoom,
  head: string,
  hint: readonly string[],
): readonly string[] {
  const answers = choiceLines(choices, selected, width, theme);
  const left = Math.max(0, rows - answers.length - 1);
  const text = bodyLines(body, left, { width, theme });
  // A list says itself that there is more of it, and stands apart.
  const isListed = body.some(({ type }) => type === 'list');
  const blank = isListed || left > text.length ? [''] : [];
  const lines = [head, ...text, ...blank, ...answers];
  return [...lines, ...(rows > lines.length ? hint : [])].slice(-Math.max(answers.length, rows));
}

/** At least one line for each choice comes first, then the text, then the details and the keys. */
function textFirst<A>(
  { body, choices }: ChoiceDialog<A>,
  selected: number,
  { width, rows, theme }: DialogRoom,
  head: string,
  hint: readonly string[],
): readonly string[] {
  const text = bodyLines(body, Math.max(0, rows - 1 - choices.length), { width, theme });
  const left = Math.max(1, rows - 1 - text.length);
  const most = left - 1 >= choices.length ? left - 1 : left;
  const shown = fittedChoiceLines(choices, selected, width, most, theme);
  return [head, ...text, ...shown, ...(shown.length < left ? hint : [])].slice(0, Math.max(1, rows));
}

function hintLine<A>(
  { hint, choices }: ChoiceDialog<A>,
  { width, theme }: DialogRoom,
  keymap: Keymap,
): readonly string[] {
  if (hint === undefined) return [];
  const hints = keyHints(keymap, choicesPlace);
  const keys = [hints.keys('confirm:previous', 'confirm:next'), hints.key('confirm:accept')]
    .filter((key) => key !== undefined)
    .join(' ');
  const letters = choices.flatMap(({ letter }) => letter ?? []).join(' ');
  const more = hint.hasLetters === true ? `, a digit${letters === '' ? '' : ` or ${letters}`}` : '';
  return [theme.dim(truncate(dotted(keys + more, hint.escape), width))];
}

function bodyLines(
  body: readonly Block[],
  rows: number,
  { width, theme }: Omit<DialogRoom, 'rows'>,
): readonly string[] {
  const lines: string[] = [];
  for (const block of body) {
    if (block.only === 'lines') continue;
    if (block.type === 'list') lines.push(...listLines(block, rows - lines.length - 1, { width, theme }));
    else if (block.type === 'path') lines.push(truncate(sanitizeLine(block.text), width, 'start'));
    else {
      const paint = block.tone === undefined ? theme.text : theme[block.tone];
      lines.push(...wrapText(sanitizeLine(block.text), width, paint));
    }
  }
  // A list takes one row in any case: the rows above it scroll away first.
  return body.some(({ type }) => type === 'list') ? lines : lines.slice(0, rows);
}

function listLines(
  { items, more }: Extract<Block, { type: 'list' }>,
  rows: number,
  { width, theme }: Omit<DialogRoom, 'rows'>,
): readonly string[] {
  const listed = items.map(({ sign, text }) =>
    prefixLines(wrapText(sanitizeLine(text), width - 4), `  ${signs[sign]} `, '    '),
  );
  const { shown, left } = fitted(listed, Math.max(1, rows));
  return [...shown, ...(left > 0 ? [theme.warning(`  … +${left} ${more}`)] : [])];
}

const signs = { does: '•', added: '+', removed: '-' } as const;

/**
 * As much as there is room for: of each item its first line, so that a long one does not hide the next, then the rest
 * in their order.
 */
function fitted(
  items: readonly (readonly string[])[],
  room: number,
): { readonly shown: readonly string[]; readonly left: number } {
  const total = items.reduce((sum, lines) => sum + lines.length, 0);
  if (total <= room) return { shown: items.flat(), left: 0 };
  const present = items.slice(0, Math.max(1, room - 1));
  let spare = room - 1 - present.length;
  const shown = present.flatMap((lines) => {
    const further = Math.max(0, Math.min(lines.length - 1, spare));
    spare -= further;
    return lines.slice(0, 1 + further);
  });
  return { shown, left: total - shown.length };
}
