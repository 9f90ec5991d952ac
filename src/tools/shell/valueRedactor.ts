/** Removes known secrets from text that arrives in pieces, even if a secret is split between two of them. Pure. */
import type { TextRedactor } from '../redaction.ts';

/** A secret value and its replacement. */
export interface KnownSecret {
  readonly value: string;
  readonly mark: string;
}

export function createValueRedactor(secrets: readonly KnownSecret[]): TextRedactor {
  // Longest first: one value may be part of another.
  const known = secrets
    .filter(({ value }) => value !== '')
    .flatMap(({ value, mark }) => printedForms(value).map((form) => ({ value: form, mark })))
    .sort((a, b) => b.value.length - a.value.length);
  const longest = known[0]?.value.length ?? 0;
  const beginnings = new Set(known.map(({ value }) => value[0]));
  let held = '';
  return {
    write(text) {
      if (longest === 0) return text;
      const whole = known.reduce((all, { value, mark }) => all.replaceAll(value, mark), held + text);
      const from = Math.max(0, whole.length - longest + 1);
      let cut = whole.length;
      for (let at = from; at < whole.length; at++) {
        if (beginnings.has(whole[at]) && known.some(({ value }) => value.startsWith(whole.slice(at)))) {
          cut = at;
          break;
        }
      }
      held = whole.slice(cut);
      return whole.slice(0, cut);
    },
    release: () => '',
    flush() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

/** Longer values are keys in files, which do not occur in URLs or headers. */
const MAX_LENGTH = 256;

/**
 * The value as is, in JSON, percent-encoded (RFC 3986), in hexadecimal, and in base64 (RFC 4648, both alphabets) at
 * every alignment: `user:password` in a header may place it at any offset; in UTF-16, with a zero byte after each character.
 */
function printedForms(value: string): readonly string[] {
  if (value.length > MAX_LENGTH) return [value];
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((before) => base64After(before, bytes));
  return [
    ...new Set([
      value,
      [...value].join('\0'),
      JSON.stringify(value).slice(1, -1),
      percentEncoded(value),
      hex,
      hex.toUpperCase(),
      ...base64,
      ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ]),
  ];
}

/** The base64 characters that depend only on `bytes` if `before` other bytes precede them. */
function base64After(before: number, bytes: Buffer): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  const from = Math.ceil((before * 8) / 6);
  return text.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
}

function percentEncoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Contains a lone surrogate.
    return value;
  }
}
