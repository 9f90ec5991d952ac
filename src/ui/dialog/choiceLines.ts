/** A dialog of choices as painted lines: its title, as much of its text as fits, the choices, the keys. Pure. */
import { choiceLines, choicesPlace, fittedChoiceLines } from '../components/choices.ts';
import { ruled } from '../components/permissionLayout.ts';
import { dotted, keyHints } from '../keys/keyHints.ts';
import type { Keymap } from '../keys/keymap.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { prefixLines, wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import type { Block, ChoiceDialog } from './dialog.ts';

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
