/** Words in the transcript: which match is the current one, where the next is, how many there are, what is marked. */
import { findInRows, type Match, markRow, searchPattern } from './searchRows.ts';
import { comparePlaces, type Place, type TranscriptDocument } from './transcriptDocument.ts';

export type Direction = 1 | -1;

/** A match: of a part, of an item, in the order in which they stand there. */
export interface Found {
  readonly item: number;
  readonly part: number;
  readonly index: number;
}

export interface SearchPorts {
  /** Puts the whole of an item's text in place, where only a part of it is there. */
  readonly readOriginal: (item: number) => Promise<void>;
  /** Brings in what stands before the first item; false at the beginning of the session. */
  readonly pageIn: () => Promise<boolean>;
}

/** False as soon as nobody waits for the work any more. */
export type GoesOn = () => Promise<boolean>;

export interface TranscriptSearch {
  /** New words; nothing is current. */
  begin(query: string): void;
  /** There are words to look for. */
  isOn(): boolean;
  current(): Found | undefined;
  setCurrent(found: Found | undefined): void;
  /** The match after or before the current one, else from the rows on screen on. */
  find(direction: Direction, shown: Shown, goesOn: GoesOn): Promise<Found | undefined>;
  /** How many there are in memory and which one this is; undefined where nobody waited for it. */
  count(found: Found, goesOn: GoesOn): Promise<{ readonly number: number; readonly all: number } | undefined>;
  placeOf(found: Found): Place;
  /** The text of a row with the matches in it marked. */
  mark(text: string, place: Place): string;
}

/** The first and the last row on screen. */
interface Shown {
  readonly top: Place;
  readonly bottom: Place;
}

export function createSearch(document: TranscriptDocument, ports: SearchPorts): TranscriptSearch {
  let pattern: RegExp | undefined;
  let current: Found | undefined;
  let known = new WeakMap<readonly string[], readonly Match[]>();

  const matchesOf = (item: number, part: number): readonly Match[] => {
    if (pattern === undefined) return [];
    const rows = document.rowsOf(item, part);
    const matches = known.get(rows) ?? findInRows(rows, pattern);
    known.set(rows, matches);
    return matches;
  };
  const placeOf = ({ item, part, index }: Found): Place => ({
    item,
    part,
    row: matchesOf(item, part)[index]?.[0]?.row ?? 0,
  });
  const lastPart = (item: number): number => document.partsOf(item) - 1;

  const find = async (
    direction: Direction,
    { top, bottom }: Shown,
    goesOn: GoesOn,
  ): Promise<Found | undefined> => {
    const from = current ?? (direction === 1 ? top : bottom);
    let { item, part } = from;
    let isHere = true;
    const isWanted = (index: number): boolean => {
      if (!isHere) return true;
      if (current !== undefined) return (index - current.index) * direction > 0;
      const place = placeOf({ item, part, index });
      return direction === 1 ? comparePlaces(place, top) >= 0 : comparePlaces(place, bottom) <= 0;
    };
    while (await goesOn()) {
      if (isHere || part === (direction === 1 ? 0 : lastPart(item))) {
        const last = lastPart(item);
        await ports.readOriginal(item);
        // The whole text has more parts than what stood for it.
        if (!isHere && direction === -1 && lastPart(item) !== last) part = lastPart(item);
      }
      const order = matchesOf(item, part).map((_, index) => index);
      if (direction === -1) order.reverse();
      const index = order.find(isWanted);
      if (index !== undefined) return { item, part, index };
      isHere = false;
      part += direction;
      while (part < 0 || part > lastPart(item)) {
        item += direction;
        const { first, last } = document.bounds();
        if (item > last) return undefined;
        if (item < first && !(await ports.pageIn())) return undefined;
        part = direction === 1 ? 0 : lastPart(item);
        if (!(await goesOn())) return undefined;
      }
    }
    return undefined;
  };

  return {
    begin(query) {
      pattern = searchPattern(query);
      known = new WeakMap();
      current = undefined;
    },
    isOn: () => pattern !== undefined,
    current: () => current,
    setCurrent(found) {
      current = found;
    },
    find,
    async count(found, goesOn) {
      let before = 0;
      let all = 0;
      const { first, last } = document.bounds();
      for (let item = first; item <= last; item += 1) {
        for (let part = 0; part < document.partsOf(item); part += 1) {
          const many = matchesOf(item, part).length;
          all += many;
          if (item < found.item || (item === found.item && part < found.part)) before += many;
          if (!(await goesOn())) return undefined;
        }
      }
      return { number: before + found.index + 1, all };
    },
    placeOf,
    mark(text, place) {
      if (pattern === undefined) return text;
      const { item, part, row } = place;
      const ranges = matchesOf(item, part).flatMap((match, index) => {
        const isCurrent = current?.item === item && current.part === part && current.index === index;
        return match.filter((range) => range.row === row).map((range) => ({ ...range, isCurrent }));
      });
      return markRow(text, ranges);
    },
  };
}
