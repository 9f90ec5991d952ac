/**
 * Standard input with each bracketed paste in one piece. Ink searches everything received so far each time a
 * part arrives, and a terminal delivers 4 kB at a time: ten megabytes would take it 12 s instead of 0.1 s.
 */
import { PassThrough } from 'node:stream';
import { clean, type PastedText, type Unit, unitsOf } from './units.ts';

/** Pastes longer than this many characters, or of more than this many lines, are shown folded (as Claude Code does). */
const foldLimits = { characters: 800, lines: 2 } as const;

/** A recalled text is there to be edited: only one that would fill screens is folded. */
const recallLimits = { characters: 10_000, lines: 200 } as const;

/**
 * What a paste puts into the buffer: its characters, or one fold that keeps the whole text under a label
 * such as `[Pasted text #1 +120 lines]`. Takes time linear in the text.
 */
export function unitsOfPaste(pasted: string, existing: readonly Unit[]): readonly Unit[] {
  const text = clean(pasted);
  return exceeds(text, foldLimits) ? [fold(text, existing)] : unitsOf(text);
}

/** What a recalled or restored text puts into the buffer. */
export function unitsOfRecall(recalled: string, existing: readonly Unit[] = []): readonly Unit[] {
  const text = clean(recalled);
  if (exceeds(text, recallLimits)) return [fold(text, existing)];
  return text
    .split(/(\[Image #\d{1,6}\])/)
    .flatMap((part, at) => (at % 2 === 1 ? [imageUnit(part)] : unitsOf(part)));
}

/** Where an image stands: one step for the cursor. Its text is all it needs; see `ui/images/imageShelf.ts`. */
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

/** A newline at the very end ends the last line and does not begin another. */
function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

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
