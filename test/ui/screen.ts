/**
 * A terminal for tests: Ink's output is replayed in a headless xterm, so that a test checks what is on screen and where
 * the cursor is, not which escape sequences were sent. Keys arrive through a real stream.
 */
import { PassThrough, Writable } from 'node:stream';
import graphemes from '@xterm/addon-unicode-graphemes';
import headless from '@xterm/headless';
import { type ScreenRow, visibleCells } from './screenCells.ts';

/** Keys as a terminal sends them, for `stdin.write` and `press`. */
export const keys = {
  enter: '\r',
  escape: '\u001B',
  tab: '\t',
  shiftTab: '\u001B[Z',
  backspace: '\u007F',
  delete: '\u001B[3~',
  up: '\u001B[A',
  down: '\u001B[B',
  right: '\u001B[C',
  left: '\u001B[D',
  home: '\u001B[H',
  end: '\u001B[F',
  pageUp: '\u001B[5~',
  pageDown: '\u001B[6~',
  /** Shift+Enter in a terminal with the kitty keyboard protocol. */
  shiftEnter: '\u001B[13;2u',
  altEnter: '\u001B\r',
  /** Control with a letter or one of `_ [ \ ]`, such as `ctrl('c')`. */
  ctrl: (letter: string): string => String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f),
  alt: (letter: string): string => `\u001B${letter}`,
  /** Text as a terminal sends a paste (bracketed). */
  paste: (text: string): string => `\u001B[200~${text}\u001B[201~`,
} as const;

/** A fake terminal; give `stdout`, `stdin` and `stderr` to Ink's `render`. */
export type Screen = {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream & { write(chunk: string): boolean };
  /** The visible rows, without trailing spaces and without empty rows at the end. */
  text(): string[];
  /** The visible rows, cell by cell, with their styles. */
  cells(): ScreenRow[];
  /** All output, including rows that scrolled away. */
  scrollback(): string[];
  /** The cursor's cell in the visible part, zero-based. */
  cursor(): { x: number; y: number };
  isCursorVisible(): boolean;
  /** All bytes written so far, including escape sequences. */
  output(): string;
  resize(columns: number, rows: number): void;
  /** Resizes without a signal: the new size is seen only by querying the terminal, or at the next resize. */
  resizeUnheard(columns: number, rows: number): void;
  /** Sends keys one at a time, as in typing, then waits until the screen is quiet. */
  press(...keystrokes: string[]): Promise<void>;
  /** Waits until drawing has finished. */
  settle(): Promise<void>;
  /** Waits until the visible rows satisfy `condition`; fails with the screen. */
  waitFor(condition: (rows: string[]) => boolean, timeoutMs?: number): Promise<void>;
  /** True while a program has the terminal in raw mode. */
  isRaw(): boolean;
};

/**
 * Creates a terminal of `columns` by `rows` cells. Render with `interactive: true, exitOnCtrlC: false, patchConsole:
 * false`. Ink draws at most every 33 ms; if it is quiet for `quietMs`, which is longer, it has nothing more to draw. (A
 * test that renders with a higher `maxFps` can wait less.)
 */
export function createScreen({ columns = 80, rows = 24, quietMs = 50 } = {}): Screen {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
  terminal.unicode.activeVersion = '15-graphemes';

  const written: string[] = [];
  let lastWriteAt = 0;
  const size = { columns, rows };
  const createOutput = (): NodeJS.WriteStream => {
    const stream = new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        const text = chunk.toString();
        written.push(text);
        lastWriteAt = performance.now();
        terminal.write(text, done);
      },
    });
    const output = Object.assign(stream, {
      isTTY: true,
      ...size,
      // Like Node's own: queries the terminal and emits `resize` if the size changed.
      _refreshSize() {
        const { cols, rows: terminalRows } = terminal;
        if (output.columns === cols && output.rows === terminalRows) return;
        Object.assign(output, { columns: cols, rows: terminalRows });
        stream.emit('resize');
      },
    });
    return output as unknown as NodeJS.WriteStream;
  };
  const stdout = createOutput();
  const stderr = createOutput();

  let raw = false;
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(on: boolean) {
      raw = on;
      return stdin;
    },
    ref: () => stdin,
    unref: () => stdin,
  }) as unknown as Screen['stdin'];
  // A terminal sends replies to queries (cursor position, device attributes) as input.
  terminal.onData((reply) => stdin.write(reply));

  const lines = (from: number, to: number): string[] => {
    const all: string[] = [];
    for (let y = from; y < to; y++) {
      all.push(terminal.buffer.active.getLine(y)?.translateToString(true).trimEnd() ?? '');
    }
    return all.slice(0, all.findLastIndex((line) => line !== '') + 1);
  };
  const visible = (): string[] => {
    const { baseY } = terminal.buffer.active;
    return lines(baseY, baseY + terminal.rows);
  };
  const settle = async (): Promise<void> => {
    const asked = performance.now();
    // Also counts turns of the event loop: if the machine stalled, due work has not been drawn yet.
    let quietTurns = 0;
    do {
      const before = lastWriteAt;
      await sleep(TURN_MS);
      quietTurns = lastWriteAt === before ? quietTurns + 1 : 0;
    } while (quietTurns * TURN_MS < quietMs || performance.now() - Math.max(lastWriteAt, asked) < quietMs);
    await new Promise<void>((done) => terminal.write('', done));
  };

  return {
    stdout,
    stderr,
    stdin,
    text: visible,
    cells: () => visibleCells(terminal),
    scrollback: () => lines(0, terminal.buffer.active.length),
    cursor: () => ({ x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY }),
    isCursorVisible() {
      const all = written.join('');
      return all.lastIndexOf('\u001B[?25h') >= all.lastIndexOf('\u001B[?25l');
    },
    output: () => written.join(''),
    resizeUnheard: (newColumns, newRows) => terminal.resize(newColumns, newRows),
    resize(newColumns, newRows) {
      terminal.resize(newColumns, newRows);
      for (const stream of [stdout, stderr]) {
        Object.assign(stream, { columns: newColumns, rows: newRows });
        stream.emit('resize');
      }
    },
    async press(...keystrokes) {
      for (const key of keystrokes) {
        stdin.write(key);
        // Only a pause after it distinguishes a lone escape from the start of a sequence.
        await sleep(key === keys.escape ? 40 : 0);
      }
      await settle();
    },
    settle,
    async waitFor(condition, timeoutMs = 15_000) {
      const deadline = performance.now() + timeoutMs;
      while (!condition(visible())) {
        if (performance.now() > deadline) throw new Error(`Still on screen:\n${visible().join('\n')}`);
        await sleep(10);
      }
    },
    isRaw: () => raw,
  };
}

const TURN_MS = 5;

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
