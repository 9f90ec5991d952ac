/** Text from models, tools and files, made harmless for a document: no controls, no hidden directions. */
import { stripVTControlCharacters } from 'node:util';

/** Line feeds and tabs stay; escape sequences go; marks that turn the direction of text are shown by number. */
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

/** The first line of a text, at most this many characters of it. */
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
