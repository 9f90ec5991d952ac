/** Makes a server's names and texts safe to offer: a server may use any. Pure. */
import { createHash } from 'node:crypto';

/** Maximum length of a function name; source: the OpenAI API. */
const MAX_NAME = 64;
const HASH_CHARACTERS = 8;

/**
 * Returns the name of a server's tool for the model and permission rules; two tools of one server may get the same
 * name.
 */
export function toolNameOf(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_NAME - HASH_CHARACTERS - 1)}_${hash}`;
}

/**
 * Removes what a reader would not see: control characters except tabs and line breaks, marks that reorder text, and
 * invisible characters that could hide instructions.
 */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(
      /[^\P{Cc}\t\n]|[\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]/gu,
      '',
    )
    .toWellFormed();
}

/** Like `visibleText`, but on one line of at most `maxCharacters`. */
export function visibleLine(text: string, maxCharacters: number): string {
  const line = visibleText(text.slice(0, 4 * maxCharacters))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1).toWellFormed()}…`;
}
