/** Brackets that belong together. Pure. */
import type { Unit } from '../units.ts';
import { lineEnd } from '../words.ts';

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** `%`: the partner of the bracket under the cursor, or of the first one after it on the line. */
export function matchingBracket(units: readonly Unit[], cursor: number): number | undefined {
  const end = lineEnd(units, cursor);
  for (let at = cursor; at < end; at++) {
    const unit = String(units[at]);
    const close = pairs[unit];
    const open = opening[unit];
    if (close !== undefined) return partner(units, at, unit, close, 1);
    if (open !== undefined) return partner(units, at, unit, open, -1);
  }
  return undefined;
}

/** The brackets around a position, it being between them or on one of them. */
export function bracketsAround(
  units: readonly Unit[],
  cursor: number,
  open: string,
  close: string,
): { readonly from: number; readonly to: number } | undefined {
  const from =
    units[cursor] === open ? cursor : partner(units, cursor, close, open, -1, units[cursor] !== close);
  if (from === undefined) return undefined;
  const to = partner(units, from, open, close, 1);
  return to === undefined ? undefined : { from, to };
}

/** Looks for `wanted` in one direction, stepping over pairs in between. */
function partner(
  units: readonly Unit[],
  start: number,
  same: string,
  wanted: string,
  step: 1 | -1,
  fromInside = false,
): number | undefined {
  let depth = fromInside ? 1 : 0;
  for (let at = start; at >= 0 && at < units.length; at += step) {
    if (units[at] === same) depth++;
    else if (units[at] === wanted && --depth === 0) return at;
  }
  return undefined;
}
