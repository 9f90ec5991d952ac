/** Summary of a session for lists, read only from the beginning and end of its file. */
import type { FileHandle } from 'node:fs/promises';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { contentText } from '../../protocol/messages.ts';
import { withoutEscapes } from '../../protocol/text/escapes.ts';
import { parseLine } from './logReader.ts';
import { openStored } from './storedFiles.ts';

export interface SessionSummary {
  readonly id: string;
  /** The last title set by the user, else the last generated one, else the first line of the first prompt. */
  readonly title: string;
  readonly createdAt: Date;
  /** Time of the last entry that is not a title. */
  readonly updatedAt: Date;
  readonly bytes: number;
  readonly gitBranch: string | undefined;
  /** Number of entries in the log: the last seq plus one. */
  readonly messageCount: number;
  /** The last few messages, oldest first; user messages begin with "> ". */
  readonly lastLines: readonly string[];
}

/** The beginning and the end of a log; they overlap in a small one. */
interface LogEnds {
  readonly head: readonly JSONLEntry[];
  readonly tail: readonly JSONLEntry[];
  readonly bytes: number;
  readonly changedAt: Date;
}

const pieceBytes = 64 * 1024;
/** A first prompt may contain images; a session whose first prompt ends later than this is not listed. */
const maxHeadBytes = 64 * 1024 * 1024;
/** Last messages further from the end than this are not shown. */
const maxTailBytes = 4 * 1024 * 1024;
const maxLastLines = 6;

/** Undefined for a session without a prompt and for a missing file. */
export async function summarizeSession(file: string, id: string): Promise<SessionSummary | undefined> {
  const ends = await readEnds(file);
  const prompt = ends?.head.find(isPrompt);
  if (ends === undefined || prompt === undefined) return undefined;
  const { head, tail, bytes, changedAt } = ends;
  const last = tail.at(-1) ?? head.at(-1) ?? prompt;
  // A renamed session does not count as used.
  const used = tail.findLast(({ subtype }) => subtype !== 'title') ?? last;
  return {
    id,
    title: givenTitle(tail) ?? givenTitle(head) ?? firstLineOf(titleText(prompt)),
    createdAt: dateOf(head[0]?.timestamp, changedAt),
    updatedAt: dateOf(used.timestamp, changedAt),
    bytes,
    gitBranch: last.gitBranch,
    messageCount: last.seq + 1,
    lastLines: tail.flatMap((entry) => messageLine(entry) ?? []).slice(-maxLastLines),
  };
}

/**
 * When a session was last used: the time of its last entry that is not a title. Undefined for a session without a prompt
 * and for a missing file. Reads only the lines up to the first prompt, and from that last entry on.
 */
export function lastUse(file: string): Promise<Date | undefined> {
  return reading(file, async (handle, size, changedAt) => {
    const first = await findEntry(handle, size, 'head', isPrompt);
    if (first === undefined) return undefined;
    const last = await findEntry(handle, size, 'tail', ({ subtype }) => subtype !== 'title');
    return dateOf((last ?? first).timestamp, changedAt);
  });
}

/**
 * Reads a log's beginning through its first prompt, and its end from the last message on. Undefined if the file cannot
 * be read.
 */
export function readEnds(file: string): Promise<LogEnds | undefined> {
  return reading(file, async (handle, size, changedAt) => {
    const head = await readUntil(handle, size, 'head', (entries) => entries.some(isPrompt));
    const tail =
      size <= pieceBytes
        ? head
        : await readUntil(handle, size, 'tail', (entries) =>
            entries.some((e) => messageLine(e) !== undefined),
          );
    return { head, tail, bytes: size, changedAt };
  });
}

