/** Numbered choices: layout, key handling, and a whole choice dialog as lines. Pure. */

import { joinWithDots, keyHints } from '../keys/keyHints.ts';
import type { DialogFocus, DialogKey, Keymap } from '../keys/keymap.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { prefixLines, titledRule, wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

/** Some text and a few numbered choices. */
export interface ChoiceDialog<A> extends DialogBase<A> {
  readonly type: 'choices';
  readonly body: readonly Block[];
  readonly choices: readonly (Choice & { readonly answer: A })[];
  /** On a small screen, shorten the text rather than the details of the choices. */
  readonly keepsChoices?: boolean;
  /** The line of key hints; absent for none. */
  readonly hint?: {
    /** Describes what Esc does. */
    readonly escape: string;
    /** Also mentions digits and letters. */
    readonly hasLetters?: boolean;
  };
}

/** Text above the choices. It may contain untrusted text; the renderer sanitizes it. */
export type Block =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly tone?: 'dim' | 'error';
      /** Only for this renderer, if the other one says it differently. */
      readonly only?: 'screen' | 'lines';
    }
  /** One row on the screen; loses its beginning if it is too long. */
  | { readonly type: 'path'; readonly text: string; readonly only?: 'screen' | 'lines' }
  /** As many lines as fit; the first line of every item comes first. With `keepsChoices`, the list is paged. */
  | {
      readonly type: 'list';
      readonly items: readonly ListedItem[];
      /** Follows "… +3 more lines". */
      readonly more: string;
      readonly only?: 'screen' | 'lines';
    };

export interface ListedItem {
  readonly text: string;
  readonly sign: 'does' | 'added' | 'removed';
}

export interface DialogBase<A> {
  /** A dialog with another id is a new dialog; no state is kept. */
  readonly id: string;
  readonly title: string;
  /** The answer for Esc. */
  readonly cancel: A;
  /** The answer for Ctrl+C, Ctrl+D and the end of input; `cancel` if absent. */
  readonly quit?: A;
}

/** One numbered choice. */
export interface Choice {
  readonly label: string;
  /** Explains the effect, on dim lines of its own. */
  readonly detail?: string | undefined;
  /** A letter that picks it, in addition to its number. */
  readonly letter?: string;
  /** The action whose key bindings pick it, replacing the letter; plain mode still uses the letter. */
  readonly action?: 'confirm:yes' | 'confirm:always' | 'confirm:sandbox' | 'confirm:no';
  /** Has a lasting effect: its letter only selects it, so that typing a word cannot pick it by accident. */
  readonly isLasting?: boolean;
}

/** The choices as lines: each label on as many as it needs, plus its detail. Marks the selected one. */
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
      ...(detail === undefined
        ? []
        : prefixLines(wrapText(detail, Math.max(1, width - 5), theme.dim), '     ')),
    ];
  });
}

/**
 * Like `choiceLines`, but in at most `rows` lines if possible. First drops the details of the other choices, then that
 * of the selected one, and then cuts the other labels to one row: distinct labels are worth more than details. The
 * label of the selected choice is never cut.
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
  // The marker and the number take five columns.
  const cut = choices.map(({ label }, index) => ({
    label: index === selected ? label : truncate(label, Math.max(1, width - 5)),
  }));
  return choiceLines(cut, selected, width, theme);
}

/** Like `choiceLinesWithin`, but never more than `rows` lines: drops the choices farthest from the selected one. */
export function fittedChoiceLines(
  choices: readonly Choice[],
  selected: number,
  width: number,
  rows: number,
  theme: Theme,
): string[] {
  const lines = choiceLinesWithin(choices, selected, width, rows, theme);
  // If there are too many lines, every other choice already has one row.
  const own = lines.length - choices.length + 1;
  const before = Math.max(0, Math.floor((rows - own) / 2));
  const from = Math.max(0, Math.min(selected - before, lines.length - rows));
  return lines.length <= rows ? lines : lines.slice(from, from + Math.max(1, rows));
}

/** Removes the detail of every choice but the selected one. */
function detailed(choices: readonly Choice[], selected: number): readonly Choice[] {
  return choices.map(({ detail, ...choice }, index) => (index === selected ? { ...choice, detail } : choice));
}

/** Where the keys of choices are read; a digit or letter counts only if it arrives alone. */
export const choicesFocus: DialogFocus = { contexts: ['Confirmation'], typing: 'answer' };

/** The choice that a key picks immediately, by its action, number or letter. */
export function choiceOfKey(choices: readonly Choice[], key: DialogKey): number | undefined {
  if (key.type === 'action') {
    const index = choices.findIndex(({ action }) => action === key.name);
    return index === -1 && key.typed !== undefined ? choiceOfCharacter(choices, key.typed) : indexOf(index);
  }
  return key.type === 'text' ? choiceOfCharacter(choices, key.text) : undefined;
}

