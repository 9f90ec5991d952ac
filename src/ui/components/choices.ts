/** A few numbered choices: how they look, and which one a key takes. Pure. */
import type { DialogKey, DialogPlace } from '../keys/keymap.ts';
import { prefixLines, wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

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
