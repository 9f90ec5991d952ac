/** Base64 of text with a secret in it, as Kubernetes and CI keep them. */
import { findTokens } from './tokens.ts';
import type { Secret } from './types.ts';

/** Longer ones are files of another kind, which are seen as what they are once they are decoded. */
const run = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,8192}={0,2}(?![A-Za-z0-9+/=])/g;

/** The whole run, where a token of a known form is in it. */
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

/** What base64 stands for, where that is printable text. */
export function plainText(base64: string): string | undefined {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  return /^[\t\n\r\x20-\x7e]+$/.test(text) ? text : undefined;
}
