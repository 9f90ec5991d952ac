/** Text from models, tools and files may try to drive the terminal: nothing of it but letters gets through. */
import { stripVTControlCharacters } from 'node:util';

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const anyControl =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;
// Direction overrides make text read otherwise than it runs ("Trojan source"): they are shown by number.
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// What begins a string for the terminal (a title, a device command), and what ends it.
const stringStart = /\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f]/g;
const stringEnd = /\u001b\\|[\u0007\u009c]/g;

/** Plain text with `\n` as its only control character; tabs become spaces to the next multiple of `tab`. */
export function sanitize(text: string, tab = 4): string {
  if (!anyControl.test(text)) return text;
  const unified = text.replace(/\r\n/g, '\n').replace(/[\u2028\u2029]/g, '\n');
  const bare =
    unified.includes('\u001b') || /[\u0080-\u009f]/.test(unified) ? stripEscapes(unified) : unified;
  return expandTabs(bare, tab)
    .replace(controls, '')
    .replaceAll('\ufeff', '')
    .replace(directions, (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`);
}

/** As `sanitize`, on one line. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/\s*\n\s*/g, ' ');
}

function stripEscapes(text: string): string {
  return stripVTControlCharacters(stripStrings(text));
}

/** In one pass, however many strings are begun and never ended. */
function stripStrings(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    stringStart.lastIndex = at;
    const start = stringStart.exec(text);
    if (start === null) return kept + text.slice(at);
    kept += text.slice(at, start.index);
    stringEnd.lastIndex = stringStart.lastIndex;
    // Without an end, only the beginnings go: the text behind them may be all that there is.
    if (stringEnd.exec(text) === null) return kept + text.slice(start.index).replace(stringStart, '');
    at = stringEnd.lastIndex;
  }
}

function expandTabs(text: string, tab: number): string {
  if (!text.includes('\t')) return text;
  return text
    .split('\n')
    .map((line) => {
      if (!line.includes('\t')) return line;
      let out = '';
      for (const part of line.split(/(\t)/))
        out += part === '\t' ? ' '.repeat(tab - (out.length % tab)) : part;
      return out;
    })
    .join('\n');
}

/**
 * For what the user is asked to approve: nothing is removed, and every character that shows nothing, or looks
 * like a plain space and is none, is shown by its number.
 */
export function reveal(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(hidden, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return character === '\t' ? '    ' : `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}

/** As `reveal`, for names, which are one line: a folder's name must not write lines of its own into a question. */
export function revealLine(text: string): string {
  return reveal(text).replaceAll('\n', '‹U+000A›');
}

// Joiners, variation selectors and the wide space only beside plain letters: elsewhere they belong.
const hidden =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\ufff9-\ufffb]|(?![\p{Join_Control}\p{Variation_Selector}])\p{Default_Ignorable_Code_Point}|(?<=[!-~])[\p{Join_Control}\p{Variation_Selector}\u3000]|[\p{Join_Control}\u3000](?=[!-~])/gu;
