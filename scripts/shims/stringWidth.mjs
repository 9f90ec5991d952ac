// Loads string-width on first use: its regular expressions over all emoji take about 20 ms, and text of plain
// characters, one column each, can be measured without it (the first frame contains characters like ❯ and …). Used by
// all parts of the bundle, so that they agree on widths. test/bundle/shims.test.ts compares it with the original.

// Letters of Latin-1, dashes, quotes, the ellipsis, arrows, boxes and blocks, and symbols used on screen.
const other = /[^ -~¡-¬®-ÿ‐-‧‰-⁞←-⇿─-◼✓✗✢✳✶✻✽❯]/;
// biome-ignore lint/complexity/useRegexLiterals: an escape in a literal would hide what it matches
const colors = new RegExp('\\u001B\\[[\\d;]*m', 'g');

let original;

export default function width(input, options) {
  if (options === undefined && typeof input === 'string') {
    const text = input.includes('\u001B') ? input.replace(colors, '') : input;
    if (!other.test(text)) return text.length;
  }
  original ??= require('string-width/index.js').default;
  return original(input, options);
}
