/** Removes invisible characters from text of servers and repositories. Pure. */

/**
 * Removes control characters except tabs and line breaks, marks that reorder text, and invisible characters that could
 * hide instructions. Keeps one variation selector or joiner where an emoji needs it.
 */
export function visibleText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(HIDDEN, '').toWellFormed();
}

const HIDDEN =
  /(?!(?<=\p{Extended_Pictographic})\uFE0F|\uFE0F(?=\u20E3)|(?<=\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D(?=\p{Extended_Pictographic}))(?:[^\P{Cc}\t\n]|\p{Default_Ignorable_Code_Point}|[\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB])/gu;

/** Like `visibleText`, but on one line of at most `maxCharacters`. */
export function visibleLine(text: string, maxCharacters: number): string {
  const line = visibleText(text.slice(0, 4 * maxCharacters))
    .replace(/\s+/g, ' ')
    .trim();
  return shortened(line, maxCharacters);
}

/** Cuts a text that is too long, so that `…` is its last character. */
export function shortened(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1).toWellFormed()}…`;
}

/**
 * Formats a file or folder name for use in a text: unchanged if it is one line of visible characters, otherwise as a
 * JSON string with everything else escaped. A name may contain line breaks, and could otherwise inject lines.
 */
export function quotedName(name: string): string {
  if (!UNSAFE.test(name)) return name;
  return JSON.stringify(name).replace(EACH_UNSAFE, (one) =>
    Array.from({ length: one.length }, (_, index) => escaped(one.charCodeAt(index))).join(''),
  );
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const EACH_UNSAFE = new RegExp(UNSAFE.source, 'gu');

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
