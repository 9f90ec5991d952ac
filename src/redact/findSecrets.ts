/**
 * Finds secrets in text: keys and tokens by format, private keys, passwords in URLs, and random-looking values of names
 * like `password`. Linear in the length of any text.
 */
import { findAssignments } from './assignments.ts';
import { findCommandPasswords } from './commands.ts';
import { findEncoded } from './encoded.ts';
import { findKeyBlocks } from './keyBlocks.ts';
import { findTokens } from './tokens.ts';
import type { RedactOptions, Secret } from './types.ts';
import { findUrlPasswords } from './urlPasswords.ts';
import { findInVisible } from './visible.ts';

/** The secrets in a text, in order and without overlaps. */
export function findSecrets(text: string, { own = [] }: Pick<RedactOptions, 'own'> = {}): Secret[] {
  if (text.length < LEAST) return [];
  // The most specific first: if two match the same characters, the first determines the kind.
  const find = (seen: string): Secret[] => [
    ...own.flatMap((secret) => occurrences(seen, secret)),
    ...findKeyBlocks(seen),
    ...findTokens(seen),
    ...findEncoded(seen),
    ...findUrlPasswords(seen),
    ...findCommandPasswords(seen),
    ...findAssignments(seen),
  ];
  return inOrder([...find(text), ...findInVisible(text, find)]);
}

/** Shorter strings never count as secrets, not even the user's own. */
const LEAST = 8;

function occurrences(text: string, secret: string): Secret[] {
  const found: Secret[] = [];
  if (secret.length < LEAST) return found;
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length))
    found.push({ start: at, end: at + secret.length, kind: 'own-key' });
  return found;
}

/** Sorts the secrets and merges overlapping ones, with the kind of the more specific one. */
function inOrder(found: readonly Secret[]): Secret[] {
  const ranked = found.map((secret, rank) => ({ secret, rank }));
  ranked.sort((a, b) => a.secret.start - b.secret.start || a.rank - b.rank);
  const merged: { secret: Secret; rank: number }[] = [];
  for (const one of ranked) {
    const last = merged.at(-1);
    if (last === undefined || one.secret.start >= last.secret.end) {
      merged.push(one);
      continue;
    }
    const named = one.rank < last.rank ? one : last;
    const end = Math.max(last.secret.end, one.secret.end);
    merged[merged.length - 1] = {
      rank: named.rank,
      secret: { start: last.secret.start, end, kind: named.secret.kind },
    };
  }
  return merged.map(({ secret }) => secret);
}
