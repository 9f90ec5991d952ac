/** Makes text from models, tools and files safe for a document: without control and hidden direction characters. */
import { stripVTControlCharacters } from 'node:util';

/** Keeps line feeds and tabs, removes escape sequences, and shows direction marks as code points. */
export function plainText(text: string): string {
  const unified = text.replace(/\r\n?/g, '\n').replace(/[\u2028\u2029]/g, '\n');
  const bare =
    unified.includes('\u001b') || /[\u0080-\u009f]/.test(unified)
      ? stripVTControlCharacters(unified)
      : unified;
  return bare
    .replace(controls, '')
    .replace(directions, (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`)
    .toWellFormed();
}

/** The same, on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** The first line of a text, cut to this many characters. */
export function firstLine(text: string, most: number): string {
  const line = plainLine(
    text
      .trimStart()
      .split('\n', 1)[0]
      ?.slice(0, 4 * most) ?? '',
  );
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g;
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