/** The result of `read`; undefined if the file cannot be read. */
async function reading<Result>(
  file: string,
  read: (handle: FileHandle, size: number, changedAt: Date) => Promise<Result>,
): Promise<Result | undefined> {
  const handle = await openStored(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { size, mtime } = await handle.stat();
    return await read(handle, size, mtime);
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

type Side = 'head' | 'tail';

/** Reads larger and larger pieces until `found` is true. */
async function readUntil(
  handle: FileHandle,
  size: number,
  side: Side,
  found: (entries: readonly JSONLEntry[]) => boolean,
): Promise<JSONLEntry[]> {
  for await (const lines of pieces(handle, size, side)) {
    const entries = lines.flatMap((line) => parseLine(line).entries);
    if (found(entries) || lines.isLast) return entries;
  }
  return [];
}

/** The first entry from that side that matches; parses no line behind it. */
async function findEntry(
  handle: FileHandle,
  size: number,
  side: Side,
  matches: (entry: JSONLEntry) => boolean,
): Promise<JSONLEntry | undefined> {
  for await (const lines of pieces(handle, size, side)) {
    for (const line of side === 'head' ? lines : lines.toReversed()) {
      const { entries } = parseLine(line);
      const entry = side === 'head' ? entries.find(matches) : entries.findLast(matches);
      if (entry !== undefined) return entry;
    }
  }
  return undefined;
}

/** The lines of larger and larger pieces from that side, in their order; `isLast` marks the largest. */
async function* pieces(
  handle: FileHandle,
  size: number,
  side: Side,
): AsyncGenerator<Buffer[] & { readonly isLast: boolean }> {
  const max = side === 'head' ? maxHeadBytes : maxTailBytes;
  for (let bytes = pieceBytes, isLast = false; !isLast; bytes *= 4) {
    const length = Math.min(bytes, size);
    const start = side === 'head' ? 0 : size - length;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
    isLast = length === size || bytes >= max;
    yield Object.assign(linesIn(buffer.subarray(0, bytesRead), start > 0), { isLast });
  }
}

function linesIn(bytes: Buffer, startsInside: boolean): Buffer[] {
  const lines: Buffer[] = [];
  let start = startsInside ? bytes.indexOf(10) + 1 : 0;
  if (startsInside && start === 0) return lines;
  while (start < bytes.length) {
    const feed = bytes.indexOf(10, start);
    const end = feed === -1 ? bytes.length : feed;
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** The newest title set by the user, else the newest generated one; undefined if there is none. */
function givenTitle(entries: readonly JSONLEntry[]): string | undefined {
  const titles = entries.flatMap((entry) =>
    entry.subtype === 'title' && firstLineOf(titleText(entry)) !== '' ? [entry] : [],
  );
  const title = titles.findLast((entry) => entry.data?.source !== 'model') ?? titles.at(-1);
  return title === undefined ? undefined : firstLineOf(titleText(title));
}

function dateOf(timestamp: string | undefined, otherwise: Date): Date {
  const date = new Date(timestamp ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? otherwise : date;
}

// Text of an entry as one line for lists.

const maxCharacters = 200;

/** True for a user's request: a prompt or a `!command`. */
export function isPrompt(entry: JSONLEntry): boolean {
  return entry.type === 'user' && (entry.subtype === 'prompt' || entry.subtype === 'shell');
}

/** A message as one line; user messages begin with "> ". Undefined for an empty message. */
export function messageLine(entry: JSONLEntry): string | undefined {
  if (!isPrompt(entry) && entry.type !== 'assistant') return undefined;
  const text = firstLineOf(titleText(entry));
  if (text === '') return undefined;
  return isPrompt(entry) ? `> ${text}` : text;
}

/** The text of a message; for a `!command` only the command. */
export function titleText(entry: JSONLEntry): string {
  if (entry.subtype === 'shell' && typeof entry.data?.command === 'string') return `!${entry.data.command}`;
  return contentText(entry.message.content);
}

/** The first non-blank line, without escape sequences and control characters, cut to 200 characters. */
export function firstLineOf(text: string): string {
  return clip((text.split(/[\r\n\u2028\u2029]+/).find((line) => line.trim() !== '') ?? '').trim());
}

function clip(text: string): string {
  const plain = oneLine(text.slice(0, 8 * maxCharacters));
  const characters = [...plain.slice(0, 2 * maxCharacters)];
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : plain;
}

/** Removes escape sequences, control characters and bidirectional control characters. */
export function oneLine(text: string): string {
  return withoutEscapes(text)
    .replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/\p{Surrogate}/gu, '\uFFFD');
}
