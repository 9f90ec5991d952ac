/** What a list of sessions shows of one, from the first and last bytes of its file only. */
import { type FileHandle, open } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { parseLine } from './logReader.ts';

export interface SessionSummary {
  readonly id: string;
  /** The last title that was given, else the first line of the first prompt. */
  readonly title: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly bytes: number;
  readonly gitBranch: string | undefined;
  /** Entries in the log: the position of the last one, plus one. */
  readonly messageCount: number;
  /** The last few things said, oldest first; what the user said begins with "> ". */
  readonly lastLines: readonly string[];
}

const pieceBytes = 64 * 1024;
/** A first prompt may hold pictures; a session whose prompt ends further in than this is not listed. */
const maxHeadBytes = 64 * 1024 * 1024;
/** Last words that lie further from the end than this are not shown. */
const maxTailBytes = 4 * 1024 * 1024;
const maxLastLines = 6;
const maxCharacters = 200;

/** Undefined for a session in which nothing was asked yet, and for a file that is gone. */
export async function summarizeSession(file: string, id: string): Promise<SessionSummary | undefined> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { size, mtime } = await handle.stat();
    const head = await readUntil(handle, size, 'head', (entries) => entries.some(isPrompt));
    const prompt = head.find(isPrompt);
    if (prompt === undefined) return undefined;
    const tail = await readUntil(handle, size, 'tail', (entries) =>
      entries.some((e) => spoken(e) !== undefined),
    );
    const last = tail.at(-1) ?? head.at(-1) ?? prompt;
    const title = tail.findLast(isTitle) ?? head.findLast(isTitle);
    return {
      id,
      title: clip(firstLine(textOf(title ?? prompt))) || clip(firstLine(textOf(prompt))),
      createdAt: dateOf(head[0]?.timestamp, mtime),
      updatedAt: dateOf(last.timestamp, mtime),
      bytes: size,
      gitBranch: last.gitBranch,
      messageCount: last.seq + 1,
      lastLines: tail.flatMap((entry) => spoken(entry) ?? []).slice(-maxLastLines),
    };
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

function isPrompt(entry: JSONLEntry): boolean {
  return entry.type === 'user' && (entry.subtype === 'prompt' || entry.subtype === 'shell');
}

function isTitle(entry: JSONLEntry): boolean {
  return entry.subtype === 'title' && textOf(entry).trim() !== '';
}

function spoken(entry: JSONLEntry): string | undefined {
  const text = clip(firstLine(textOf(entry)));
  if (text === '') return undefined;
  if (isPrompt(entry)) return `> ${text}`;
  return entry.type === 'assistant' ? text : undefined;
}

function textOf(entry: JSONLEntry): string {
  if (entry.subtype === 'shell' && typeof entry.data?.command === 'string') return `!${entry.data.command}`;
  const { content } = entry.message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n');
}

function firstLine(text: string): string {
  return (text.split(/[\r\n\u2028\u2029]+/).find((line) => line.trim() !== '') ?? '').trim();
}

/** One line for a screen: no escapes or control characters, and not longer than is useful. */
function clip(text: string): string {
  const plain = stripVTControlCharacters(text).replace(/[\u0000-\u001F\u007F-\u009F]+/g, ' ');
  const characters = [...plain.slice(0, 2 * maxCharacters)];
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : plain;
}

function dateOf(timestamp: string | undefined, otherwise: Date): Date {
  const date = new Date(timestamp ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? otherwise : date;
}
