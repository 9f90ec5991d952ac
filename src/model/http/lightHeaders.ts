/**
 * A `Headers` for the bundled SDKs. Node's own loads the HTTP client of `fetch` with the first instance (30 ms). Names
 * are case-insensitive; values are validated when they are sent.
 */
export class LightHeaders implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>();

  /** Accepts pairs, a record, or other headers. */
  constructor(init: object = {}) {
    const pairs = Symbol.iterator in init ? (init as Iterable<[string, string]>) : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }

  append(name: string, value: unknown): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${String(value)}`);
  }

  set(name: string, value: unknown): void {
    this.#values.set(name.toLowerCase(), String(value));
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(visit: (value: string, name: string, headers: this) => void): void {
    for (const [name, value] of this) visit(value, name, this);
  }

  /** Sorted by name, as the Fetch standard requires. */
  *entries(): Generator<[string, string]> {
    yield* [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  *keys(): Generator<string> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries();
  }
}
