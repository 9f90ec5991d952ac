/** Extracts the text of an entry's message, whatever shape its content has. */
import { shellOutput, withoutModelNotes } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { imageNumbersIn } from '../../protocol/files/images.ts';

/** Joins the text parts; images appear by name. Not sanitized. */
export function contentText(entry: JSONLEntry): string {
  return displayText(entry.message.content);
}

/** The text of a prompt, followed by a placeholder for each image that the text does not name by number. */
export function promptContent({ message: { content } }: JSONLEntry): string {
  if (!Array.isArray(content)) return displayText(content);
  const words = content.filter((part) => !isImage(part)).map(partText);
  const named = imageNumbersIn(words.join('\n')).length;
  return [...words, ...content.filter(isImage).slice(named).map(partText)].join('\n');
}

const isImage = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && 'type' in part && part.type === 'image';

interface ShellRun {
  readonly command: string;
  readonly output: string;
  /** How it ended if it did not succeed, such as "exit 1 · 0.3 s" or that it was moved to the background. */
  readonly ending: string;
}

/** A `!` command. Old entries hold the command in their first line. */
export function shellRun(entry: JSONLEntry): ShellRun {
  const { command, status = 'ok', display } = (entry.subtype === 'shell' && entry.data) || {};
  const [first = '', ...rest] = contentText(entry).split('\n');
  if (command === undefined) return { command: first, output: rest.join('\n'), ending: '' };
  const output = withoutModelNotes(shellOutput(entry) ?? contentText(entry), display);
  return { command, output, ending: status === 'ok' ? '' : (display?.summary ?? '') };
}

/** Text of content of unknown shape: a string, a list of parts, or data, which is shown as JSON. */
export function displayText(content: unknown): string {
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

/** Returns a field of a call's arguments if it is a string. */
export function textField(input: unknown, name: string): string | undefined {
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}
