/** Finds HTTP credentials: `Bearer …`, `Basic …`, and private keys in base64, as Kubernetes stores them. */
import { entropyBits, isLikelySecret, isPlaceholder } from './likelySecret.ts';
import type { Secret } from './types.ts';

const bearer = /\bbearer\s{1,3}(?<value>[A-Za-z0-9._~+/=-]{16,4096})/gi;
const basic =
  /authorization["'\\]{0,4}\s{0,3}[:=,]\s{0,3}["'\\`]{0,4}basic\s{1,3}(?<value>[A-Za-z0-9+/]{8,1024}={0,2})/gi;
const otherScheme =
  /authorization["'\\]{0,4}\s{0,3}[:=,]\s{0,3}["'\\`]{0,4}(?:(?:token|api-?key|key|bot)\s{1,3})?(?<value>[A-Za-z0-9._~+/=-]{16,4096})/gi;
/** Name and password as stored by `docker login`. */
const stored = /"auth\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}"(?<value>[A-Za-z0-9+/]{8,1024}={0,2})\\{0,3}"/g;
const encodedKey =
  /LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,20000}(?:\r?\n[ \t]{0,16}[A-Za-z0-9+/]{16,200}){0,400}={0,2}/g;

export function headerCredentials(text: string): Secret[] {
  return [
    ...valuesOf(text, bearer, 'bearer-token', isRandom),
    ...valuesOf(text, basic, 'basic-credentials', (value) => /^[^:]+:./.test(decoded(value))),
    ...valuesOf(
      text,
      otherScheme,
      'authorization',
      (value) => isRandom(value) && isLikelySecret(value, 'bare'),
    ),
    ...valuesOf(text, stored, 'basic-credentials', (value) =>
      /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(decoded(value)),
    ),
    ...valuesOf(text, encodedKey, 'private-key', (value) =>
      decoded(value.slice(0, 64)).includes('PRIVATE KEY'),
    ),
  ];
}

function valuesOf(text: string, regex: RegExp, kind: string, isOne: (value: string) => boolean): Secret[] {
  const found: Secret[] = [];
  for (const match of text.matchAll(regex)) {
    const value = match.groups?.value ?? match[0];
    if (isPlaceholder(value.slice(0, 64)) || !isOne(value)) continue;
    const start = match.index + match[0].lastIndexOf(value);
    found.push({ start, end: start + value.length, kind });
  }
  return found;
}

function isRandom(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropyBits(value.slice(0, 256)) >= 3;
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}
