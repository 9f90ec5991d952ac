/**
 * Redacts a text that comes in pieces, in bounded memory. What could still turn out to be the beginning of a
 * secret is held back, so that none slips through between two pieces.
 */
import { findSecrets } from './findSecrets.ts';
import { LONGEST_KEY_BLOCK } from './keyBlocks.ts';
import { withoutSecrets } from './redact.ts';
import type { RedactOptions } from './types.ts';

export interface Redactor {
  /** Takes the next piece; returns what is safe to pass on by now, often nothing. */
  write(piece: string): string;
  /** What was held back. Nothing may be written afterwards. */
  flush(): string;
}

/** Held back, in characters: no secret is longer, its name and its address included. */
const HELD = LONGEST_KEY_BLOCK + 8192;
/** Text that has gone out already and is still needed to judge what follows it. */
const CONTEXT = 1024;
/** It is looked at when this much has gathered, so that nothing is looked at much more than twice. */
const GATHERED = 3 * HELD;

export function createRedactor(options: RedactOptions = {}): Redactor {
  let pieces: string[] = [];
  let length = 0;
  /** How much of what has gathered has gone out already. */
  let gone = 0;

  function pass(isEnd: boolean): string {
    const text = pieces.join('');
    const secrets = findSecrets(text, options).filter(({ start }) => start >= gone);
    const cut = isEnd ? text.length : cutBefore(text, text.length - HELD, secrets);
    const safe = secrets
      .filter(({ end }) => end <= cut)
      .map((secret) => ({ ...secret, start: secret.start - gone, end: secret.end - gone }));
    const out = withoutSecrets(text.slice(gone, cut), safe, options);
    const from = contextStart(cut, secrets);
    pieces = [text.slice(from)];
    length = text.length - from;
    gone = cut - from;
    return out;
  }

  return {
    write(piece) {
      pieces.push(piece);
      length += piece.length;
      return length - gone < GATHERED ? '' : pass(false);
    },
    flush: () => pass(true),
  };
}

/** The last place at or before `most` that is in no secret; the end of a line, where there is one near. */
function cutBefore(text: string, most: number, secrets: readonly { start: number; end: number }[]): number {
  const lineEnd = text.lastIndexOf('\n', most - 1) + 1;
  let cut = most - lineEnd < 4096 && lineEnd > 0 ? lineEnd : most;
  const around = secrets.findLast(({ start }) => start < cut);
  if (around !== undefined && around.end > cut) cut = around.start;
  return isHalfPair(text, cut) ? cut - 1 : cut;
}

/** What stays as context does not begin within a secret that has gone out. */
function contextStart(cut: number, secrets: readonly { start: number; end: number }[]): number {
  const last = secrets.findLast(({ end }) => end <= cut);
  return Math.min(cut, Math.max(0, cut - CONTEXT, last?.end ?? 0));
}

function isHalfPair(text: string, at: number): boolean {
  return at > 0 && /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
}
