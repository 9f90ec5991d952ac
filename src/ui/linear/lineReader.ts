/**
 * Reads lines and puts together what belongs together: a line that ends in a backslash goes on in the next, and
 * lines that a terminal delivers at once are one paste. Owns standard input; writes nothing but what its user types.
 */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { emptyLine } from '../terminal/workarounds.ts';

export interface LineReader {
  /** What is typed so far; empty where the terminal keeps it to itself until Enter. */
  draft(): string;
  /** Puts text into the line, where lines can be edited; false where they cannot. */
  insert(text: string): boolean;
  /** Throws away what is typed so far. */
  clear(): void;
  /** From now on what is typed does not show. */
  hide(isHidden: boolean): void;
  close(): void;
}

export interface LineReaderPorts {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Both are terminals. */
  readonly isTerminal: boolean;
  /** The terminal can move its cursor, so that arrows edit the line and bring earlier ones back. */
  readonly isEditing: boolean;
  /** Newest first. */
  readonly history: readonly string[];
  /** Whether a line is one that arrows must not bring back. */
  readonly isSecret: (line: string) => boolean;
  readonly onBlock: (text: string) => void;
  /** Ctrl+C where the reader sees it; elsewhere it is a signal. */
  readonly onInterrupt: () => void;
  readonly onEnd: () => void;
}

/** Milliseconds of silence after a line that end a paste: a person takes longer for the next one. */
const PASTE_MS = 40;
/** Longest block, in characters: more is a file. */
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
    const goesOn = !isHidden && /(?<!\\)(?:\\\\)*\\$/.test(line);
    lines.push(goesOn ? line.slice(0, -1) : line);
    if (goesOn) return;
    // Lines of a pipe are written one by one on purpose, and an answer is not waited for.
    if (!ports.isTerminal || isHidden) flush();
    else timer = setTimeout(flush, PASTE_MS);
  };

  // What the reader echoes goes through here, so that a key can be typed unseen.
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
    // The newest comes first; what is taken out here is not brought back.
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
