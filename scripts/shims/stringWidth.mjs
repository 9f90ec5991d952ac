// string-width, loaded when it is first needed: its regular expressions over all emoji cost ~20 ms, and text of plain
// characters, one column each, is measured without it (the first frame has signs like ❯ and … in it). The same for
// every part of the bundle, so that there is one opinion on widths. test/bundle/shims.test.ts holds it against the
// original.

// Letters of Latin-1, dashes, quotes, the ellipsis, arrows, boxes and blocks, and the signs that the screen uses.
const other = /[^ -~¡-¬®-ÿ‐-‧‰-⁞←-⇿─-◼✓✗✢✳✶✻✽❯]/;

let original;

export default function width(input, options) {
  if (options === undefined && typeof input === 'string' && !other.test(input)) return input.length;
  original ??= require('string-width/index.js').default;
  return original(input, options);
}
