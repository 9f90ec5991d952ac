import { isPlain, segment } from './graphemes.ts';

/** A paste that is shown as `label` and sent as `text`. */
export type PastedText = { readonly label: string; readonly text: string };

/**
 * What the cursor steps over: one grapheme, or one folded paste. A fold is an object, so that nothing typed can
 * be mistaken for it, and whatever deletes, kills, yanks or undoes it carries its text along.
 */
export type Unit = string | PastedText;

/** Text to units; no folds are made here. */
export function unitsOf(text: string): Unit[] {
  return segment(text);
}

/** The whole text, folded pastes written out. */
export function expand(units: readonly Unit[]): string {
  return units.map((unit) => (typeof unit === 'string' ? unit : unit.text)).join('');
}

/** The text as it is shown, folded pastes as their labels. */
export function abbreviate(units: readonly Unit[]): string {
  return units.map((unit) => (typeof unit === 'string' ? unit : unit.label)).join('');
}

/**
 * Replaces `units[from..to)` and returns the position after what was inserted. Where the new neighbours join
 * (an accent onto its letter, two halves of a flag) the line is divided afresh, so units are always graphemes.
 */
export function splice(
  units: readonly Unit[],
  from: number,
  to: number,
  inserted: readonly Unit[],
): { units: readonly Unit[]; cursor: number } {
  const spliced = [...units.slice(0, from), ...inserted, ...units.slice(to)];
  const cursor = from + inserted.length;
  if (keepsApart(spliced, from) && keepsApart(spliced, cursor)) return { units: spliced, cursor };
  return divideAfresh(spliced, from, cursor);
}

/** True when the units on both sides of a position cannot join. */
function keepsApart(units: readonly Unit[], position: number): boolean {
  const [before, after] = [units[position - 1], units[position]];
  const apart = (unit: Unit | undefined): boolean => typeof unit !== 'string' || unit === '\n';
  if (apart(before) || apart(after)) return true;
  return typeof before === 'string' && typeof after === 'string' && isPlain(before) && isPlain(after);
}

function divideAfresh(
  units: readonly Unit[],
  from: number,
  cursor: number,
): { units: readonly Unit[]; cursor: number } {
  const isEnd = (unit: Unit | undefined): boolean => typeof unit !== 'string' || unit === '\n';
  let start = from;
  while (start > 0 && !isEnd(units[start - 1])) start--;
  let end = cursor;
  while (end < units.length && !isEnd(units[end])) end++;

  const region = units.slice(start, end);
  const divided: Unit[] = [];
  let newCursor = start;
  let offset = 0;
  const cursorOffset = lengthOf(region.slice(0, cursor - start));
  for (const unit of divide(region)) {
    // A cursor inside a grapheme that has just formed moves behind it.
    if (offset < cursorOffset) newCursor = start + divided.length + 1;
    offset += lengthOf([unit]);
    divided.push(unit);
  }
  return { units: [...units.slice(0, start), ...divided, ...units.slice(end)], cursor: newCursor };
}

/** Divides runs of text between folds; folds stay as they are. */
function divide(region: readonly Unit[]): Unit[] {
  const divided: Unit[] = [];
  let run = '';
  for (const unit of region) {
    if (typeof unit === 'string') {
      run += unit;
      continue;
    }
    divided.push(...segment(run), unit);
    run = '';
  }
  divided.push(...segment(run));
  return divided;
}

const lengthOf = (units: readonly Unit[]): number =>
  units.reduce((sum, unit) => sum + (typeof unit === 'string' ? unit.length : 1), 0);
