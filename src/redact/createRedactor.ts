/**
 * Redacts a text that arrives in pieces, in bounded memory. Text that may still be the beginning of a secret is held
 * back, so that no secret passes between two pieces.
 */
import { findSecrets } from './findSecrets.ts';
import { LONGEST_KEY_BLOCK } from './keyBlocks.ts';
import { withoutSecrets } from './redact.ts';
import type { RedactOptions } from './types.ts';

interface Redactor {
  /** Adds a piece; returns the text that can be passed on now, often nothing. */
  write(piece: string): string;
  /** Returns the held-back text. No more writes are allowed after this. */
  flush(): string;
}

/** Characters held back: more than any secret with its name and URL. */
const HELD = LONGEST_KEY_BLOCK + 8192;
/** Characters of already returned text that are needed to judge the text after them. */
const CONTEXT = 1024;
/** Characters to gather before scanning, so that text is scanned about twice at most. */
const GATHERED = 3 * HELD;

export function createRedactor(options: RedactOptions = {}): Redactor {
  let pieces: string[] = [];
  let length = 0;
  /** How much of the gathered text has already been returned. */
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

/** The last position up to `most` that is not inside a secret; a line end, if one is near. */
function cutBefore(text: string, most: number, secrets: readonly { start: number; end: number }[]): number {
  const lineEnd = text.lastIndexOf('\n', most - 1) + 1;
  let cut = most - lineEnd < 4096 && lineEnd > 0 ? lineEnd : most;
  const around = secrets.findLast(({ start }) => start < cut);
  if (around !== undefined && around.end > cut) cut = around.start;
  return isHalfPair(text, cut) ? cut - 1 : cut;
}

/** The start of the kept context, which must not be inside a secret that has already been returned. */
function contextStart(cut: number, secrets: readonly { start: number; end: number }[]): number {
  const last = secrets.findLast(({ end }) => end <= cut);
  return Math.min(cut, Math.max(0, cut - CONTEXT, last?.end ?? 0));
}

function isHalfPair(text: string, at: number): boolean {
  return at > 0 && /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
}
