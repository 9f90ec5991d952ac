/** What an entry says, as one line for lists. */
import { stripVTControlCharacters } from 'node:util';
import type { JSONLEntry } from '../../protocol/entries.ts';

const maxCharacters = 200;

/** Something the user asked for: a prompt or a `!command`. */
export function isPrompt(entry: JSONLEntry): boolean {
  return entry.type === 'user' && (entry.subtype === 'prompt' || entry.subtype === 'shell');
}

/** What was said, as one line; what the user said begins with "> ". Undefined where nobody spoke. */
export function spokenLine(entry: JSONLEntry): string | undefined {
  if (!isPrompt(entry) && entry.type !== 'assistant') return undefined;
  const text = headLine(entryWords(entry));
  if (text === '') return undefined;
  return isPrompt(entry) ? `> ${text}` : text;
}

/** The text of a message; of a `!command` only the command. */
export function entryWords(entry: JSONLEntry): string {
  if (entry.subtype === 'shell' && typeof entry.data?.command === 'string') return `!${entry.data.command}`;
  return contentText(entry.message.content);
}

/** The text parts of a message's content. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n');
}

/** The first line that says something: no escapes or control characters, and not longer than is useful. */
export function headLine(text: string): string {
  return clip((text.split(/[\r\n\u2028\u2029]+/).find((line) => line.trim() !== '') ?? '').trim());
}

function clip(text: string): string {
  const plain = oneLine(text.slice(0, 8 * maxCharacters));
  const characters = [...plain.slice(0, 2 * maxCharacters)];
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : plain;
}

/** Without escape sequences, control characters and marks that turn the direction of what follows. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/\p{Surrogate}/gu, '\uFFFD');
}
