/** The built program in a pseudo-terminal, its screen read back through a headless xterm. */
import { readSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { spawn } from '@lydell/node-pty';
import graphemes from '@xterm/addon-unicode-graphemes';
import headless from '@xterm/headless';
import { keys } from '../../ui/screen.ts';
import { type ScreenRow, visibleCells } from '../../ui/screenCells.ts';
import { isBusy } from './processes.ts';
import { createWholeFrames } from './wholeFrames.ts';

export interface TerminalOptions {
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** The terminal's background, reported on request (OSC 11); without it, the terminal does not answer. */
  readonly background?: 'light' | 'dark' | undefined;
}

export interface Terminal {
  readonly pid: number;
  /** The visible rows, without trailing spaces. */
  screen(): string;
  /** The visible rows, cell by cell, with their styles. */
  cells(): ScreenRow[];
  /**
   * The last screenful of output: the screen without the blank rows at its end, whose number depends on how much of a
   * reply was drawn before it was complete.
   */
  lastWritten(): Pick<Terminal, 'cells' | 'cursor' | 'isCursorVisible'>;
  /** Everything that was printed, including rows that scrolled away. */
  everything(): string;
  cursor(): { x: number; y: number };
  isCursorVisible(): boolean;
  /** All output bytes that are on screen, including escape sequences. */
  bytes(): string;
  /** What was sent so far: each keystroke, and each text that was typed or sent at once. */
  sent(): readonly string[];
  /** Sends text one character at a time and waits until it was read and drawn. */
  type(text: string): Promise<void>;
  /** Types a line and sends it. */
  submit(text: string): Promise<void>;
  /**
   * Sends keys as a terminal encodes them; see `keys` in test/ui/screen.ts. After a key that is not text, waits until
   * the program has read it and drawn the change: otherwise Esc and a letter would be read as Alt with the letter, and
   * Enter with text after it as a paste.
   */
  press(...keystrokes: string[]): Promise<void>;
  /** Presses keys once they count as an answer to the question on screen. */
  answer(...keystrokes: string[]): Promise<void>;
  /**
   * Waits as long as keys count as typed ahead of the question on screen, and until the program has noticed that this
   * time is over.
   */
  waitForQuietTime(): Promise<void>;
  /**
   * Repeats the key until the program has exited, or until `isDone`. On a slow machine, the second of two keys that
   * belong together may come too late and count as a first one.
   */
  pressUntil(key: string, isDone?: () => boolean): Promise<void>;
  /** Waits until the visible screen contains `wanted`; fails with the screen. */
  waitFor(wanted: string | RegExp, timeoutMs?: number): Promise<void>;
  /** The same, wherever lines wrap: line breaks are read as one space, or as nothing, as within a long path. */
  waitForWrapped(wanted: string | RegExp): Promise<void>;
  /** Waits until it was printed, on screen or scrolled away. */
  waitForPrinted(wanted: string | RegExp, timeoutMs?: number): Promise<void>;
  /** Waits for any condition. */
  until(condition: () => boolean, what: string, timeoutMs?: number): Promise<void>;
  /** Waits until the program is idle. */
  waitForIdle(timeoutMs?: number): Promise<void>;
  /** Waits until the screen no longer contains it. */
  waitForGone(unwanted: string | RegExp, timeoutMs?: number): Promise<void>;
  /** Waits until the program is not busy and its output is on screen. */
  settle(): Promise<void>;
  pause(ms: number): Promise<void>;
  /** Writes keystrokes at once without waiting, as when typing ahead. */
  send(keystrokes: string): void;
  /**
   * Resizes once all output so far is drawn: output in flight during a resize was meant for the old size and cannot be
   * recalled. The program may not have noticed the new size when this resolves.
   */
  resize(columns: number, rows: number): Promise<void>;
  kill(signal: string): void;
  /** Closes the terminal, like closing its window. */
  close(): void;
  /** Resolves with the exit code. */
  exited: Promise<number>;
}

export function openTerminal(command: readonly string[], options: TerminalOptions): Terminal {
  const { columns = 100, rows = 40 } = options;
  const screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 50_000 });
  screen.loadAddon(new graphemes.UnicodeGraphemesAddon());
  screen.unicode.activeVersion = '15-graphemes';
  const [file = '', ...first] = command;
  const pty = spawn(file, [...first, ...(options.args ?? [])], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: options.cwd,
    env: { ...options.env, TERM: 'xterm-256color' },
    encoding: null,
  });
  const written: string[] = [];
  const sent: string[] = [];
  /** When text was typed that was not sent, nor an answer. */
  let typedAt = Number.NEGATIVE_INFINITY;
  const send = (keystrokes: string): void => {
    if (!isNoText(keystrokes)) typedAt = performance.now();
    else if (keystrokes === keys.enter) typedAt = Number.NEGATIVE_INFINITY;
    sent.push(keystrokes);
    pty.write(keystrokes);
  };
  const decoder = new TextDecoder();
  let undrawn = 0;
  const frames = createWholeFrames((text) => {
    undrawn += 1;
    screen.write(text, () => {
      undrawn -= 1;
      written.push(text);
    });
  });
  const take = (bytes: Uint8Array): void => frames.take(decoder.decode(bytes, { stream: true }));
  // Without an encoding, node-pty passes bytes, contrary to its types.
  pty.onData((data) => take(data as unknown as Uint8Array));
  const takeAll = (): void => {
    const { fd } = pty as unknown as { readonly fd: number };
    for (let bytes = readNow(fd); bytes !== undefined; bytes = readNow(fd)) take(bytes);
  };
  // The stream closes shortly after the program exits, even if not everything was read.
  const { _socket: socket } = pty as unknown as { readonly _socket: ReadStream };
  const close = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (!socket.destroyed) takeAll();
    return close(error);
  };
  screen.onData((reply) => pty.write(reply));
  const { background } = options;
  if (background !== undefined)
    screen.parser.registerOscHandler(11, (asked) => {
      if (asked === '?') pty.write(`\u001B]11;${backgrounds[background]}\u001B\\`);
      return true;
    });
  let ended = false;
  const exited = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode, signal }) => {
      ended = true;
      // The last output may still be in flight.
      setTimeout(() => {
        frames.flush();
        screen.write('', () => resolve(signal ? 128 + signal : exitCode));
      }, 50);
    }),
  );

  const rowsOf = (from: number, to: number): string => {
    const lines: string[] = [];
    for (let y = from; y < to; y++)
      lines.push(screen.buffer.active.getLine(y)?.translateToString(true).trimEnd() ?? '');
    return lines.join('\n').trimEnd();
  };
  const visible = (): string => rowsOf(screen.buffer.active.baseY, screen.buffer.active.baseY + screen.rows);
  const everything = (): string => rowsOf(0, screen.buffer.active.length);
  const isCursorVisible = (): boolean => {
    const all = written.join('');
    return all.lastIndexOf('\u001B[?25h') >= all.lastIndexOf('\u001B[?25l');
  };
  const holds = (text: string, wanted: string | RegExp): boolean =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  const until = async (condition: () => boolean, what: string, timeoutMs: number): Promise<void> => {
    const deadline = Date.now() + timeoutMs;
    while (!condition()) {
      if (Date.now() > deadline)
        throw new Error(`${what}${ended ? ' (the program has ended)' : ''}; on screen:\n${visible()}`);
      await sleep(20);
    }
  };

  const drawAll = async (): Promise<void> => {
    for (takeAll(); undrawn > 0 || frames.isWaiting(); takeAll()) await sleep(1);
  };
  const settle = async (): Promise<void> => {
    const deadline = Date.now() + REACTION_MS;
    let [quiet, drawn] = [0, written.length];
    for (let looks = 0; quiet < QUIET_LOOKS && !ended && Date.now() < deadline; looks++) {
      await sleep(LOOK_MS);
      // Only Linux reports what a process does; elsewhere, output is the only indication.
      const isActive = isBusy(pty.pid) ?? (looks < BLIND_LOOKS && written.length === drawn);
      quiet = isActive ? 0 : quiet + 1;
    }
    drawn = written.length;
    await drawAll();
  };
  const type = async (text: string): Promise<void> => {
    sent.push(text);
    for (const character of text) {
      pty.write(character);
      await sleep(2);
    }
    typedAt = performance.now();
    await settle();
  };
  const press = async (...keystrokes: string[]): Promise<void> => {
    for (const key of keystrokes) {
      send(key);
      if (isNoText(key)) await settle();
      else await sleep(15);
      // Only a pause after it distinguishes a lone Esc from the start of a sequence.
      if (key === keys.escape) await sleep(60);
    }
    await settle();
  };
  const waitForQuietTime = async (): Promise<void> => {
    await settle();
    await sleep(TYPED_AHEAD_MS);
    // On a busy machine the program may get no time meanwhile.
    await settle();
  };
  let answeredAt = Number.NEGATIVE_INFINITY;
  const answer = async (...keystrokes: string[]): Promise<void> => {
    await waitForQuietTime();
    await sleep(Math.max(0, typedAt + CONFIRM_MS - performance.now()));
    if (keystrokes[0] === keys.enter) await sleep(Math.max(0, answeredAt + CONFIRM_MS - performance.now()));
    await press(...keystrokes);
    answeredAt = performance.now();
    typedAt = Number.NEGATIVE_INFINITY;
  };

  const pressUntil = async (key: string, isDone = () => false): Promise<void> => {
    const deadline = Date.now() + PATIENCE_MS;
    while (!isDone() && !ended) {
      if (Date.now() > deadline) throw new Error(`Pressed in vain; on screen:\n${visible()}`);
      await press(key);
    }
  };

  return {
    pid: pty.pid,
    screen: visible,
    cells: () => visibleCells(screen),
    lastWritten() {
      const { active } = screen.buffer;
      const from = Math.max(0, Math.min(active.baseY, everything().split('\n').length - screen.rows));
      const y = active.baseY + active.cursorY - from;
      return {
        cells: () => visibleCells(screen, from),
        cursor: () => ({ x: active.cursorX, y }),
        isCursorVisible,
      };
    },
    everything,
    cursor: () => ({ x: screen.buffer.active.cursorX, y: screen.buffer.active.cursorY }),
    isCursorVisible,
    bytes: () => written.join(''),
    sent: () => [...sent],
    type,
    async submit(text) {
      await type(text);
      await press(keys.enter);
    },
    press,
    answer,
    waitForQuietTime,
    pressUntil,
    waitFor: (wanted, timeoutMs = PATIENCE_MS) =>
      until(() => holds(visible(), wanted), `Never saw ${String(wanted)}`, timeoutMs),
    waitForWrapped: (wanted) =>
      until(
        () => [' ', ''].some((space) => holds(visible().replaceAll(/\s*\n\s*/g, space), wanted)),
        `Never saw ${String(wanted)}`,
        PATIENCE_MS,
      ),
    waitForPrinted: (wanted, timeoutMs = PATIENCE_MS) =>
      until(() => holds(everything(), wanted), `Never printed ${String(wanted)}`, timeoutMs),
    until: (condition, what, timeoutMs = PATIENCE_MS) =>
      until(condition, `Never came true: ${what}`, timeoutMs),
    waitForIdle: (timeoutMs = PATIENCE_MS) =>
      until(() => !/esc to (interrupt|remove)/.test(visible()), 'Still running', timeoutMs),
    waitForGone: (unwanted, timeoutMs = PATIENCE_MS) =>
      until(() => !holds(visible(), unwanted), `Still there: ${String(unwanted)}`, timeoutMs),
    settle,
    pause: sleep,
    send,
    async resize(newColumns, newRows) {
      await drawAll();
      pty.resize(newColumns, newRows);
      screen.resize(newColumns, newRows);
    },
    kill: (signal) => pty.kill(signal),
    // Not in the types: closes the terminal's side, so that the program gets a hangup.
    close: () => (pty as unknown as { destroy(): void }).destroy(),
    exited,
  };
}

