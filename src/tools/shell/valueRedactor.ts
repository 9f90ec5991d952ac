/** Removes known secrets from text that arrives in pieces, even if a secret is split between two of them. Pure. */
import { type Grant, runsReadOnly } from '../../protocol/permissions.ts';

/** A secret value and its replacement. */
export interface KnownSecret {
  readonly value: string;
  readonly mark: string;
}

/** Removes secrets from text that arrives in pieces. */
export interface TextRedactor {
  /** Returns the text so far, redacted; holds back an end that could be the beginning of a secret. */
  write(text: string): string;
  /** Returns what can be shown now although more follows. */
  release(): string;
  /** Returns the held-back text; no more follows. */
  flush(): string;
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

/**
 * Opens a redactor for what the model gets without approval of anyone: any file may hold a secret. Undefined if it was
 * approved, or nothing removes secrets.
 */
export async function redactorOfUnapproved(
  grant: Grant,
  open: (() => Promise<TextRedactor>) | undefined,
): Promise<TextRedactor | undefined> {
  return runsReadOnly(grant) || grant.isGuarded ? open?.() : undefined;
}

/** A decision reads this much of a file to see whether it holds a secret; in a larger one, there may be others. */
export const JUDGED_BYTES = 2_000_000;

/** The text without secrets. */
export const withoutSecrets = (text: string, redactor: TextRedactor | undefined): string =>
  redactor === undefined ? text : `${redactor.write(text)}${redactor.flush()}`;

/** Each redactor gets what the one before it returns; undefined if there is none. */
export function redactInTurn(redactors: readonly TextRedactor[]): TextRedactor | undefined {
  if (redactors.length < 2) return redactors[0];
  return {
    write: (text) => redactors.reduce((left, redactor) => redactor.write(left), text),
    release: () => redactors.reduce((left, redactor) => redactor.write(left) + redactor.release(), ''),
    flush: () => redactors.reduce((left, redactor) => redactor.write(left) + redactor.flush(), ''),
  };
}

/** Longer values are keys in files, which do not occur in URLs or headers. */
const MAX_LENGTH = 256;

/**
 * The value as is, in JSON, percent-encoded (RFC 3986), in hexadecimal, and in base64 (RFC 4648, both alphabets) at
 * every alignment: `user:password` in a header may place it at any offset.
 */
function printedForms(value: string): readonly string[] {
  if (value.length > MAX_LENGTH) return [value];
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((before) => base64After(before, bytes));
  return [
    ...new Set([
      value,
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
