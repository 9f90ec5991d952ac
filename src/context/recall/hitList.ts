/** The best hits of a search: the phrase before lines of words, newer before older. */

/** Where a hit lies. */
export interface Place {
  readonly id: string;
  readonly what: string;
}

export interface Hit {
  readonly place: Place;
  /** In bytes of what the place's pointer gives; a little before the hit, so that reading there shows it. */
  readonly offset: number;
  /** The hit and what is around it, on one line. */
  readonly snippet: string;
  readonly score: number;
  /** More was found in the same place than is listed. */
  readonly more: boolean;
}

export const MAX_HITS = 20;

export class HitList {
  readonly #maxPerPlace: number;
  readonly #phrases: Hit[] = [];
  #words: Hit[] = [];

  constructor(maxPerPlace: number) {
    this.#maxPerPlace = Math.min(maxPerPlace, MAX_HITS);
  }

  /** True when nothing older could take a place. */
  get isFull(): boolean {
    return this.#phrases.length >= MAX_HITS;
  }

  get hasPhrase(): boolean {
    return this.#phrases.length > 0;
  }

  /** True when a place has its share of the phrase, and it is known that it has more. */
  isDoneWith(place: Place): boolean {
    return this.#phrases.some((hit) => hit.more && hit.place.id === place.id);
  }

  /** Room for further hits of this score in this place. */
  room(place: Place, isPhrase: boolean): number {
    const list = isPhrase ? this.#phrases : this.#words;
    const own = list.filter((hit) => hit.place.id === place.id).length;
    return Math.max(0, this.#maxPerPlace - own);
  }

  add(hit: Hit): void {
    if (hit.score === 1) {
      if (!this.isFull) this.#phrases.push(hit);
    } else {
      // Stable: of equal scores the newer, which came first, stays.
      this.#words = [...this.#words, hit].sort((a, b) => b.score - a.score).slice(0, MAX_HITS);
    }
  }

  /** Marks that a place has more than its share. */
  markMore(place: Place, isPhrase: boolean): void {
    const list = isPhrase ? this.#phrases : this.#words;
    const last = list.findLastIndex((hit) => hit.place.id === place.id);
    const hit = list[last];
    if (hit !== undefined) list[last] = { ...hit, more: true };
  }

  /** At most 20; lines of words only where the phrase was nowhere. */
  best(): readonly Hit[] {
    return this.#phrases.length > 0 ? this.#phrases : this.#words;
  }
}
