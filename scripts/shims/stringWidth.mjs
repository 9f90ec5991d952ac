// string-width with a way past it for text of plain characters, one column each: its first other call compiles
// regular expressions over all emoji, ~20 ms, and the first frame has signs like ❯ and … in it. The same for every
// part of the bundle, so that there is one opinion on widths. test/bundle/shims.test.ts holds it against the original.
import stringWidth from 'string-width/index.js';

// Letters of Latin-1, dashes, quotes, the ellipsis, arrows, boxes and blocks, and the signs that the screen uses.
const other = /[^ -~¡-¬®-ÿ‐-‧‰-⁞←-⇿─-◼✓✗✢✳✶✻✽❯]/;

export default function width(input, options) {
  if (options === undefined && typeof input === 'string' && !other.test(input)) return input.length;
  return stringWidth(input, options);
}
