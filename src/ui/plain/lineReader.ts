/**
 * Reads lines and joins those that belong together: a line that ends with a backslash continues on the next, and lines
 * that arrive at once are one paste. Owns standard input; writes only the echo of typed text.
 */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { emptyLine } from '../terminal/workarounds.ts';

/** Reads what the user types, line by line. */
export interface LineReader {
  /** The text typed so far; empty if the terminal holds it back until Enter. */
  draft(): string;
  /** Inserts text into the line; returns false if the line cannot be edited. */
  insert(text: string): boolean;
  /** Discards the text typed so far. */
  clear(): void;
  /** Turns the echo off or on. */
  hide(isHidden: boolean): void;
  close(): void;
}

interface LineReaderPorts {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** True if input and output are terminals. */
  readonly isTerminal: boolean;
  /** True if the terminal can move its cursor: arrow keys edit the line and recall earlier ones. */
  readonly isEditing: boolean;
  /** Newest first. */
  readonly history: readonly string[];
  /** True for lines that must not get into the history. */
  readonly isSecret: (line: string) => boolean;
  readonly onBlock: (text: string) => void;
  /** Ctrl+C as read from the terminal; otherwise it arrives as a signal. */
  readonly onInterrupt: () => void;
  readonly onEnd: () => void;
}

/** Milliseconds of silence that end a paste; a user takes longer to type the next line. */
const PASTE_MS = 40;
/** Maximum characters of a block; anything longer is a file. */
const LONGEST = 10 * 1024 * 1024;

export function createLineReader(ports: LineReaderPorts): LineReader {
  let lines: string[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isHidden = false;
  let isClosed = false;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length === 0) return;
    const block = lines.join('\n');
    lines = [];
    length = 0;
    ports.onBlock(block);
  };
  const onLine = (line: string): void => {
    clearTimeout(timer);
    length += line.length + 1;
    if (length > LONGEST) return;
    const isContinued = !isHidden && /(?<!\\)(?:\\\\)*\\$/.test(line);
    lines.push(isContinued ? line.slice(0, -1) : line);
    if (isContinued) return;
    // Lines from a pipe are separate on purpose, and a hidden answer needs no delay.
    if (!ports.isTerminal || isHidden) flush();
    else timer = setTimeout(flush, PASTE_MS);
  };

  // The reader echoes through this stream, so that an API key can be typed invisibly.
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (isHidden) done();
      else ports.output.write(chunk, () => done());
    },
  });
  let reader = open();
  function open(): Interface {
    const isEditing = ports.isTerminal && (ports.isEditing || isHidden);
    const made = createInterface({
      input: ports.input,
      ...(isEditing ? { output: echo, prompt: '', history: [...ports.history], historySize: 1000 } : {}),
      terminal: isEditing,
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    // The newest entry is first; a removed entry cannot be recalled.
    made.on('history', (history: string[]) => {
      if (ports.isSecret(history[0] ?? '')) history.shift();
    });
    made.on('line', onLine);
    made.on('SIGINT', ports.onInterrupt);
    made.on('close', () => {
      if (made !== reader || isClosed) return;
      isClosed = true;
      flush();
      ports.onEnd();
    });
    return made;
  }
  const isEdited = (): boolean => ports.isTerminal && ports.isEditing && !isHidden;

  return {
    draft: () => (isEdited() ? reader.line : ''),
    insert(text) {
      if (!isEdited() || text.includes('\n')) return false;
      reader.write(text);
      return true;
    },
    clear() {
      emptyLine(reader);
    },
    hide(hidden) {
      if (hidden === isHidden || isClosed) return;
      isHidden = hidden;
      if (!ports.isTerminal) return;
      const before = reader;
      reader = open();
      before.close();
      ports.input.resume();
      if (hidden) ports.input.setRawMode(true);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      reader.close();
    },
  };
}
