/** The words of this room. */

/** A secret in a text: UTF-16 units, [start, end). */
export interface Secret {
  readonly start: number;
  readonly end: number;
  /** What it is, in words of letters and dashes: `aws-access-key`, `url-password`. */
  readonly kind: string;
}

export interface RedactOptions {
  /** Secrets of this user, whatever they look like: the endpoint's key. Shorter than 8 characters they are ignored. */
  readonly own?: readonly string[];
  /** Hears of each secret that was replaced, by the mark that took its place. */
  readonly onRedacted?: (mark: string) => void;
}
