/** A few numbered choices: how they look, and which one a key takes. Pure. */
import { prefixLines, wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';

export interface Choice {
  readonly label: string;
  /** A second line, dim: what exactly this does. */
  readonly detail?: string | undefined;
  /** A letter that takes it, besides its number. */
  readonly letter?: string;
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

/** The choice whose number or letter was typed. */
export function choiceOfCharacter(choices: readonly Choice[], character: string): number | undefined {
  const wanted = character.toLowerCase();
  const index = choices.findIndex((choice, at) => wanted === String(at + 1) || wanted === choice.letter);
  return index === -1 ? undefined : index;
}