/** The row after a key that moves up or down; wraps around at both ends. */
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

/** Space for a dialog. */
export interface DialogRoom {
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** The part of a list that is on the screen. */
interface ListPage {
  /** Lines of the whole list, and of one page. */
  readonly total: number;
  readonly rows: number;
  /** First line of the page. */
  readonly top: number;
}

/** How far the user has read a list. */
export interface ListReading {
  /** First line of the page. */
  readonly top: number;
  /** Lines that have been on the screen, from the first one on. */
  readonly seen: number;
}

/**
 * Renders a choice dialog in at most `rows` lines, unless the choices alone take more and must be kept. `page`: of a
 * list that does not fit.
 */
export function choiceDialogLines<A>(
  dialog: ChoiceDialog<A>,
  selected: number,
  room: DialogRoom,
  keymap: Keymap,
  reading: ListReading,
): { readonly lines: readonly string[]; readonly page?: ListPage } {
  const head = titledRule(sanitizeLine(dialog.title), room.width, room.theme);
  const hint = hintLine(dialog, room, keymap);
  if (dialog.keepsChoices !== true) return { lines: textFirst(dialog, selected, room, head, hint) };
  return choicesFirst(dialog, selected, room, { head, hint, keymap, reading });
}

/** Rows of a list for which the text above it is dropped. */
const MIN_PAGE = 4;

function choicesFirst<A>(
  { body, choices }: ChoiceDialog<A>,
  selected: number,
  { width, rows, theme }: DialogRoom,
  {
    head,
    hint,
    keymap,
    reading,
  }: {
    readonly head: string;
    readonly hint: readonly string[];
    readonly keymap: Keymap;
    readonly reading: ListReading;
  },
): ReturnType<typeof choiceDialogLines> {
  const answers = choiceLinesWithin(choices, selected, width, rows, theme);
  const left = Math.max(0, rows - answers.length - 1);
  const isListed = body.some(({ type }) => type === 'list');
  const text = isListed
    ? bodyLines(body, Number.POSITIVE_INFINITY, { width, theme })
    : bodyLines(body, left, { width, theme });
  const ended = (lines: readonly string[]): readonly string[] =>
    [...lines, ...(rows > lines.length ? hint : [])].slice(-Math.max(answers.length, rows));
  // A blank line separates a list.
  const blank = isListed || left > text.length ? [''] : [];
  if (!isListed || text.length <= left - 1) return { lines: ended([head, ...text, ...blank, ...answers]) };
  const above = bodyLines(
    body.filter(({ type }) => type !== 'list'),
    Number.POSITIVE_INFINITY,
    { width, theme },
  );
  const fixed = left - 2 - above.length >= MIN_PAGE ? above.length : 0;
  const list = text.slice(fixed);
  const page = Math.max(1, left - 2 - fixed);
  const top = Math.max(0, Math.min(reading.top, list.length - page));
  const hints = keyHints(keymap, choicesFocus);
  const keys = [hints.key('confirm:pageUp'), hints.key('confirm:pageDown')].filter(
    (key) => key !== undefined,
  );
  const isRead = Math.max(reading.seen, top + page) >= list.length;
  const place = joinWithDots(
    `  lines ${top + 1}–${top + page} of ${list.length}`,
    keys.join('/'),
    isRead ? undefined : 'read to the end to accept',
  );
  const shown = [...text.slice(0, fixed), ...list.slice(top, top + page)];
  return {
    lines: ended([head, ...shown, theme.warning(truncate(place, width)), ...blank, ...answers]),
    page: { total: list.length, rows: page, top },
  };
}

/** How far the user has read once this page is shown, and after turning it by `pages`. */
export function turned(reading: ListReading, page: ListPage, pages: -1 | 0 | 1): ListReading {
  const lowest = Math.max(0, page.total - page.rows);
  return {
    top: Math.max(0, Math.min(page.top + pages * page.rows, lowest)),
    seen: Math.max(reading.seen, page.top + page.rows),
  };
}

/** Reserves at least one line per choice, then fills up with the text, then with details and key hints. */
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
  const hints = keyHints(keymap, choicesFocus);
  const keys = [hints.keys('confirm:previous', 'confirm:next'), hints.key('confirm:accept')]
    .filter((key) => key !== undefined)
    .join(' ');
  const letters = choices.flatMap(({ letter }) => letter ?? []).join(' ');
  const more = hint.hasLetters === true ? `, a digit${letters === '' ? '' : ` or ${letters}`}` : '';
  return [theme.dim(truncate(joinWithDots(keys + more, hint.escape), width))];
}

/** The text above choices or a field, in at most `rows` lines. */
export function bodyLines(
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
  // A list always takes at least one row; the rows above it scroll away first.
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
 * Picks lines that fit: first the first line of each item, so that a long item does not hide the next one, then the
 * remaining lines in order.
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
