/** The end of a running command's output, in bounded memory, for display while it runs. */

/** Maximum characters kept. */
export const RECENT_CHARACTERS = 256 * 1024;
const LAST_LINE_CHARACTERS = 200;

export class RecentText {
  readonly #pieces: string[] = [];
  #length = 0;
  #missing = 0;
  readonly #listeners = new Set<() => void>();

  push(text: string): void {
    if (text === '') return;
    // One piece may exceed the limit by itself.
    const kept = text.slice(-RECENT_CHARACTERS);
    this.#missing += text.length - kept.length;
    this.#pieces.push(kept);
    this.#length += kept.length;
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      if (this.#length - first.length < RECENT_CHARACTERS) break;
      this.#pieces.shift();
      this.#length -= first.length;
      this.#missing += first.length;
    }
    if (this.#pieces.length > MAX_PIECES) this.#pieces.splice(0, this.#pieces.length, this.#pieces.join(''));
    for (const listener of [...this.#listeners]) listener();
  }

  /** The kept text, and the number of characters before it. */
  read(): { readonly text: string; readonly missing: number } {
    return { text: this.#pieces.join(''), missing: this.#missing };
  }

  /** The last non-empty line, cut to 200 characters. */
  lastLine(): string {
    let end = '';
    for (let at = this.#pieces.length - 1; at >= 0; at--) {
      end = (this.#pieces[at] ?? '') + end;
      const line = end.trimEnd();
      const feed = line.lastIndexOf('\n');
      if (line !== '' && (feed !== -1 || line.length > LAST_LINE_CHARACTERS))
        return line.slice(feed + 1).slice(0, LAST_LINE_CHARACTERS);
    }
    return end.trimEnd().slice(0, LAST_LINE_CHARACTERS);
  }

  /** Calls the listener after every push. Returns the unsubscribe function. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Merges the pieces of a command that prints one character at a time. */
const MAX_PIECES = 1024;
