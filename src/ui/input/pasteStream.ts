/**
 * Standard input with each bracketed paste in one piece. Ink searches everything received so far each time a
 * part arrives, and a terminal delivers 4 kB at a time: ten megabytes would take it 12 s instead of 0.1 s.
 */
import { PassThrough } from 'node:stream';

const start = '\u001B[200~';
const end = '\u001B[201~';

/**
 * Wraps a terminal for Ink's `stdin` option. The terminal is read only while raw mode is on, so that an editor
 * to which Ink has handed the terminal gets its keys. `typed` came in before, and is handed on first. While it
 * `isStarting`, keys pile up: they are handed on line by line, as an Enter with more behind it in one piece is taken
 * for part of a paste.
 */
export function createPasteStream(
  terminal: NodeJS.ReadStream,
  typed = '',
  isStarting: () => boolean = () => false,
): NodeJS.ReadStream {
  const output = new PassThrough({ encoding: 'utf8' });
  let assembler = createPasteAssembler();
  const waiting = linesOf(typed);
  let next: ReturnType<typeof setImmediate> | undefined;
  const passOn = (): void => {
    next = undefined;
    const ready = assembler(waiting.shift() ?? '');
    if (ready !== '') output.write(ready);
    if (waiting.length > 0) next = setImmediate(passOn);
  };
  const onData = (chunk: string): void => {
    waiting.push(...(isStarting() ? linesOf(chunk) : [chunk]));
    if (next === undefined) passOn();
  };
  const stream = Object.assign(output, {
    isTTY: terminal.isTTY,
    setRawMode(isOn: boolean) {
      terminal.setRawMode(isOn);
      terminal.off('data', onData);
      clearImmediate(next);
      assembler = createPasteAssembler();
      if (isOn) {
        terminal.setEncoding('utf8').on('data', onData).resume();
        passOn();
      } else terminal.pause();
      return stream;
    },
    ref() {
      terminal.ref();
      return stream;
    },
    unref() {
      terminal.unref();
      return stream;
    },
  });
  return stream as unknown as NodeJS.ReadStream;
}

const linesOf = (text: string): string[] => text.split(/(?<=\r)/);

/** Ctrl+C, and as the kitty protocol writes it. */
const INTERRUPTS: ReadonlySet<string> = new Set(['\u0003', '\u001B[99;5u']);

/**
 * Returns a function from each piece received to what can be passed on; what is inside a paste is held back. A paste
 * whose end never comes (a line that was cut, a terminal that lost it) would hold the keyboard for good: Ctrl+C ends it.
 */
export function createPasteAssembler(): (piece: string) => string {
  let held: string[] | undefined;
  // The newest held characters: the end mark may come in several pieces.
  let seam = '';
  return function assemble(piece: string): string {
    if (held !== undefined) {
      if (INTERRUPTS.has(piece)) {
        held = undefined;
        return piece;
      }
      const recent = seam + piece;
      const at = recent.indexOf(end);
      if (at === -1) {
        held.push(piece);
        seam = recent.slice(1 - end.length);
        return '';
      }
      const stop = at + end.length - seam.length;
      const paste = held.join('') + piece.slice(0, stop);
      held = undefined;
      return paste + assemble(piece.slice(stop));
    }
    const from = piece.lastIndexOf(start);
    if (from === -1 || piece.indexOf(end, from) !== -1) return piece;
    held = [piece.slice(from)];
    seam = piece.slice(from).slice(1 - end.length);
    return piece.slice(0, from);
  };
}
