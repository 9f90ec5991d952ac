/**
 * The transcript view without a terminal: where it stands, what it looks for, which rows it shows. A key is told to
 * it and a frame is asked of it. It follows the end of the session as long as nobody scrolls away from it.
 */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Part, PartRoom } from './parts.ts';
import { createSearch, type Direction, type Found, type GoesOn } from './search.ts';
import {
  comparePlaces,
  createTranscriptDocument,
  missingOriginal,
  type Place,
} from './transcriptDocument.ts';

export interface TranscriptPorts {
  /** Entries before a position, oldest first; none at the beginning of the session. */
  readonly older: (beforeSeq: number) => Promise<readonly JSONLEntry[]>;
  /** The whole of a text of which an entry holds a part. */
  readonly original: (ref: BlobRef) => Promise<string | undefined>;
  /** Lets other things happen in the middle of something long. */
  readonly breathe: () => Promise<void>;
  readonly now: () => number;
  /** Something came in: draw. */
  readonly changed: () => void;
}

export interface TranscriptSize extends PartRoom {
  /** Rows of text. */
  readonly height: number;
}

export interface Transcript {
  resize(size: TranscriptSize): void;
  append(entry: JSONLEntry): void;
  setLive(parts: readonly Part[]): void;
  scroll(rows: number): void;
  toStart(): Promise<void>;
  toEnd(): void;
  /** To previous prompt or after the topmost row. */
  toPrompt(direction: Direction): Promise<void>;
  /** Looks for words from here on; without them, for the last ones again. */
  search(direction: Direction, query?: string): Promise<void>;
  /** Ends a search or a way to the start that is still going on. True when there was one. */
  stop(): boolean;
  rows(): readonly string[];
  isAtEnd(): boolean;
  /** The entry of the topmost row. */
  topEntry(): JSONLEntry | undefined;
  message(): string | undefined;
  clearMessage(): void;
}

/** Milliseconds of work after which others have a turn. */
const SLICE_MS = 8;

