import fc from 'fast-check';

/**
 * Text of any code points but surrogates, as from `fc.string({ unit: 'binary' })`: that first spends a second and 130 MB
 * of each process on a table of all code points.
 */
export function anyText(limits: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.array(codePoint, limits).map((points) => String.fromCodePoint(...points)), weight: 9 },
    // Plain text, and words that mean something in JavaScript, such as "__proto__".
    { arbitrary: fc.string(limits), weight: 1 },
  );
}

const [firstSurrogate, surrogates] = [0xd800, 0x800];
const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((at) => (at < firstSurrogate ? at : at + surrogates));