/** Reads what is available right now; undefined if nothing is. */
function readNow(fd: number): Uint8Array | undefined {
  const buffer = new Uint8Array(65_536);
  try {
    const many = readSync(fd, buffer);
    return many === 0 ? undefined : buffer.subarray(0, many);
  } catch {
    return undefined;
  }
}

/** Long enough that only an event that never happens takes this long. */
const PATIENCE_MS = 60_000;
/** Somewhat more than the time in which keys do not answer a question (`src/ui/dialog/useAnswers.ts`). */
const TYPED_AHEAD_MS = 300;
/** The same after text that was meant for something else, and for Enter after another answer. */
const CONFIRM_MS = 1100;
/** Limit for a program that is never idle, as while it streams a reply. */
const REACTION_MS = 3000;
/**
 * The program is idle if it sleeps in this many checks in a row, this many milliseconds apart: frame timers have fired
 * by then.
 */
const QUIET_LOOKS = 4;
const LOOK_MS = 10;
/** Where processes cannot be inspected, a key that changes nothing on screen takes this many checks. */
const BLIND_LOOKS = 40;

/** True for control characters and sequences. */
const isNoText = (key: string): boolean => /^[\x00-\x1f\x7f]/.test(key);

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** The default colors of xterm, and a background that is not quite black. */
const backgrounds = { light: 'rgb:ffff/ffff/ffff', dark: 'rgb:1e1e/1e1e/1e1e' } as const;
