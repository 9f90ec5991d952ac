/** The port to the redaction of secrets before text is stored. Idempotent: redacted text does not change again. */
export interface Redaction {
  /** Replaces each secret with a mark. */
  text(text: string): string;
  /** Redacts every string in a JSON value; returns the same value if there was nothing to redact. */
  value<T>(value: T): T;
  /** For text in pieces: `write` returns the part that is safe to store by now, `flush` the rest. */
  open(): { write(piece: string): string; flush(): string };
}
