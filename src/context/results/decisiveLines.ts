/** The lines of an output that decide what to do next, each with a rank. Bounded work, whatever the output. */
import { headOf } from '../tokens/wellFormed.ts';
import { hasFileReference, isErrorLine, isForeign, isSummaryLine, referenceAt } from './errorLines.ts';

export interface DecisiveLine {
  /** In UTF-16 units of the whole text; `end` is where its line ends. */
  readonly start: number;
  readonly end: number;
  /** At most 240 characters of it, with the place in a file that it names. */
  readonly text: string;
  /** Smaller is more telling. */
  readonly rank: number;
}

/** What makes a line telling, the most telling first. */
export const rank = { edge: 0, errorWithPlace: 1, place: 2, summary: 3, error: 4, otherPlace: 5 } as const;

/**
 * Looks through the lines between `from` and `to`, from both ends where there are too many. Yields now and
 * then. A line that occurs again is listed once.
 */
export function* findDecisiveLines(
  text: string,
  from: number,
  to: number,
): Generator<undefined, DecisiveLine[]> {
  const found = new FoundLines();
  const isShort = to - from <= 2 * MAX_SEARCHED;
  yield* search(text, from, isShort ? to : from + MAX_SEARCHED, found);
  if (!isShort) yield* search(text, to - MAX_SEARCHED, to, found);
  const all = found.all();
  const first = all.findIndex((line) => line.isError);
  const last = all.findLastIndex((line) => line.isError);
  const seen = new Set<string>();
  const lines: DecisiveLine[] = [];
  for (const [index, { isError, ...line }] of all.entries()) {
    const isEdge = isError && (index === first || index === last);
    const key = line.text.trim();
    if (seen.has(key) && !isEdge) continue;
    seen.add(key);
    lines.push(isEdge ? { ...line, rank: rank.edge } : line);
  }
  return lines;
}

/** Characters looked through from each end: as much as a command's output keeps of each. */
const MAX_SEARCHED = 512 * 1024;
/** Between two yields: a few milliseconds. */
const STEP_CHARACTERS = 16 * 1024;
/** Lines after an error within which a place in a file belongs to it: a stack, a quoted piece of code. */
const NEAR = 25;
const LINE_CHARACTERS = 240;

type FoundLine = DecisiveLine & { readonly isError: boolean };

/**
 * The first two thousand and the last ones, so that the last error is among them whatever came before; of
 * places that belong to no error, which may be on every line, the first few.
 */
class FoundLines {
  readonly #first: FoundLine[] = [];
  #last: FoundLine[] = [];
  readonly #others: FoundLine[] = [];

  add(line: FoundLine): void {
    if (line.rank === rank.otherPlace) {
      if (this.#others.length < MAX_OTHERS) this.#others.push(line);
    } else if (this.#first.length < MAX_FOUND) this.#first.push(line);
    else if (this.#last.push(line) > 2 * MAX_FOUND) this.#last = this.#last.slice(-MAX_FOUND);
  }

  /** In the order of the text. */
  all(): readonly FoundLine[] {
    const found = [...this.#first, ...this.#last.slice(-MAX_FOUND), ...this.#others];
    return found.sort((a, b) => a.start - b.start);
  }
}

const MAX_OTHERS = 200;
const MAX_FOUND = 2000;

function* search(text: string, from: number, to: number, found: FoundLines): Generator<undefined, void> {
  let sinceError = Number.POSITIVE_INFINITY;
  let pause = from + STEP_CHARACTERS;
  for (let start = lineBegin(text, from); start < to; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (end > start) {
      const line = text.slice(start, Math.min(end, start + MAX_LOOKED_AT));
      const isError = isErrorLine(line);
      sinceError = isError ? 0 : sinceError + 1;
      const its = rankOf(line, isError, sinceError);
      if (its !== undefined) found.add({ start, end, text: quoted(line), rank: its, isError });
    }
    start = end + 1;
    if (start < pause) continue;
    pause = start + STEP_CHARACTERS;
    yield;
  }
}

/** What of a line is looked at. */
const MAX_LOOKED_AT = 1000;

function rankOf(line: string, isError: boolean, sinceError: number): number | undefined {
  const hasPlace = hasFileReference(line) && !isForeign(line);
  if (isError && hasPlace) return rank.errorWithPlace;
  if (hasPlace && sinceError <= NEAR) return rank.place;
  if (isSummaryLine(line)) return rank.summary;
  if (isError) return isForeign(line) ? rank.otherPlace : rank.error;
  return hasPlace ? rank.otherPlace : undefined;
}

/** The line itself; of one longer than `max` characters the part with the place that it names. */
export function quoted(line: string, max: number = LINE_CHARACTERS): string {
  if (line.length <= max) return line;
  const at = referenceAt(line);
  if (at < max * 0.75) return `${headOf(line, max - 1)}…`;
  const edge = Math.floor(max / 3);
  return `${headOf(line, edge)}…${headOf(line.slice(Math.max(edge, at - edge)), max - edge - 2)}`;
}

/** Index at which the line that `index` is in begins, or the next one when it is not the text's first. */
function lineBegin(text: string, index: number): number {
  if (index === 0 || text[index - 1] === '\n' || text[index] === '\n') return index;
  const feed = text.indexOf('\n', index);
  return feed === -1 ? text.length : feed + 1;
}
