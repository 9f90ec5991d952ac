import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const plain = /^[\n\t\x20-\x7E]*$/;

/** Cells that a tab takes on screen; terminals cannot be trusted to agree on tab stops inside a box. */
export const tabWidth = 4;

/** Splits text into what a reader calls characters: an emoji family, a flag or a letter with accents is one. */
export function segment(text: string): string[] {
  return plain.test(text) ? text.split('') : Array.from(segmenter.segment(text), (part) => part.segment);
}

/** True for a character that never joins with its neighbours, whatever these are made of. */
export function isPlain(grapheme: string): boolean {
  return grapheme.length === 1 && plain.test(grapheme);
}

/** Cells that one grapheme takes in a terminal. ASCII is answered without `string-width`, whose first call takes 20 ms. */
export function cellWidth(grapheme: string): number {
  if (grapheme === '\t') return tabWidth;
  return isPlain(grapheme) ? 1 : stringWidth(grapheme);
}

/**
 * Text that is safe to show and to send: line ends become `\n`; escape sequences lose the bytes that would make
 * a terminal obey them; lone surrogates, which are not valid UTF-8, become U+FFFD. Tabs stay.
 */
export function clean(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0B-\x1F\x7F-\x9F]/g, '')
    .toWellFormed();
}
