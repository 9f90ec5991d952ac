/** What a list of sessions shows of one, from the first and last bytes of its file only. */
import { type FileHandle, open } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { parseLine } from './logReader.ts';

export interface SessionSummary {
  readonly id: string;
  /** The last title that the user gave, else the model's, else the first line of the first prompt. */
  readonly title: string;
  readonly createdAt: Date;
  /** Of the last entry that is no title. */
  readonly updatedAt: Date;
  readonly bytes: number;
  readonly gitBranch: string | undefined;
  /** Entries in the log: the position of the last one, plus one. */
  readonly messageCount: number;
  /** The last few things said, oldest first; what the user said begins with "> ". */
  readonly lastLines: readonly string[];
}

/** Both ends of a log; they overlap where it is small. */
export interface LogEnds {
  readonly head: readonly JSONLEntry[];
  readonly tail: readonly JSONLEntry[];
  readonly bytes: number;
  readonly changedAt: Date;
}

const pieceBytes = 64 * 1024;
/** A first prompt may hold pictures; a session whose prompt ends further in than this is not listed. */
const maxHeadBytes = 64 * 1024 * 1024;
/** Last words that lie further from the end than this are not shown. */
const maxTailBytes = 4 * 1024 * 1024;
const maxLastLines = 6;

/** Undefined for a session in which nothing was asked yet, and for a file that is gone. */
export async function summarizeSession(file: string, id: string): Promise<SessionSummary | undefined> {
  const ends = await readEnds(file);
  const prompt = ends?.head.find(isPrompt);
  if (ends === undefined || prompt === undefined) return undefined;
  const { head, tail, bytes, changedAt } = ends;
  const last = tail.at(-1) ?? head.at(-1) ?? prompt;
  // To name a session is not to use it.
  const used = tail.findLast(({ subtype }) => subtype !== 'title') ?? last;
  return {
    id,
    title: givenTitle(tail) ?? givenTitle(head) ?? headLine(entryWords(prompt)),
    createdAt: dateOf(head[0]?.timestamp, changedAt),
    updatedAt: dateOf(used.timestamp, changedAt),
    bytes,
    gitBranch: last.gitBranch,
    messageCount: last.seq + 1,
    lastLines: tail.flatMap((entry) => spokenLine(entry) ?? []).slice(-maxLastLines),
  };
}

/**
 * The beginning of a log up to its first prompt, and its end from the last words said. Undefined where the file
 * cannot be read.
 */
export async function readEnds(file: string): Promise<LogEnds | undefined> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { size, mtime } = await handle.stat();
    const head = await readUntil(handle, size, 'head', (entries) => entries.some(isPrompt));
    const tail =
      size <= pieceBytes
        ? head
        : await readUntil(handle, size, 'tail', (entries) =>
            entries.some((e) => spokenLine(e) !== undefined),
          );
    return { head, tail, bytes: size, changedAt: mtime };
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/** Reads a larger and larger piece until it holds what is looked for. */
async function readUntil(
  handle: FileHandle,
  size: number,
  side: 'head' | 'tail',
  found: (entries: readonly JSONLEntry[]) => boolean,
): Promise<JSONLEntry[]> {
  for (let bytes = pieceBytes; ; bytes *= 4) {
    const length = Math.min(bytes, size);
    const start = side === 'head' ? 0 : size - length;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
    const entries = entriesIn(buffer.subarray(0, bytesRead), start > 0);
    const max = side === 'head' ? maxHeadBytes : maxTailBytes;
    if (found(entries) || length === size || bytes >= max) return entries;
  }
}

function entriesIn(bytes: Buffer, startsInside: boolean): JSONLEntry[] {
  const entries: JSONLEntry[] = [];
  let start = startsInside ? bytes.indexOf(10) + 1 : 0;
  if (startsInside && start === 0) return entries;
  while (start < bytes.length) {
    const feed = bytes.indexOf(10, start);
    const end = feed === -1 ? bytes.length : feed;
    entries.push(...parseLine(bytes.subarray(start, end)).entries);
    start = end + 1;
  }
  return entries;
}

/** The newest title of the user, else the newest of the model; undefined where none was given. */
function givenTitle(entries: readonly JSONLEntry[]): string | undefined {
  const titles = entries.flatMap((entry) =>
    entry.subtype === 'title' && headLine(entryWords(entry)) !== '' ? [entry] : [],
  );
  const title = titles.findLast((entry) => entry.data?.source !== 'model') ?? titles.at(-1);
  return title === undefined ? undefined : headLine(entryWords(title));
}

function dateOf(timestamp: string | undefined, otherwise: Date): Date {
  const date = new Date(timestamp ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? otherwise : date;
}

// What an entry says, as one line for lists.

const maxCharacters = 200;

/** Something the user asked for: a prompt or a `!command`. */
export function isPrompt(entry: JSONLEntry): boolean {
  return entry.type === 'user' && (entry.subtype === 'prompt' || entry.subtype === 'shell');
}

/** What was said, as one line; what the user said begins with "> ". Undefined if nothing was said. */
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
