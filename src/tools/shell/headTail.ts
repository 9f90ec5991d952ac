/** The beginning and end of a text of any length, in bounded memory. */
import { grouped } from '../../protocol/text/numbers.ts';

/** Characters kept at the beginning, and again at the end. */
export const KEPT_CHARACTERS = 512 * 1024;

export class HeadTail {
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #total = 0;

  push(text: string): void {
    if (text === '') return;
    this.#total += text.length;
    const room = KEPT_CHARACTERS - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    const rest = text.slice(Math.max(0, room));
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    while (this.#tailLength - (this.#tail[0]?.length ?? 0) >= KEPT_CHARACTERS) {
      this.#tailLength -= this.#tail.shift()?.length ?? 0;
    }
  }

  /** Characters pushed so far. */
  get length(): number {
    return this.#total;
  }

  /** The full text, or both ends with a line that says how much is missing between them. */
  text(): string {
    const tail = this.#tail.join('');
    if (this.#head.length + tail.length === this.#total) return this.#head + tail;
    const kept = wholeCharacters(tail.slice(-KEPT_CHARACTERS));
    const missing = this.#total - this.#head.length - kept.length;
    const head = /[\ud800-\udbff]$/.test(this.#head) ? this.#head.slice(0, -1) : this.#head;
    return `${head}\n[… ${grouped(missing)} characters left out …]\n${kept}`;
  }
}

/** Starts at the next line if it is near; never in the middle of a surrogate pair. */
function wholeCharacters(tail: string): string {
  const feed = tail.indexOf('\n');
  if (feed !== -1 && feed < 4096) return tail.slice(feed + 1);
  return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
}
