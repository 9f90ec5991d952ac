/** Listeners for one kind of event. An exception in one listener does not affect the others. */
export class Listeners<T> {
  readonly #listeners = new Set<(news: T) => void>();
  readonly #onError: ((error: unknown) => void) | undefined;

  constructor(onError?: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns a function to unsubscribe. */
  add(listener: (news: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(news: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(news);
      } catch (error) {
        this.#onError?.(error);
      }
    }
  }
}
