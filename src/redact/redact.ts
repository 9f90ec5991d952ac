/** Replaces each secret in a text with a mark that says what it was. */
import { createHash } from 'node:crypto';
import { findSecrets } from './findSecrets.ts';
import type { RedactOptions, Secret } from './types.ts';

/** Returns the text with a mark in place of each secret. The same secret always gets the same mark. */
export function redact(text: string, options: RedactOptions = {}): string {
  return withoutSecrets(text, findSecrets(text, options), options);
}

/** Replaces the given secrets, which must be in order and must not overlap. */
export function withoutSecrets(
  text: string,
  secrets: readonly Secret[],
  { onRedacted }: Pick<RedactOptions, 'onRedacted'> = {},
): string {
  if (secrets.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, kind } of secrets) {
    const mark = markOf(kind, text.slice(start, end));
    onRedacted?.(mark);
    parts.push(text.slice(at, start), mark);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/**
 * `[redacted: aws-access-key 3f9a]`: the kind, and the first 16 bits of the secret's SHA-256: enough to tell two
 * secrets apart, too few to recover one.
 */
export function markOf(kind: string, secret: string): string {
  const hash = createHash('sha256').update(secret).digest('hex').slice(0, 4);
  return `[redacted: ${kind} ${hash}]`;
}
