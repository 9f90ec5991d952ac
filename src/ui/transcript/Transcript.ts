/**
 * The transcript view without a terminal: its position, its search and its visible rows. Takes actions and produces
 * frames. Stays at the end of the session until the user scrolls away.
 */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Part, PartRoom } from './parts.ts';
import {
  createSearch,
  type Direction,
  type Match,
  type ShouldContinue,
  type TranscriptSearch,
} from './search.ts';
import {
  comparePositions,
  createTranscriptDocument,
  missingOriginal,
  type RowPosition,
  type TranscriptDocument,
} from './transcriptDocument.ts';

interface TranscriptPorts {
  /** Entries before a position, oldest first; empty at the start of the session. */
  readonly older: (beforeSeq: number) => Promise<readonly JSONLEntry[]>;
  /** The full text for an entry that contains only part of it. */
  readonly original: (ref: BlobRef) => Promise<string | undefined>;
  /** Yields to the event loop during long work. */
  readonly pause: () => Promise<void>;
  readonly now: () => number;
  /** Called when there is something new to draw. */
  readonly changed: () => void;
}

interface TranscriptSize extends PartRoom {
  /** Rows for text. */
  readonly height: number;
}

/** Milliseconds of work before yielding. */
const SLICE_MS = 8;
/** Loads older history once fewer items than this are left above the top row. */
const NEAR_ITEMS = 60;

export class Transcript {
  readonly #ports: TranscriptPorts;
  readonly #document: TranscriptDocument;
  readonly #search: TranscriptSearch;
  readonly #work: LongWork;
  #size: TranscriptSize;
  #top: RowPosition;
  #isFollowing = true;
  #message: string | undefined;
  /** True if the start of the session is in memory. */
  #isComplete: boolean;
  #paging: Promise<boolean> | undefined;
  /** Items whose full text was requested. */
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
    this.#clampTop();
  }

  resize(next: TranscriptSize): void {
    const before = this.#size;
    this.#size = next;
    if (before.width === next.width && before.markdown === next.markdown && before.theme === next.theme) {
      this.#clampTop();
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
    this.#clampTop();
  }

  append(entry: JSONLEntry): void {
    const { last } = this.#document.bounds();
    this.#document.append(entry);
    // Live output has become an entry: the same text, divided into other parts.
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
    await this.#work.run('loading the beginning…', async (shouldContinue) => {
      while (!this.#isComplete && (await shouldContinue())) if (!(await this.#pageIn())) break;
      if (await shouldContinue()) this.#scrollTo(this.#document.start());
      this.#message = undefined;
    });
  }

  toEnd(): void {
    this.#work.cancel();
    this.#message = undefined;
    this.#isFollowing = true;
    this.#search.setCurrent(undefined);
    this.#clampTop();
  }

  /** Moves to the next prompt after the top row, or to the previous one. */
  async toPrompt(direction: Direction): Promise<void> {
    await this.#work.run('looking for a prompt…', async (shouldContinue) => {
      const { part, row } = this.#top;
      let { item } = this.#top;
      // Within a prompt, backward goes to its start.
      if (direction === -1 && (part > 0 || row > 0)) item += 1;
      while (await shouldContinue()) {
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

  /** Searches for the query from the current position; without a query, repeats the last one. */
  async search(direction: Direction, query?: string): Promise<void> {
    const search = this.#search;
    if (query !== undefined) search.begin(query);
    if (!search.isOn()) return;
    await this.#work.run('searching… Esc stops', async (shouldContinue) => {
      const shown = { top: this.#top, bottom: this.#bottom() };
      let found = await search.find(direction, shown, shouldContinue);
      // The view opens at the end, where a forward search would find nothing.
      if (found === undefined && search.current() === undefined && (await shouldContinue()))
        found = await search.find(direction === 1 ? -1 : 1, shown, shouldContinue);
      if (!(await shouldContinue())) return;
      if (found === undefined) {
        const which = direction === 1 ? 'later' : 'earlier';
        this.#message = search.current() === undefined ? 'not found' : `no ${which} match`;
        return;
      }
      this.#showFound(found);
      this.#message = 'match';
      this.#ports.changed();
      const counted = await search.count(found, shouldContinue);
      if (counted !== undefined)
        this.#message = `match ${counted.number} of ${counted.all}${this.#isComplete ? '' : '+'}`;
    });
  }

  /** Cancels a running search or jump. Returns true if there was one. */
  stop(): boolean {
    if (!this.#work.cancel()) return false;
    this.#message = 'stopped';
    return true;
  }

  rows(): readonly string[] {
    this.#clampTop();
    this.#readNear();
    this.#pageNear();
    return this.#shownRows().map(({ text, place }) => this.#search.mark(text, place));
  }

  isAtEnd(): boolean {
    return this.#isFollowing;
  }

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

  #bottom(): RowPosition {
    return this.#shownRows().at(-1)?.place ?? this.#top;
  }

  /** The top row when the view is at the end. */
  #lastTop(): RowPosition {
    return this.#document.move(this.#document.end(), 1 - this.#size.height);
  }

  #clampTop(): void {
    this.#top = this.#document.nearest(this.#top);
    const bottom = this.#lastTop();
    if (this.#isFollowing || comparePositions(this.#top, bottom) >= 0) {
      this.#top = bottom;
      this.#isFollowing = true;
    }
  }

  #scrollTo(place: RowPosition): void {
    this.#isFollowing = false;
    this.#top = place;
    this.#clampTop();
  }

  #showFound(found: Match): void {
    this.#search.setCurrent(found);
    const place = this.#search.placeOf(found);
    const isShown = this.#shownRows().some((one) => comparePositions(one.place, place) === 0);
    if (!isShown) this.#scrollTo(this.#document.move(place, -Math.floor(this.#size.height / 3)));
    // A view that follows the end would move away from the match.
    else if (this.#isFollowing) this.#isFollowing = comparePositions(this.#top, this.#lastTop()) === 0;
  }

  /** Loads the full texts of the items on screen and of a few around them. */
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
    this.#clampTop();
    this.#ports.changed();
  }

  /**
   * Replaces an item's partial text with the full one. The visible rows stay in place, counted from the end of the
   * item.
   */
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

  /** Loads older history; resolves to false at the start of the session. */
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
        this.#clampTop();
        this.#ports.changed();
        return older.length > 0;
      });
    return this.#paging;
  }
}

/** Runs long searches and loads in slices; new work cancels the previous one. */
interface LongWork {
  /** `text` is shown if the work takes longer than a slice. */
  run(text: string, work: (shouldContinue: ShouldContinue) => Promise<void>): Promise<void>;
  /** Returns true if there was work to cancel. */
  cancel(): boolean;
}

function createLongWork({ now, pause, changed }: TranscriptPorts, show: (text: string) => void): LongWork {
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
          await pause();
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
