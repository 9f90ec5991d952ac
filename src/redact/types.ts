/** Types for redaction. */

/** The position of a secret in a text, in UTF-16 units: [start, end). */
export interface Secret {
  readonly start: number;
  readonly end: number;
  /** Letters and dashes: `aws-access-key`, `url-password`. */
  readonly kind: string;
}

export interface RedactOptions {
  /** The user's own secrets in any format, such as the endpoint's key. Ignored if shorter than 8 characters. */
  readonly own?: readonly string[];
  /** Called with the mark of each replaced secret. */
  readonly onRedacted?: (mark: string) => void;
}
