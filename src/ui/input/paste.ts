import { clean } from './graphemes.ts';
import { type PastedText, type Unit, unitsOf } from './units.ts';

/** Pastes longer than this many characters, or of more than this many lines, are shown folded (as Claude Code does). */
export const foldLimits = { characters: 800, lines: 2 } as const;

/** A recalled text is there to be edited: only one that would fill screens is folded. */
const recallLimits = { characters: 10_000, lines: 200 } as const;

/**
 * What a paste puts into the buffer: its characters, or one fold that keeps the whole text under a label
 * such as `[Pasted text #1 +120 lines]`. Takes time linear in the text.
 */
export function unitsOfPaste(pasted: string, existing: readonly Unit[]): readonly Unit[] {
  const text = clean(pasted);
  return exceeds(text, foldLimits) ? [fold(text, existing)] : unitsOf(text);
}

/** What a recalled or restored text puts into the buffer. */
export function unitsOfRecall(recalled: string, existing: readonly Unit[] = []): readonly Unit[] {
  const text = clean(recalled);
  if (exceeds(text, recallLimits)) return [fold(text, existing)];
  return text
    .split(/(\[Image #\d{1,6}\])/)
    .flatMap((part, at) => (at % 2 === 1 ? [imageUnit(part)] : unitsOf(part)));
}

/** Where an image stands: one step for the cursor. Its text is all it needs; see `ui/images/imageShelf.ts`. */
export function imageUnit(label: string): PastedText {
  return { label, text: label };
}

function fold(text: string, existing: readonly Unit[]): PastedText {
  const used = existing.flatMap((unit) => (typeof unit === 'string' ? [] : [numberOf(unit)]));
  const lines = countLines(text);
  const size = lines > foldLimits.lines ? `${lines} lines` : `${text.length} characters`;
  return { label: `[Pasted text #${Math.max(0, ...used) + 1} +${size}]`, text };
}

const exceeds = (text: string, limits: { readonly characters: number; readonly lines: number }): boolean =>
  text.length > limits.characters || countLines(text) > limits.lines;

const numberOf = (unit: PastedText): number => Number(/^\[Pasted text #(\d+)/.exec(unit.label)?.[1] ?? 0);

/** A newline at the very end ends the last line and does not begin another. */
function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
