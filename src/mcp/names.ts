/** Names and words of a server, made safe to offer: a server may call its tools anything. Pure. */
import { createHash } from 'node:crypto';

/** Endpoints refuse longer names of functions; source: the OpenAI API. */
const MAX_NAME = 64;
const HASH_CHARACTERS = 8;

/** The name of a server's tool for the model and for permission rules; two names of one server may become the same. */
export function toolNameOf(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_NAME - HASH_CHARACTERS - 1)}_${hash}`;
}

/**
 * Text without what is not seen: control characters but tabs and ends of lines, marks that reorder text, and invisible
 * characters that a reader could not find instructions in.
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

/** The same on one line, at most so long. */
export function visibleLine(text: string, maxCharacters: number): string {
  const line = visibleText(text.slice(0, 4 * maxCharacters))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1).toWellFormed()}…`;
}
