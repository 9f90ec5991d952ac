/** Replaces each secret in a text with a mark that says what it was. */
import { createHash } from 'node:crypto';
import { isSecretName } from './assignments.ts';
import { findSecrets, LONGEST_KEY_BLOCK, openKeyStart } from './findSecrets.ts';
import { isLikelySecret, type RedactOptions, type Secret } from './likelySecret.ts';

/** Returns the text with a mark in place of each secret. The same secret always gets the same mark. */
export function redact(text: string, options: RedactOptions = {}): string {
  return withoutSecrets(text, findSecrets(text, options), options);
}

/** Replaces the given secrets, which must be in order and must not overlap. */
function withoutSecrets(
  text: string,
  secrets: readonly Secret[],
  { onRedacted }: Pick<RedactOptions, 'onRedacted'>,
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
 * `[redacted: aws-access-key 3f9a]`: the kind, and the first 16 bits of the secret's SHA-256, enough to tell two
 * secrets apart but too few to recover one.
 */
function markOf(kind: string, secret: string): string {
  const hash = createHash('sha256').update(secret).digest('hex').slice(0, 4);
  return `[redacted: ${kind} ${hash}]`;
}

// Redacts JSON values.

/**
 * Returns the value with every string in it redacted, including field names; parts without secrets are not copied. A
 * value also counts as a password if only its field's name says so. Image data stays unchanged.
 */
export function redactDeep<T>(value: T, options: RedactOptions = {}): T {
  return clean(value, options, '') as T;
}

function clean(value: unknown, options: RedactOptions, name: string): unknown {
  if (typeof value === 'string') return cleanText(value, options, name);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => clean(item, options, name));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let changed = false;
  const fields = Object.entries(value).map(([key, field]) => {
    const pair = [redact(key, options), isPicture(value, key) ? field : clean(field, options, key)] as const;
    changed ||= pair[0] !== key || pair[1] !== field;
    return pair;
  });
  return changed ? Object.fromEntries(fields) : value;
}

/** True for real image data, which is large and not text; anything that only claims to be an image is scanned. */
function isPicture(value: object, key: string): boolean {
  if (key !== 'data' || !('type' in value) || value.type !== 'image' || !('data' in value)) return false;
  return (
    typeof value.data === 'string' && /^[A-Za-z0-9+/]{0,}={0,2}$/.test(value.data) && value.data.length > 64
  );
}

function cleanText(text: string, options: RedactOptions, name: string): string {
  const cleaned = redact(text, options);
  if (cleaned !== text || text.length > 512 || !isSecretName(name)) return cleaned;
  if (!isLikelySecret(text, 'quoted')) return text;
  const mark = markOf('password', text);
  options.onRedacted?.(mark);
  return mark;
}

// Redacts a text that arrives in pieces, in bounded memory. Text that may still be the beginning of a secret is held
// back, so that no secret passes between two pieces.

interface Redactor {
  /** Adds a piece; returns the text that can be passed on now, often nothing. */
  write(piece: string): string;
  /** Returns all complete lines except those of a key whose end is missing, although more text may follow. */
  release(): string;
  /** Returns the held-back text. No more writes are allowed after this. */
  flush(): string;
}

/** Characters held back: more than any secret with its name and URL. */
const HELD = LONGEST_KEY_BLOCK + 8192;
/** Characters of already returned text that are needed to judge the text after them. */
const CONTEXT = 1024;
/** Characters to gather before scanning, so that text is scanned at most about twice. */
const GATHERED = 3 * HELD;

export function createRedactor(options: RedactOptions = {}): Redactor {
  let pieces: string[] = [];
  let length = 0;
  /** How much of the gathered text has already been returned. */
  let gone = 0;

  function pass(cutIn: (text: string, secrets: readonly Secret[]) => number): string {
    const text = pieces.join('');
    const secrets = findSecrets(text, options).filter(({ start }) => start >= gone);
    const cut = Math.max(gone, cutIn(text, secrets));
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
      if (length - gone < GATHERED) return '';
      return pass((text, secrets) => cutBefore(text, text.length - HELD, secrets));
    },
    release: () => pass(endOfLines),
    flush: () => pass(({ length }) => length),
  };
}

/** The end of the last complete line, or the start of a secret that may continue after it. */
function endOfLines(text: string, secrets: readonly Secret[]): number {
  const end = text.lastIndexOf('\n') + 1;
  const open = secrets.find((secret) => secret.start < end && secret.end >= end);
  return Math.min(end, open?.start ?? end, openKeyStart(text) ?? end);
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
