/** The list of context items: its state, and its rows for every width. Pure. */
import type { ContextItem, ContextMeasure, ItemEdit } from '../../protocol/contextReport.ts';
import { shortTokens } from '../../protocol/text/numbers.ts';
import { fieldText } from '../dialog/field.ts';
import { createSelection, filterSelection, type Selection, windowAround } from '../dialog/selection.ts';
import { createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { padEnd, padStart, truncate } from '../print/width.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';

/** The items, the filter and the cursor. Pure. */
export interface ItemsState {
  readonly selection: Selection<ContextItem>;
  readonly filter: TextBuffer;
  /** True if keys are text for the filter instead of commands. */
  readonly isFiltering: boolean;
  /** The result of the last command. */
  readonly message: string;
}

/** Newest first; the newest is selected. */
export function createItemsState(items: readonly ContextItem[]): ItemsState {
  const selection = createSelection(items.toReversed());
  return { selection, filter: createBuffer(), isFiltering: false, message: '' };
}

export function selectedItem({ selection }: ItemsState): ContextItem | undefined {
  return selection.visible[selection.selected];
}

/** Updates the items; the cursor stays on its item. */
export function withItems(state: ItemsState, items: readonly ContextItem[], rows: number): ItemsState {
  const { uuid } = selectedItem(state) ?? {};
  const { selected, top } = state.selection;
  const filtered = filterSelection(createSelection(items.toReversed()), fieldText(state.filter), filterText);
  const found = uuid === undefined ? -1 : filtered.visible.findIndex((item) => item.uuid === uuid);
  const place = found === -1 ? Math.min(selected, Math.max(0, filtered.visible.length - 1)) : found;
  // New items appear above: keep the cursor on the same row of the screen.
  const selection = { ...filtered, selected: place, top: Math.max(0, top + place - selected) };
  return { ...state, selection: windowAround(selection, rows) };
}

export function withFilter(state: ItemsState, filter: TextBuffer): ItemsState {
  const text = fieldText(filter);
  const { selection } = state;
  return {
    ...state,
    filter,
    selection: text === selection.filter ? selection : filterSelection(selection, text, filterText),
  };
}

/** The user's request; pinning a pinned item unpins it. */
export type EditChoice = 'pin' | 'drop' | 'restore';

export function editFor(choice: EditChoice, { uuid, isPinned }: ContextItem): ItemEdit {
  return { action: choice === 'pin' && isPinned ? 'unpin' : choice, uuid };
}

const done: Readonly<Record<ItemEdit['action'], string>> = {
  pin: 'Pinned',
  unpin: 'Unpinned',
  drop: 'Dropped',
  restore: 'Restored',
};

/** Returns text such as "Dropped #12 · r restores it", with the key if there is one. */
export function doneText({ action }: ItemEdit, { seq }: ContextItem, restoreKey: string | undefined): string {
  const back = action === 'drop' && restoreKey !== undefined ? ` · ${restoreKey} restores it` : '';
  return `${done[action]} #${seq}${back}`;
}

/** The text that the filter matches: "masked reply #12 …". */
function filterText({ seq, kind, state, title, isPinned }: ContextItem): string {
  return `#${seq} ${kind} ${state}${isPinned ? ' pinned' : ''} ${title}`;
}

// Rows of the list for every width: symbols replace words on narrow screens. Pure.

type State = ContextItem['state'];

/** Distinguishable without color. */
const signs: Readonly<Record<State, string>> = { sent: '●', masked: '◐', summarized: '◆', removed: '○' };
const WORDS_FROM = 56;
const POINTERS_FROM = 34;

/** One row of at most `width` columns. */
export function itemRow(item: ContextItem, width: number, isSelected: boolean, theme: Theme): string {
  const { seq, kind, state, tokens, isPinned } = item;
  const pin = isPinned ? '*' : ' ';
  const size = padStart(shortTokens(tokens), 6);
  const pointer = width < POINTERS_FROM ? '' : `${padStart(`#${seq}`, 6)} `;
  const words = width < WORDS_FROM ? '' : `${padEnd(kind, 12)} ${padEnd(state, 10)} `;
  const facts = ` ${pointer}${words}${size}  `;
  const title = truncate(sanitizeLine(item.title) || '(no text)', Math.max(1, width - 2 - facts.length));
  const marks = `${theme.accent(pin)}${paintOf(state, theme)(signs[state])}`;
  return marks + theme.dim(facts) + (isSelected ? theme.accent(title) : title);
}

/** The selected item in words, with its state first, since a narrow screen cuts the rest. */
export function itemDetail(item: ContextItem | undefined, width: number, theme: Theme): string {
  if (item === undefined) return '';
  const { seq, kind, state, tokens, isPinned } = item;
  const text = `${state}${isPinned ? ', pinned' : ''} · ${shortTokens(tokens)} tokens · #${seq} ${kind}`;
  return paintOf(state, theme)(truncate(text, width));
}

/** How much of the context window is used, and the number of items per state. */
export function totalsRow(
  items: readonly ContextItem[],
  measure: ContextMeasure | undefined,
  width: number,
  theme: Theme,
): string {
  const counts = new Map<State, number>();
  for (const { state } of items) counts.set(state, (counts.get(state) ?? 0) + 1);
  const used =
    measure === undefined
      ? []
      : [
          `${measure.exact ? '' : '~'}${shortTokens(measure.usedTokens)} of ${shortTokens(measure.windowTokens)} (compacts at ${shortTokens(measure.triggerTokens)})`,
        ];
  const states = (['sent', 'masked', 'summarized', 'removed'] as const).flatMap((state) => {
    const count = counts.get(state) ?? 0;
    return count === 0 ? [] : [`${signs[state]} ${count} ${state}`];
  });
  return theme.dim(truncate([...used, ...states].join(' · '), width));
}

function paintOf(state: State, theme: Theme): Paint {
  switch (state) {
    case 'sent':
      return theme.success;
    case 'masked':
      return theme.dim;
    case 'summarized':
      return theme.accent;
    case 'removed':
      return theme.error;
  }
}
