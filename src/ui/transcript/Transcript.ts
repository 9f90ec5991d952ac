/**
 * The transcript view without a terminal: where it stands, what it looks for, which rows it shows. A key is told to
 * it and a frame is asked of it. It follows the end of the session as long as nobody scrolls away from it.
 */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Part, PartRoom } from './parts.ts';
import { createSearch, type Direction, type Found, type GoesOn, type TranscriptSearch } from './search.ts';
import {
  comparePlaces,
  createTranscriptDocument,
  missingOriginal,
  type Place,
  type TranscriptDocument,
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

/** Milliseconds of work after which others have a turn. */
const SLICE_MS = 8;
/** Items above the top below which older history is fetched. */
const NEAR_ITEMS = 60;

export class Transcript {
  readonly #ports: TranscriptPorts;
  readonly #document: TranscriptDocument;
  readonly #search: TranscriptSearch;
  readonly #work: LongWork;
  #size: TranscriptSize;
  #top: Place;
  #isFollowing = true;
  #message: string | undefined;
  /** The beginning of the session is in memory. */
  #isComplete: boolean;
  #paging: Promise<boolean> | undefined;
  /** Items whose whole text was asked for. */
  readonly #asked = new Set<number>();

  constructor(entries: readonly JSONLEntry[], size: TranscriptSize, ports: TranscriptPorts) {
    this.#ports = ports;
    this.#size = size;
    this.#document = createTranscriptDocument(entries, size);
    this.#search = createSearch(this.#document, {
      readOriginal: (item) => this.#readOriginal(item),
      pageIn: () => this.#pageIn(),
    });
    this.#work = createLongWork(ports, (text) => {
      this.#message = text;
    });
    this.#top = this.#document.start();
    this.#isComplete = (entries[0]?.seq ?? 0) === 0;
    this.#settle();
  }

  resize(next: TranscriptSize): void {
    const before = this.#size;
    this.#size = next;
    if (before.width === next.width && before.markdown === next.markdown && before.theme === next.theme) {
      this.#settle();
      return;
    }
    const { item, part, row } = this.#top;
    const many = Math.max(1, this.#document.rowsOf(item, part).length);
    this.#document.setRoom(next);
    this.#search.setCurrent(undefined);
    this.#top = {
      item,
      part,
      row: Math.floor((row / many) * this.#document.rowsOf(item, part).length),
    };
    this.#settle();
  }

  append(entry: JSONLEntry): void {
    const { last } = this.#document.bounds();
    this.#document.append(entry);
    // What was live has become an entry: the same text in other parts.
    if (this.#top.item >= last && !this.#isFollowing) this.#top = this.#document.nearest(this.#top);
    const found = this.#search.current();
    if (found !== undefined && found.item >= last) this.#search.setCurrent(undefined);
  }

  setLive(parts: readonly Part[]): void {
    this.#document.setLive(parts);
  }

  scroll(rows: number): void {
    this.#work.cancel();
    this.#search.setCurrent(undefined);
    this.#scrollTo(this.#document.move(this.#top, rows));
  }

  async toStart(): Promise<void> {
    await this.#work.run('loading the beginning…', async (goesOn) => {
      while (!this.#isComplete && (await goesOn())) if (!(await this.#pageIn())) break;
      if (await goesOn()) this.#scrollTo(this.#document.start());
      this.#message = undefined;
    });
  }

  toEnd(): void {
    this.#work.cancel();
    this.#message = undefined;
    this.#isFollowing = true;
    this.#search.setCurrent(undefined);
    this.#settle();
  }

  /** To the previous prompt, or the next after the topmost row. */
  async toPrompt(direction: Direction): Promise<void> {
    await this.#work.run('looking for a prompt…', async (goesOn) => {
      const { part, row } = this.#top;
      let { item } = this.#top;
      // Inside of a prompt's own text, back is its beginning.
      if (direction === -1 && (part > 0 || row > 0)) item += 1;
      while (await goesOn()) {
        item += direction;
        const { first, last } = this.#document.bounds();
        if (item > last) break;
        if (item < first && !(await this.#pageIn())) break;
        const { type, subtype } = this.#document.entryAt(item) ?? {};
        if (type === 'user' && (subtype === 'prompt' || subtype === 'shell')) {
          this.#message = undefined;
          this.#scrollTo({ item, part: 0, row: 0 });
          return;
        }
      }
      this.#message = direction === 1 ? 'no later prompt' : 'no earlier prompt';
    });
  }

  /** Looks for words from here on; without them, for the last ones again. */
  async search(direction: Direction, query?: string): Promise<void> {
    const search = this.#search;
    if (query !== undefined) search.begin(query);
    if (!search.isOn()) return;
    await this.#work.run('searching… Esc stops', async (goesOn) => {
      const shown = { top: this.#top, bottom: this.#bottom() };
      let found = await search.find(direction, shown, goesOn);
      // The view opens at its end, where a forward search would find nothing at all.
      if (found === undefined && search.current() === undefined && (await goesOn()))
        found = await search.find(direction === 1 ? -1 : 1, shown, goesOn);
      if (!(await goesOn())) return;
      if (found === undefined) {
        const which = direction === 1 ? 'later' : 'earlier';
        this.#message = search.current() === undefined ? 'not found' : `no ${which} match`;
        return;
      }
      this.#showFound(found);
      this.#message = 'match';
      this.#ports.changed();
      const counted = await search.count(found, goesOn);
      if (counted !== undefined)
        this.#message = `match ${counted.number} of ${counted.all}${this.#isComplete ? '' : '+'}`;
    });
  }

  /** Ends a search or a way to the start that is still going on. True when there was one. */
  stop(): boolean {
    if (!this.#work.cancel()) return false;
    this.#message = 'stopped';
    return true;
  }

  rows(): readonly string[] {
    this.#settle();
    this.#readNear();
    this.#pageNear();
    return this.#shownRows().map(({ text, place }) => this.#search.mark(text, place));
  }

  isAtEnd(): boolean {
    return this.#isFollowing;
  }

  /** The entry of the topmost row. */
  topEntry(): JSONLEntry | undefined {
    return this.#document.entryAt(this.#top.item);
  }

  message(): string | undefined {
    return this.#message;
  }

  clearMessage(): void {
    this.#message = undefined;
  }

  #shownRows(): ReturnType<TranscriptDocument['rowsFrom']> {
    return this.#document.rowsFrom(this.#top, this.#size.height);
  }

  #bottom(): Place {
    return this.#shownRows().at(-1)?.place ?? this.#top;
  }

  /** The topmost row when the end is on screen. */
  #lastTop(): Place {
    return this.#document.move(this.#document.end(), 1 - this.#size.height);
  }

  #settle(): void {
    this.#top = this.#document.nearest(this.#top);
    const bottom = this.#lastTop();
    if (this.#isFollowing || comparePlaces(this.#top, bottom) >= 0) {
      this.#top = bottom;
      this.#isFollowing = true;
    }
  }

  #scrollTo(place: Place): void {
    this.#isFollowing = false;
    this.#top = place;
    this.#settle();
  }

  #showFound(found: Found): void {
    this.#search.setCurrent(found);
    const place = this.#search.placeOf(found);
    const isShown = this.#shownRows().some((one) => comparePlaces(one.place, place) === 0);
    if (!isShown) this.#scrollTo(this.#document.move(place, -Math.floor(this.#size.height / 3)));
    // What follows its end would move away from the match.
    else if (this.#isFollowing) this.#isFollowing = comparePlaces(this.#top, this.#lastTop()) === 0;
  }

  /** What is on screen, and a little before and after it. */
  #readNear(): void {
    const { first, last } = this.#document.bounds();
    const top = this.#top.item;
    const bottom = this.#bottom().item;
    for (let item = Math.max(first, top - 3); item <= Math.min(last, bottom + 3); item += 1)
      void this.#readOriginal(item);
  }

  async #readOriginal(item: number): Promise<void> {
    const ref = missingOriginal(this.#document, item);
    if (ref === undefined || this.#asked.has(item)) return;
    this.#asked.add(item);
    const text = await this.#ports.original(ref);
    if (text === undefined) return;
    this.#putOriginal(item, text);
    this.#settle();
    this.#ports.changed();
  }

  /** Replaces the part of a text by all of it; what is on screen stays where it was, counted from below. */
  #putOriginal(item: number, text: string): void {
    const { part, row } = this.#top;
    const isInside = this.#top.item === item && (part > 0 || row > 0);
    const below = isInside ? this.#rowsToEndOf(item) : 0;
    this.#document.setOriginal(item, text);
    if (this.#search.current()?.item === item) this.#search.setCurrent(undefined);
    if (!isInside) return;
    const last = this.#document.partsOf(item) - 1;
    const end = { item, part: last, row: this.#document.rowsOf(item, last).length };
    this.#top = this.#document.move(end, -below);
  }

  #rowsToEndOf(item: number): number {
    let rows = -this.#top.row;
    for (let part = this.#top.part; part < this.#document.partsOf(item); part += 1)
      rows += this.#document.rowsOf(item, part).length;
    return rows;
  }

  #pageNear(): void {
    if (!this.#isComplete && this.#top.item - this.#document.bounds().first < NEAR_ITEMS) void this.#pageIn();
  }

  /** Fetches older history; false at the beginning of the session. */
  #pageIn(): Promise<boolean> {
    const seq = this.#document.entryAt(this.#document.bounds().first)?.seq;
    if (this.#isComplete || seq === undefined || seq === 0) return Promise.resolve(false);
    this.#paging ??= this.#ports
      .older(seq)
      .catch(() => [])
      .then((older) => {
        this.#paging = undefined;
        this.#document.prepend(older);
        this.#isComplete = older.length === 0 || older[0]?.seq === 0;
        this.#settle();
        this.#ports.changed();
        return older.length > 0;
      });
    return this.#paging;
  }
}

/** Searching and loading, in slices: the newest work ends what ran before it. */
interface LongWork {
  /** `text` is shown when it takes longer than a slice. */
  run(text: string, work: (goesOn: GoesOn) => Promise<void>): Promise<void>;
  /** True when something was running. */
  cancel(): boolean;
}

function createLongWork({ now, breathe, changed }: TranscriptPorts, show: (text: string) => void): LongWork {
  let newest = 0;
  let isRunning = false;
  return {
    async run(text, work) {
      newest += 1;
      const own = newest;
      isRunning = true;
      let since = now();
      await work(async () => {
        if (now() - since > SLICE_MS) {
          show(text);
          changed();
          await breathe();
          since = now();
        }
        return own === newest;
      });
      if (own === newest) isRunning = false;
      changed();
    },
    cancel() {
      const wasRunning = isRunning;
      newest += 1;
      isRunning = false;
      return wasRunning;
    },
  };
}
