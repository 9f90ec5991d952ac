import { Box, usePaste } from 'ink';
import { type ReactNode, useEffect, useRef } from 'react';
import { applyEdit, createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import { joinWithDots, keyHints } from '../keys/keyHints.ts';
import type { DialogFocus, DialogFocusAction, DialogKey } from '../keys/keymap.ts';
import { useDialogKeys } from '../keys/useKeys.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { titledRule } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { fieldInput, fieldText } from './field.ts';
import { Lines, TextField } from './Lines.tsx';
import {
  createSelection,
  filterSelection,
  keepSelected,
  moveSelection,
  type Selection,
  windowAround,
} from './selection.ts';
import { useLatest } from './useAnswers.ts';

interface SelectListProps<T> {
  readonly title: string;
  readonly items: readonly T[];
  /** The text that typing filters by. */
  readonly textOf: (item: T) => string;
  /** Renders one painted row of at most `width` columns; by default the item's text. */
  readonly rowOf?: (item: T, width: number, isSelected: boolean) => string;
  /** Shown when there is nothing to choose from. */
  readonly empty?: string;
  readonly width: number;
  /** Maximum number of rows, including the details. */
  readonly rows: number;
  readonly theme: Theme;
  readonly isActive?: boolean;
  /** Index of the item that is selected first. */
  readonly start?: number;
  /** Number of rows that `detailOf` draws below the list. */
  readonly detailRows?: number;
  readonly detailOf?: (item: T | undefined) => ReactNode;
  /** What `onVariant` changes about an item, for the hint. */
  readonly variant?: string;
  readonly onVariant?: (item: T) => void;
  /** What Esc does, for the line of keys. */
  readonly escape?: string;
  readonly onPick: (item: T) => void;
  readonly onCancel: () => void;
  /** Ctrl+C; `onCancel` if absent. */
  readonly onQuit?: () => void;
}

interface State<T> {
  readonly filter: TextBuffer;
  readonly selection: Selection<T>;
}

const place: DialogFocus = { contexts: ['Select'], typing: 'text' };

/** A picker: typing filters, arrows move, Enter picks, Esc cancels. Draws only the visible rows. */
export function SelectList<T>(props: SelectListProps<T>) {
  const { title, items, textOf, rowOf, empty = 'Nothing here.', width, rows, theme, isActive = true } = props;
  const { start = 0, detailRows = 0, detailOf, onPick, onCancel, onQuit = onCancel } = props;
  const { variant = '', onVariant, escape: escapeHint = 'Esc closes' } = props;
  const [state, latest, set] = useLatest<State<T>>(() => ({
    filter: createBuffer(),
    selection: moveSelection(createSelection(items), start, rows),
  }));
  const previous = useRef(items);
  useEffect(() => {
    if (previous.current === items) return;
    previous.current = items;
    const { filter, selection } = latest();
    const filtered = filterSelection(createSelection(items), fieldText(filter), textOf);
    set({ filter, selection: keepSelected(filtered, selection, textOf) });
  });

  const shownDetails = rows - 3 - detailRows >= 3 ? detailRows : 0;
  const showHint = rows - 2 - shownDetails >= 3;
  const listRows = Math.max(1, rows - 2 - (showHint ? 1 : 0) - shownDetails);
  const move = (by: number): void => {
    const { filter, selection } = latest();
    set({ filter, selection: moveSelection(selection, by, listRows) });
  };
  const withSelected = (act: ((item: T) => void) | undefined): void => {
    const { selection } = latest();
    const item = selection.visible[selection.selected];
    if (item !== undefined) act?.(item);
  };
  const handlers: Partial<Record<DialogFocusAction, () => void>> = {
    ...listKeys(move, Math.max(2, listRows)),
    'select:accept': () => withSelected(onPick),
    'select:variant': () => withSelected(onVariant),
    'select:cancel': onCancel,
    'app:interrupt': onQuit,
  };
  const onKey = (key: DialogKey): void => {
    if (key.type === 'action') handlers[key.name]?.();
    else if (key.type === 'edit') edited(applyEdit(latest().filter, key.edit));
    else if (key.type === 'text') insert(key.text);
  };
  const insert = (text: string): void =>
    edited(applyEdit(latest().filter, { type: 'insert', text: fieldInput(text) }));
  const edited = (filter: TextBuffer): void => {
    const { selection } = latest();
    const text = fieldText(filter);
    set({
      filter,
      selection: text === selection.filter ? selection : filterSelection(selection, text, textOf),
    });
  };
  const keymap = useDialogKeys(() => place, onKey, isActive);
  usePaste(insert, { isActive });

  const { visible, selected, top } = windowAround(state.selection, listRows);
  const lines = visible.slice(top, top + listRows).map((item, index) => {
    const isSelected = top + index === selected;
    const mark = isSelected ? theme.accent('❯ ') : '  ';
    const row = rowOf?.(item, width - 2, isSelected) ?? plainRow(textOf(item), width - 2, isSelected, theme);
    return mark + row;
  });
  const none = theme.dim(truncate(`  ${items.length === 0 ? empty : 'Nothing matches.'}`, width));
  const hints = keyHints(keymap, place);
  const keys = [hints.keys('select:previous', 'select:next'), hints.key('select:accept')];
  const hint = joinWithDots(
    visible.length > listRows ? `${selected + 1} of ${visible.length}` : undefined,
    keys.filter((key) => key !== undefined).join(' '),
    onVariant === undefined ? undefined : hints.does('select:variant', variant),
    'type to filter',
    escapeHint,
  );
  return (
    <Box flexDirection="column">
      <Lines lines={[titledRule(title, width, theme)]} />
      <TextField label="Filter: " buffer={state.filter} width={width} theme={theme} isActive={isActive} />
      <Lines lines={lines.length === 0 ? [none] : lines} />
      {shownDetails > 0 && detailOf?.(visible[selected])}
      {showHint && <Lines lines={[theme.dim(truncate(hint, width))]} />}
    </Box>
  );
}

function plainRow(text: string, width: number, isSelected: boolean, theme: Theme): string {
  const line = truncate(sanitizeLine(text), width);
  return isSelected ? theme.accent(line) : line;
}

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
