/** Replaces typography and drawing characters with ASCII, for a terminal whose locale is not UTF-8. Pure. */

const signs: Readonly<Record<string, string>> = {
  '…': '...',
  '–': '-',
  '—': '-',
  '−': '-',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '→': '->',
  '←': '<-',
  '↑': 'Up',
  '↓': 'Down',
  '•': '-',
  '·': '-',
  '≥': '>=',
  '≤': '<=',
  '×': 'x',
  '☐': '[ ]',
  '▣': '[>]',
  '☒': '[x]',
  '✓': 'ok',
  '✗': 'x',
  '‹': '<',
  '›': '>',
  '\u00A0': ' ',
};
const known = new RegExp(`[${Object.keys(signs).join('')}]`, 'g');

/** Leaves letters of any language unchanged, since they have no ASCII equivalent. */
export function asciiSymbols(text: string): string {
  return text.replace(known, (sign) => signs[sign] ?? sign).replace(drawn, '');
}

/** Lines, blocks and shapes that are only decoration. */
const drawn = /[\u2500-\u25FF\u2800-\u28FF\u2B1B\u2B1C]/g;

/** Removes decoration from a page, and lines of decoration only. */
export function withoutBoxDrawing(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const bare = line.replace(drawn, '');
      return bare !== line && bare.trim() === '' ? [] : [bare.trimEnd()];
    })
    .join('\n');
}

/**
 * True if text beyond ASCII may be printed, according to the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set; true
 * if none is.
 */
export function isUtf8Locale(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => (value ?? '') !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}
