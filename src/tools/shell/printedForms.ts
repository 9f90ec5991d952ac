/** The forms in which programs print a value without intending to hide it. Pure. */

/** Longer values are keys in files, which do not occur in URLs or headers. */
const MAX_LENGTH = 256;

/**
 * The value as is, in JSON, percent-encoded (RFC 3986), in hexadecimal, and in base64 (RFC 4648, both alphabets) at
 * every alignment: `user:password` in a header may place it at any offset.
 */
export function printedForms(value: string): readonly string[] {
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
