/** The text of an entry's message, whatever form its content has. */

import { shellOutput, withoutModelNotes } from '../../protocol/entries/shellOutput.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { imageNumbersIn } from '../../protocol/files/images.ts';

/** Text parts joined; an image is named, not shown. Not sanitised. */
export function contentText(entry: JSONLEntry): string {
  return textOf(entry.message.content);
}

/** What was typed: its text, and the images that it does not name by a number itself. */
export function promptContent({ message: { content } }: JSONLEntry): string {
  if (!Array.isArray(content)) return textOf(content);
  const words = content.filter((part) => !isImage(part)).map(partText);
  const named = imageNumbersIn(words.join('\n')).length;
  return [...words, ...content.filter(isImage).slice(named).map(partText)].join('\n');
}

const isImage = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && 'type' in part && part.type === 'image';

/** A command that the user ran after `!`, and what it printed. Old entries hold the command in their first line. */
export function shellRun(entry: JSONLEntry): { readonly command: string; readonly output: string } {
  const command = entry.subtype === 'shell' ? entry.data?.command : undefined;
  const [first = '', ...rest] = contentText(entry).split('\n');
  if (command === undefined) return { command: first, output: rest.join('\n') };
  const display = entry.subtype === 'shell' ? entry.data?.display : undefined;
  return { command, output: withoutModelNotes(shellOutput(entry) ?? contentText(entry), display) };
}

/** Text of unknown content: a string, a list of parts, or data, which is shown as JSON. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map(partText).join('\n');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null) return '';
  if ('text' in part && typeof part.text === 'string') return part.text;
  if ('type' in part && part.type === 'image') return '[image]';
  return JSON.stringify(part);
}

/** A field of a call's arguments, where it is text. */
export function textField(input: unknown, name: string): string | undefined {
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}
