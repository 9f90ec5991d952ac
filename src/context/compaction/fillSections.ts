/** Fits lists into a bound, the most important lists first, and of each its most important lines. */

export interface SectionLine {
  readonly full: string;
  /** The same with less detail, for when room is short. */
  readonly bare?: string;
  /** Higher stays longer; of equals the later one. */
  readonly weight?: number;
}

export interface Section {
  readonly heading: string;
  /** In the order in which they are shown. */
  readonly lines: readonly SectionLine[];
}

/** The least that each of the first lists gets, as a share, when not even these fit together. */
const SHARES: readonly number[] = [0.4, 0.35, 0.08, 0.07, 0.05, 0.05];

/**
 * Lines of all sections within `maxCharacters`, line ends counted. Sections come in order of importance: what
 * the first need they get, unless they would take everything from each other; details come last.
 */
export function fillSections(sections: readonly Section[], maxCharacters: number): string[] {
  const bare = sections.map((section) => needOf(section, 'bare'));
  const rooms = allot(bare, maxCharacters);
  let left = maxCharacters - rooms.reduce((sum, room) => sum + room, 0);
  return sections.flatMap((section, index) => {
    const extra = needOf(section, 'full') - (bare[index] ?? 0);
    const isFull = rooms[index] === bare[index] && extra <= left;
    if (isFull) left -= extra;
    return isFull ? linesOf(section, 'full') : strongest(section, rooms[index] ?? 0);
  });
}

/** Each its need where the first two fit whole; else each its share, and what others leave, in order. */
function allot(needs: readonly number[], room: number): number[] {
  const first = (needs[0] ?? 0) + (needs[1] ?? 0);
  const rooms = needs.map((need, index) =>
    first <= room ? (index < 2 ? need : 0) : Math.min(need, Math.floor(room * (SHARES[index] ?? 0))),
  );
  let left = room - rooms.reduce((sum, one) => sum + one, 0);
  return rooms.map((one, index) => {
    const more = Math.min(left, (needs[index] ?? 0) - one);
    left -= more;
    return one + more;
  });
}

type Detail = 'full' | 'bare';

function textOf(line: SectionLine, detail: Detail): string {
  return detail === 'bare' ? (line.bare ?? line.full) : line.full;
}

function needOf({ heading, lines }: Section, detail: Detail): number {
  if (lines.length === 0) return 0;
  return lines.reduce((sum, line) => sum + textOf(line, detail).length + 1, heading.length + 1);
}

function linesOf({ heading, lines }: Section, detail: Detail): string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => textOf(line, detail))];
}

/** The weightiest lines that fit, in their order, and how many are missing. */
function strongest(section: Section, room: number): string[] {
  const { heading, lines } = section;
  if (lines.length === 0) return [];
  if (needOf(section, 'bare') <= room) return linesOf(section, 'bare');
  const note = (missing: number): string => `- (${missing} more; Recall finds them)`;
  let left = room - heading.length - 1 - note(lines.length).length - 1;
  const ranked = lines
    .map((line, index) => ({ text: textOf(line, 'bare'), index, weight: line.weight ?? 0 }))
    .sort((a, b) => b.weight - a.weight || b.index - a.index);
  const chosen = new Set<number>();
  for (const { text, index } of ranked) {
    if (text.length + 1 > left) continue;
    left -= text.length + 1;
    chosen.add(index);
  }
  if (chosen.size === 0) return [];
  const shown = ranked.filter(({ index }) => chosen.has(index)).sort((a, b) => a.index - b.index);
  return [heading, ...shown.map(({ text }) => text), note(lines.length - chosen.size)];
}
