/**
 * Standard input that delivers each bracketed paste in one piece. Whenever a chunk arrives, Ink searches everything
 * received so far, and terminals deliver 4 kB at a time: ten megabytes would take 12 s instead of 0.1 s.
 */
import { PassThrough } from 'node:stream';
import { clean, type PastedText, type Unit, unitsOf } from './units.ts';

/** Longer pastes, or pastes with more lines, are shown folded (as in Claude Code). */
const foldLimits = { characters: 800, lines: 2 } as const;

/** Recalled text is meant to be edited, so it is folded only if it would fill several screens. */
const recallLimits = { characters: 10_000, lines: 200 } as const;

/**
 * The units that a paste inserts: its characters, or one fold that holds the text under a label such as `[Pasted text
 * #1 +120 lines]`. Takes time linear in the text.
 */
export function unitsOfPaste(pasted: string, existing: readonly Unit[]): readonly Unit[] {
  const text = clean(pasted);
  return exceeds(text, foldLimits) ? [fold(text, existing)] : unitsOf(text);
}

/** The units that a recalled or restored text inserts. */
export function unitsOfRecall(recalled: string, existing: readonly Unit[] = []): readonly Unit[] {
  const text = clean(recalled);
  if (exceeds(text, recallLimits)) return [fold(text, existing)];
  return text
    .split(/(\[Image #\d{1,6}\])/)
    .flatMap((part, at) => (at % 2 === 1 ? [imageUnit(part)] : unitsOf(part)));
}

/** An image's label, as one step for the cursor. The label is all it needs: see `ImageShelf` in `images.ts`. */
export function imageUnit(label: string): PastedText {
  return { label, text: label };
}

function fold(text: string, existing: readonly Unit[]): PastedText {
  const used = existing.flatMap((unit) => (typeof unit === 'string' ? [] : [numberOf(unit)]));
  const lines = countLines(text);
  const size = lines > foldLimits.lines ? `${lines} lines` : `${text.length} characters`;
  return { label: `[Pasted text #${Math.max(0, ...used) + 1} +${size}]`, text };
}

const exceeds = (text: string, limits: { readonly characters: number; readonly lines: number }): boolean =>
  text.length > limits.characters || countLines(text) > limits.lines;

const numberOf = (unit: PastedText): number => Number(/^\[Pasted text #(\d+)/.exec(unit.label)?.[1] ?? 0);

/** Counts lines; a trailing newline does not start another one. */
function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

const start = '\u001B[200~';
const end = '\u001B[201~';

/**
 * Wraps a terminal for Ink's `stdin` option. The terminal is read only in raw mode, so that an editor to which Ink has
 * handed over the terminal gets its keys. `typed` arrived earlier and is emitted first. While `isStarting` is true,
 * keys pile up; they are emitted line by line, because an Enter followed by more in the same chunk looks like part of a
 * paste.
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

/** Ctrl+C, plain and in the kitty protocol. */
const INTERRUPTS: ReadonlySet<string> = new Set(['\u0003', '\u001B[99;5u']);

/**
 * Returns a function that maps each received chunk to what can be emitted; the content of a paste is held back. A paste
 * whose end never arrives (a cut connection, a terminal that lost it) would block the keyboard forever, so Ctrl+C ends
 * it.
 */
export function createPasteAssembler(): (piece: string) => string {
  let held: string[] | undefined;
  // The newest held characters, because the end mark may be split across chunks.
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
