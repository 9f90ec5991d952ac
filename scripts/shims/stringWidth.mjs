// string-width, loaded when it is first needed: its regular expressions over all emoji cost ~20 ms, and text of plain
// characters, one column each, is measured without it (the first frame has signs like ❯ and … in it). The same for
// every part of the bundle, so that there is one opinion on widths. test/bundle/shims.test.ts holds it against the
// original.

// Letters of Latin-1, dashes, quotes, the ellipsis, arrows, boxes and blocks, and the signs that the screen uses.
const other = /[^ -~¡-¬®-ÿ‐-‧‰-⁞←-⇿─-◼✓✗✢✳✶✻✽❯]/;
// biome-ignore lint/complexity/useRegexLiterals: an escape in a literal would hide what it matches
const colours = new RegExp('\\u001B\\[[\\d;]*m', 'g');

let original;

export default function width(input, options) {
  if (options === undefined && typeof input === 'string') {
    const text = input.includes('\u001B') ? input.replace(colours, '') : input;
    if (!other.test(text)) return text.length;
  }
  original ??= require('string-width/index.js').default;
  return original(input, options);
}
