import type { DialogFocusAction } from '../keys/keymap.ts';

/** More rows than any list has. */
const FAR = 1e9;

/** What the keys of a list do: `move` moves the selection by rows; `page` is the number of rows of a page. */
export function listKeys(
  move: (by: number) => void,
  page: number,
): Partial<Record<DialogFocusAction, () => void>> {
  return {
    'select:previous': () => move(-1),
    'select:next': () => move(1),
    'select:pageUp': () => move(-page),
    'select:pageDown': () => move(page),
    'select:first': () => move(-FAR),
    'select:last': () => move(FAR),
  };
}
