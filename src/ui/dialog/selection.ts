/** The list under a filter, the selected row and the visible window. Pure. */

export interface Selection<T> {
  readonly items: readonly T[];
  /** What the filter leaves, in order. */
  readonly visible: readonly T[];
  readonly filter: string;
  readonly selected: number;
  /** First row on screen. */
  readonly top: number;
}

/** Everything visible, the first selected. */
export function createSelection<T>(items: readonly T[]): Selection<T> {
  return { items, visible: items, filter: '', selected: 0, top: 0 };
}

/** Keeps the items whose text holds every word of the filter, whatever the case; the first is selected. */
export function filterSelection<T>(
  selection: Selection<T>,
  filter: string,
  textOf: (item: T) => string,
): Selection<T> {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  // A longer filter only ever leaves a part of what the shorter one left.
  const base = filter.startsWith(selection.filter) ? selection.visible : selection.items;
  const visible =
    words.length === 0
      ? selection.items
      : base.filter((item) => {
          const text = textOf(item).toLowerCase();
          return words.every((word) => text.includes(word));
        });
  return { items: selection.items, visible, filter, selected: 0, top: 0 };
}

/** The new selection on the item that was selected before, known by its text; on its first where that is gone. */
export function keepSelected<T>(
  selection: Selection<T>,
  before: Selection<T>,
  textOf: (item: T) => string,
): Selection<T> {
  const was = before.visible[before.selected];
  const text = was === undefined ? undefined : textOf(was);
  const selected = selection.visible.findIndex((item) => textOf(item) === text);
  return selected < 0 ? selection : { ...selection, selected, top: before.top };
}

/** Moves by rows within the list, and the window of `rows` with it. From the ends, one step wraps around. */
export function moveSelection<T>(selection: Selection<T>, by: number, rows: number): Selection<T> {
  const last = selection.visible.length - 1;
  if (last < 0) return selection;
  const wraps = Math.abs(by) === 1;
  const wanted = selection.selected + by;
  const selected =
    wraps && wanted < 0 ? last : wraps && wanted > last ? 0 : Math.max(0, Math.min(last, wanted));
  return windowAround({ ...selection, selected }, rows);
}

/** The same selection with the selected row inside a window of `rows`. */
export function windowAround<T>(selection: Selection<T>, rows: number): Selection<T> {
  const height = Math.max(1, rows);
  const lowest = Math.max(0, selection.visible.length - height);
  const top = Math.min(
    lowest,
    Math.max(Math.min(selection.top, selection.selected), selection.selected - height + 1),
  );
  return top === selection.top ? selection : { ...selection, top };
}
