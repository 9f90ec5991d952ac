import fc from 'fast-check';

/**
 * Text of any code points, lone surrogates included, as from `fc.string({ unit: 'binary' })`: that first spends a second
 * and 130 MB of each process on a table of all code points.
 */
export function anyText(limits: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  const codePoint = fc.integer({ min: 0, max: 0x10ffff });
  return fc.oneof(
    { arbitrary: fc.array(codePoint, limits).map((points) => String.fromCodePoint(...points)), weight: 9 },
    // Plain text, and words that mean something in JavaScript, such as "__proto__".
    { arbitrary: fc.string(limits), weight: 1 },
  );
}
