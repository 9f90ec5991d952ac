/** The ways in which programs print a value without anybody wanting to hide it. Pure. */

/** Longer ones are keys in files, which do not go into an address or a header. */
const MAX_LENGTH = 256;

/**
 * A value as it is, in JSON, in an address (RFC 3986), in hexadecimal, and in base64 (RFC 4648, both alphabets) wherever it
 * begins in what is encoded: `user:password` in a header puts it anywhere.
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

/** The characters that depend on nothing but the bytes, where so many others come before them. */
function base64After(before: number, bytes: Buffer): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  const from = Math.ceil((before * 8) / 6);
  return text.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
}

function percentEncoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half a character outside the basic plane.
    return value;
  }
}