export function createTranscript(
  entries: readonly JSONLEntry[],
  initialSize: TranscriptSize,
  ports: TranscriptPorts,
): Transcript {
  let size = initialSize;
  const document = createTranscriptDocument(entries, size);
  const asked = new Set<number>();
  let top: Place = document.start();
  let isFollowing = true;
  let isComplete = (entries[0]?.seq ?? 0) === 0;
  let message: string | undefined;
  /** Raised by whatever ends the long work before it. */
  let work = 0;
  let isWorking = false;

  const lastTop = (): Place => document.move(document.end(), 1 - size.height);
  const settle = (): void => {
    top = document.nearest(top);
    const bottom = lastTop();
    if (isFollowing || comparePlaces(top, bottom) >= 0) {
      top = bottom;
      isFollowing = true;
    }
  };
  const scrollTo = (place: Place): void => {
    isFollowing = false;
    top = place;
    settle();
  };

  /** Puts a whole text in place of the part of it; what is on screen stays where it was, counted from below. */
  const putOriginal = (item: number, text: string): void => {
    const isInside = top.item === item && (top.part > 0 || top.row > 0);
    const below = isInside ? rowsToEndOf(item) : 0;
    document.setOriginal(item, text);
    if (search.current()?.item === item) search.setCurrent(undefined);
    if (!isInside) return;
    const many = document.partsOf(item) - 1;
    const end = { item, part: many, row: document.rowsOf(item, many).length };
    top = document.move(end, -below);
  };
  const rowsToEndOf = (item: number): number => {
    let rows = -top.row;
    for (let part = top.part; part < document.partsOf(item); part += 1)
      rows += document.rowsOf(item, part).length;
    return rows;
  };
  const readOriginal = async (item: number): Promise<void> => {
    const ref = missingOriginal(document, item);
    if (ref === undefined || asked.has(item)) return;
    asked.add(item);
    const text = await ports.original(ref);
    if (text === undefined) return;
    putOriginal(item, text);
    settle();
    ports.changed();
  };
  /** What is on screen, and a little before and after it. */
  const readNear = (): void => {
    const { first, last } = document.bounds();
    const bottom = document.rowsFrom(top, size.height).at(-1)?.place.item ?? top.item;
    for (let item = Math.max(first, top.item - 3); item <= Math.min(last, bottom + 3); item += 1)
      void readOriginal(item);
  };

  let paging: Promise<boolean> | undefined;
  const pageIn = (): Promise<boolean> => {
    const { first } = document.bounds();
    const seq = document.entryAt(first)?.seq;
    if (isComplete || seq === undefined || seq === 0) return Promise.resolve(false);
    paging ??= ports
      .older(seq)
      .catch(() => [])
      .then((older) => {
        paging = undefined;
        document.prepend(older);
        isComplete = older.length === 0 || older[0]?.seq === 0;
        settle();
        ports.changed();
        return older.length > 0;
      });
    return paging;
  };
  const pageNear = (): void => {
    if (!isComplete && top.item - document.bounds().first < NEAR_ITEMS) void pageIn();
  };

  /** Long work: ends quietly when other work begins, or when it is stopped. */
  const working = async (text: string, run: (goesOn: GoesOn) => Promise<void>): Promise<void> => {
    work += 1;
    const own = work;
    isWorking = true;
    let since = ports.now();
    const goesOn = async (): Promise<boolean> => {
      if (ports.now() - since > SLICE_MS) {
        message = text;
        ports.changed();
        await ports.breathe();
        since = ports.now();
      }
      return own === work;
    };
    await run(goesOn);
    if (own === work) isWorking = false;
    ports.changed();
  };

  const cancel = (): void => {
    work += 1;
    isWorking = false;
  };

  const search = createSearch(document, { readOriginal, pageIn });
  const showFound = (found: Found): void => {
    search.setCurrent(found);
    const place = search.placeOf(found);
    const shown = document.rowsFrom(top, size.height).some((one) => comparePlaces(one.place, place) === 0);
    if (!shown) scrollTo(document.move(place, -Math.floor(size.height / 3)));
    // What follows its end would move away from the match.
    else if (isFollowing) isFollowing = comparePlaces(top, lastTop()) === 0;
  };

  settle();
  return {
    resize(next) {
      const before = size;
      size = next;
      if (before.width === next.width && before.markdown === next.markdown && before.theme === next.theme) {
        settle();
        return;
      }
      const many = Math.max(1, document.rowsOf(top.item, top.part).length);
      const share = top.row / many;
      document.setRoom(next);
      search.setCurrent(undefined);
      top = { ...top, row: Math.floor(share * document.rowsOf(top.item, top.part).length) };
      settle();
    },
    append(entry) {
      const { last } = document.bounds();
      document.append(entry);
      // What was live has become an entry: the same text in other parts.
      if (top.item >= last && !isFollowing) top = document.nearest(top);
      const found = search.current();
      if (found !== undefined && found.item >= last) search.setCurrent(undefined);
    },
    setLive: (parts) => document.setLive(parts),
    scroll(rows) {
      cancel();
      search.setCurrent(undefined);
      scrollTo(document.move(top, rows));
    },
    async toStart() {
      await working('loading the beginning…', async (goesOn) => {
        while (!isComplete && (await goesOn())) if (!(await pageIn())) break;
        if (await goesOn()) scrollTo(document.start());
        message = undefined;
      });
    },
    toEnd() {
      cancel();
      message = undefined;
      isFollowing = true;
      search.setCurrent(undefined);
      settle();
    },
    async toPrompt(direction) {
      await working('looking for a prompt…', async (goesOn) => {
        let item = top.item;
        // Inside of a prompt's own text, back is its beginning.
        if (direction === -1 && (top.part > 0 || top.row > 0)) item += 1;
        while (await goesOn()) {
          item += direction;
          const { first, last } = document.bounds();
          if (item > last) break;
          if (item < first && !(await pageIn())) break;
          const { type, subtype } = document.entryAt(item) ?? {};
          if (type === 'user' && (subtype === 'prompt' || subtype === 'shell')) {
            message = undefined;
            scrollTo({ item, part: 0, row: 0 });
            return;
          }
        }
        message = direction === 1 ? 'no later prompt' : 'no earlier prompt';
      });
    },
    async search(direction, query) {
      if (query !== undefined) search.begin(query);
      if (!search.isOn()) return;
      await working('searching… Esc stops', async (goesOn) => {
        const bottom = document.rowsFrom(top, size.height).at(-1)?.place ?? top;
        const shown = { top, bottom };
        let found = await search.find(direction, shown, goesOn);
        // The view opens at its end, where a forward search would find nothing at all.
        if (found === undefined && search.current() === undefined && (await goesOn()))
          found = await search.find(direction === 1 ? -1 : 1, shown, goesOn);
        if (!(await goesOn())) return;
        if (found === undefined) {
          const before = search.current();
          message =
            before === undefined ? 'not found' : direction === 1 ? 'no later match' : 'no earlier match';
          return;
        }
        showFound(found);
        message = 'match';
        ports.changed();
        const counted = await search.count(found, goesOn);
        if (counted !== undefined)
          message = `match ${counted.number} of ${counted.all}${isComplete ? '' : '+'}`;
      });
    },
    stop() {
      if (!isWorking) return false;
      cancel();
      message = 'stopped';
      return true;
    },
    rows() {
      settle();
      readNear();
      pageNear();
      return document.rowsFrom(top, size.height).map(({ text, place }) => search.mark(text, place));
    },
    isAtEnd: () => isFollowing,
    topEntry: () => document.entryAt(top.item),
    message: () => message,
    clearMessage() {
      message = undefined;
    },
  };
}

/** Items above the top below which older history is fetched. */
const NEAR_ITEMS = 60;
