/** Shows invisible characters as code points, in text from models, tools and files. Pure. */
import { markLookAlikes } from './lookAlikes.ts';

/**
 * Prepares text that the user is asked to approve. Nothing is removed: invisible characters, and spaces other than the
 * plain one, are shown as code points; a character that passes for ASCII is marked with the character it resembles.
 * `isCommand`: see `markLookAlikes`; in a command the carriage return of `\r\n` is shown, too, because it changes how a
 * shell reads a backslash or a here-document delimiter before it.
 */
export function reveal(text: string, isCommand = false): string {
  const unified = isCommand ? text : text.replace(/\r\n/g, '\n');
  if (!/[^\n -~]/.test(unified)) return unified;
  belongsOrHides ??= hiddenPattern();
  return markLookAlikes(unified, isCommand).replace(belongsOrHides, (found, hidden?: string) => {
    if (hidden === undefined) return found;
    return hidden === '\t' ? '    ' : markOf(hidden);
  });
}

/**
 * Prepares text that is read, not approved: only characters that show nothing are marked. Spaces of any kind stay, and
 * look-alikes do.
 */
export function revealHidden(text: string): string {
  if (!/[^\n\t -~]/.test(text)) return text;
  belongsOrHides ??= hiddenPattern();
  return text.replace(belongsOrHides, (found, hidden?: string) =>
    hidden === undefined || /[\t\p{Zs}]/u.test(hidden) ? found : markOf(hidden),
  );
}

function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
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
  // Of an emoji, which has four parts at most: terminals leave out what is beyond.
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)(?<!(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*){3})\u200d(?=\p{Extended_Pictographic})/u,
  /(?<=\p{sc=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u,
  /(?<=\p{sc=Mong})[\u180b-\u180d\u180f]/u,
  // Scripts with joining letters: Persian and Hindi use joiners.
  /(?<=JOINING)[\u200c\u200d](?=JOINING)/u,
];

const joining = `[${['Arab', 'Syrc', 'Nkoo', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr', 'Tibt'].map((script) => `\\p{scx=${script}}`).join('')}]`;

// Controls, odd spaces, ignorable characters; strokes through a plain character, and marks on non-letters.
const hides =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\ufff9-\ufffb\u{13441}\u{13442}\u{16fe4}\u{1d159}]|[\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\p{Join_Control}]|(?<=[!-~])\u3000|\u3000(?=[!-~])|(?<=[!-~])[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e0\u20e2-\u20e8\u20ea\u20eb]|(?<=[ -@[-`{-~])[\p{Mn}\p{Me}]|(?<![^\n])[\p{Mn}\p{Me}]/u;

/** Built lazily: most non-interactive runs never need it. */
let belongsOrHides: RegExp | undefined;

function hiddenPattern(): RegExp {
  const belonging = belongs.map(({ source }) => source.replaceAll('JOINING', joining)).join('|');
  return new RegExp(`${belonging}|(${hides.source})`, 'gu');
}
