/** Finds base64-encoded text that contains a secret, as stored by Kubernetes and CI systems. */
import { findTokens } from './tokens.ts';
import type { Secret } from './types.ts';

/** Longer runs are encoded files, which are handled once they are decoded. */
const run = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,8192}={0,2}(?![A-Za-z0-9+/=])/g;

/** Returns the entire run if it contains a token of a known format. */
export function findEncoded(text: string): Secret[] {
  const found: Secret[] = [];
  for (const { index, 0: encoded } of text.matchAll(run)) {
    if (plainText(encoded.slice(0, 32)) === undefined) continue;
    const decoded = plainText(encoded);
    const [secret] = decoded === undefined ? [] : findTokens(decoded);
    if (secret !== undefined)
      found.push({ start: index, end: index + encoded.length, kind: `${secret.kind}-base64` });
  }
  return found;
}

/** The decoded base64, if it is printable text. */
export function plainText(base64: string): string | undefined {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  return /^[\t\n\r\x20-\x7e]+$/.test(text) ? text : undefined;
}
