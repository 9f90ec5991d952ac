/** Collects bytes in one growing buffer, so that many small pieces take no more memory than a few large ones. */
export class ByteCollector {
  #buffer = new Uint8Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#buffer.length));
      larger.set(this.#collected());
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = length;
  }

  /** Returns what was collected since the last call. The bytes are no longer used here. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#collected();
    this.#buffer = new Uint8Array(1024);
    this.#length = 0;
    return taken;
  }

  #collected(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length);
  }
}
