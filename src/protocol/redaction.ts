/** The port to whatever takes secrets out of what is about to be stored. Idempotent: redacted text stays as it is. */
export interface Redaction {
  /** The text with each secret replaced by a mark. */
  text(text: string): string;
  /** A JSON value, every string in it redacted; the same value where there was nothing to do. */
  value<T>(value: T): T;
  /** For text in pieces: `write` gives back what is safe to store by now, `flush` the rest. */
  open(): { write(piece: string): string; flush(): string };
}
