/** Sanitizes text from models, tools and files, which may contain terminal control sequences. */
import { stripVTControlCharacters } from 'node:util';
import { markLookAlikes } from './lookAlikes.ts';

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

/**
 * Prepares text that the user is asked to approve. Nothing is removed: invisible characters, and spaces other than the
 * plain one, are shown by number; a character that passes for ASCII is marked with the character it resembles.
 * `isCommand`: see `markLookAlikes`; in a command the carriage return of `\r\n` is shown, too, because it changes how a
 * shell reads a backslash or a here-document delimiter before it.
 */
export function reveal(text: string, isCommand = false): string {
  const unified = isCommand ? text : text.replace(/\r\n/g, '\n');
  if (!/[^\n -~]/.test(unified)) return unified;
  belongsOrHides ??= hiddenPattern();
  return markLookAlikes(unified, isCommand).replace(belongsOrHides, (found, hidden?: string) => {
    if (hidden === undefined) return found;
    const code = hidden.codePointAt(0) ?? 0;
    return hidden === '\t' ? '    ' : `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}

/** True if a name contains control or invisible characters. Spaces of any kind are accepted. */
export function hidesCharacters(text: string): boolean {
  if (!/[^ -~]/.test(text)) return false;
  if (text.includes('\n')) return true;
  belongsOrHides ??= hiddenPattern();
  return [...text.matchAll(belongsOrHides)].some(
    ([, hidden]) => hidden !== undefined && !/\p{Zs}/u.test(hidden),
  );
}

/** Like `reveal`, for single-line names: a folder's name must not add lines to a question. */
export function revealLine(text: string): string {
  return reveal(text.replaceAll('\n', '‹U+000A›'));
}

/** Notice for texts in which `reveal` marked something; undefined if nothing is marked. */
export function revealedNotice(texts: readonly string[], isCommand = false): string | undefined {
  const isMarked = texts.some((text) => {
    const unified = (isCommand ? text : text.replace(/\r\n/g, '\n')).replaceAll('\t', ' ');
    return reveal(unified, isCommand) !== unified;
  });
  return isMarked ? 'Characters that show nothing, or look like others, are marked ‹U+…›.' : undefined;
}

/** Sequences in which an invisible character is legitimate. */
const belongs = [
  /[0-9#*]\ufe0f\u20e3/,
  // The flags of England, Scotland and Wales.
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u,
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}])[\ufe0e\ufe0f]/u,
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/u,
  /(?<=\p{sc=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u,
  /(?<=\p{sc=Mong})[\u180b-\u180d\u180f]/u,
  // Scripts with joining letters: Persian and Hindi use joiners.
  /(?<=JOINING)[\u200c\u200d](?=JOINING)/u,
];

const joining = `[${['Arab', 'Syrc', 'Nkoo', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr', 'Tibt'].map((script) => `\\p{scx=${script}}`).join('')}]`;

// Controls, odd spaces, ignorable characters; strokes through a plain character, and marks on non-letters.
const hides =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\ufff9-\ufffb\u{1d159}]|[\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\p{Join_Control}]|(?<=[!-~])\u3000|\u3000(?=[!-~])|(?<=[!-~])[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e0\u20e2-\u20e8\u20ea\u20eb]|(?<=[ -@[-`{-~])[\p{Mn}\p{Me}]|(?<![^\n])[\p{Mn}\p{Me}]/u;

/** Built lazily: most non-interactive runs never need it. */
let belongsOrHides: RegExp | undefined;

function hiddenPattern(): RegExp {
  const belonging = belongs.map(({ source }) => source.replaceAll('JOINING', joining)).join('|');
  return new RegExp(`${belonging}|(${hides.source})`, 'gu');
}
