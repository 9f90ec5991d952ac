/** Typography and drawn signs as ASCII, for a terminal whose locale has no UTF-8. Pure. */

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
  '✓': 'ok',
  '✗': 'x',
  '‹': '<',
  '›': '>',
  '\u00A0': ' ',
};
const known = new RegExp(`[${Object.keys(signs).join('')}]`, 'g');

/** Only signs change: letters of any language stay as they are, because nothing can stand for them. */
export function asciiSigns(text: string): string {
  return text.replace(known, (sign) => signs[sign] ?? sign).replace(drawn, '');
}

/** Lines, blocks and shapes that only draw. */
const drawn = /[\u2500-\u25FF\u2800-\u28FF\u2B1B\u2B1C]/g;

/** A page without what is only drawn on it: lines that held nothing else go. */
export function withoutDrawings(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const bare = line.replace(drawn, '');
      return bare !== line && bare.trim() === '' ? [] : [bare.trimEnd()];
    })
    .join('\n');
}

/** Whether text beyond ASCII may be sent, from `LC_ALL`, `LC_CTYPE` and `LANG` in that order; true where none is set. */
export function isUtf8Locale(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => (value ?? '') !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}
