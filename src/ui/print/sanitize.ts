/** Sanitizes text from models, tools and files, which may contain terminal control sequences. */
import { withoutEscapes } from '../../protocol/text/escapes.ts';
import { reveal, revealHidden } from '../../protocol/text/reveal.ts';
import { joinLines } from '../../protocol/text/trimming.ts';

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const anyControl =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;
// Direction overrides make text read differently from how it runs ("Trojan source"), so they are shown by number.
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Plain text with `\n` as its only control character; tabs become spaces up to the next multiple of `tab`. */
export function sanitize(text: string, tab = 4): string {
  if (!anyControl.test(text)) return text;
  const unified = text.replace(/\r\n/g, '\n').replace(/[\u2028\u2029]/g, '\n');
  return expandTabs(withoutEscapes(unified), tab)
    .replace(controls, '')
    .replaceAll('\ufeff', '')
    .replace(directions, (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`);
}

/** Like `sanitize`, but on one line, such as a title: characters that show nothing are shown by number, too. */
export function sanitizeLine(text: string): string {
  return revealHidden(sanitizeInput(text));
}

/** Text of others as it is shown: without control sequences, and with a mark for each character that misleads. */
export function shownText(text: string): string {
  return sanitize(reveal(text));
}

/** Like `shownText`, but on one line. `isCommand`: see `reveal`. */
export function shownLine(text: string, isCommand = false): string {
  return sanitizeLine(reveal(text, isCommand));
}

/** One line as it was typed or pasted into a field. */
export function sanitizeInput(text: string): string {
  return joinLines(sanitize(text), ' ');
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
