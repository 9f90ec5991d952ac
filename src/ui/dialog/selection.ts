/** A filtered list with a selected row and a visible window. Pure. */

export interface Selection<T> {
  readonly items: readonly T[];
  /** The items that match the filter, in order. */
  readonly visible: readonly T[];
  readonly filter: string;
  readonly selected: number;
  /** First row on screen. */
  readonly top: number;
}

/** Creates an unfiltered selection with the first item selected. */
export function createSelection<T>(items: readonly T[]): Selection<T> {
  return { items, visible: items, filter: '', selected: 0, top: 0 };
}

/** Keeps the items whose text contains every word of the filter, ignoring case, and selects the first. */
export function filterSelection<T>(
  selection: Selection<T>,
  filter: string,
  textOf: (item: T) => string,
): Selection<T> {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  // A longer filter can only narrow the previous result.
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

/** Selects the item that was selected before, identified by its text; the first item if it is gone. */
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

/** Moves the selection by `by` rows and scrolls the window of `rows`. A single step wraps around at the ends. */
export function moveSelection<T>(selection: Selection<T>, by: number, rows: number): Selection<T> {
  const last = selection.visible.length - 1;
  if (last < 0) return selection;
  const wraps = Math.abs(by) === 1;
  const wanted = selection.selected + by;
  const selected =
    wraps && wanted < 0 ? last : wraps && wanted > last ? 0 : Math.max(0, Math.min(last, wanted));
  return windowAround({ ...selection, selected }, rows);
}

/** Scrolls the window of `rows` so that the selected row is visible. */
export function windowAround<T>(selection: Selection<T>, rows: number): Selection<T> {
  const height = Math.max(1, rows);
  const lowest = Math.max(0, selection.visible.length - height);
  const top = Math.min(
    lowest,
    Math.max(Math.min(selection.top, selection.selected), selection.selected - height + 1),
  );
  return top === selection.top ? selection : { ...selection, top };
}
