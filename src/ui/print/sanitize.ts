/** Sanitizes text from models, tools and files, which may contain terminal control sequences. */
import { stripVTControlCharacters } from 'node:util';

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const anyControl =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;
// Direction overrides make text read differently from how it runs ("Trojan source"), so they are shown by number.
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// Start and end of control strings for the terminal (a title, a device command).
const stringStart = /\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f]/g;
const stringEnd = /\u001b\\|[\u0007\u009c]/g;

/** Plain text with `\n` as its only control character; tabs become spaces up to the next multiple of `tab`. */
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

/** Like `sanitize`, but on one line. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/\s*\n\s*/g, ' ');
}

function stripEscapes(text: string): string {
  return stripVTControlCharacters(stripStrings(text));
}

/** Runs in a single pass, however many unterminated strings there are. */
function stripStrings(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    stringStart.lastIndex = at;
    const start = stringStart.exec(text);
    if (start === null) return kept + text.slice(at);
    kept += text.slice(at, start.index);
    stringEnd.lastIndex = stringStart.lastIndex;
    // Without an end mark, only the start marks are removed: the text after them may be real content.
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
