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
  let ending: NodeJS.Timeout | undefined;
  const passOn = (): void => {
    next = undefined;
    const ready = assembler.take(waiting.shift() ?? '');
    if (ready !== '') output.write(ready);
    if (waiting.length > 0) next = setImmediate(passOn);
    clearTimeout(ending);
    if (assembler.isWaiting()) ending = setTimeout(endPaste, ENDING_MS);
  };
  const endPaste = (): void => {
    const started = ending;
    // Between a timer and `setImmediate` Node reads all input that has arrived.
    setImmediate(() => {
      if (ending !== started || !assembler.isWaiting()) return;
      if (waiting.length > 0) ending = setTimeout(endPaste, ENDING_MS);
      else output.write(assembler.settle());
    });
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
      clearTimeout(ending);
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

/** A user types later after a paste, even over a slow connection. */
const ENDING_MS = 10;

const linesOf = (text: string): string[] => text.split(/(?<=\r)/);

/** Ctrl+C, plain and in the kitty protocol. */
const INTERRUPTS: ReadonlySet<string> = new Set(['\u0003', '\u001B[99;5u']);

const ENTER = '\r';

interface PasteAssembler {
  /** Returns what can be emitted when a chunk arrives. */
  take(piece: string): string;
  /** True after an end mark, which ends the paste only if nothing follows, and within a start mark. */
  isWaiting(): boolean;
  /** Returns the text that was held back when nothing follows. */
  settle(): string;
}

/**
 * Holds back the content of a paste until it is complete. The pasted bytes may contain an end mark, which not every
 * terminal removes: what follows a mark immediately is pasted text, because a user types later. Only the start of the
 * next paste may follow, or one Enter and nothing else: after pasted text there would be another mark. A paste whose end never arrives (a cut connection, a terminal that lost it) would block the
 * keyboard forever, so Ctrl+C ends it.
 */
export function createPasteAssembler(): PasteAssembler {
  let held: string[] | undefined;
  // The newest held characters, because a mark may be split across chunks.
  let seam = '';
  let isEnding = false;
  let tail = '';
  /** The beginning of a start mark. */
  let opening = '';

  function settle(): string {
    if (held === undefined) {
      const keys = opening;
      opening = '';
      return keys;
    }
    const isSent = tail === end + ENTER;
    const text = held.join('').slice(start.length) + (isSent ? '' : tail);
    held = undefined;
    isEnding = false;
    tail = '';
    return start + withoutMarks(text) + end + (isSent ? ENTER : '');
  }

  function takeAfterEnd(piece: string): string {
    tail += piece;
    if (!tail.slice(end.length).startsWith(start.slice(0, tail.length - end.length))) return '';
    if (tail.length < end.length + start.length) return '';
    const next = tail.slice(end.length);
    tail = end;
    return settle() + take(next);
  }

  function take(piece: string): string {
    if (isEnding) return takeAfterEnd(piece);
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
      const text = held.join('') + piece;
      const stop = text.length - (recent.length - at);
      held = [text.slice(0, stop)];
      isEnding = true;
      return takeAfterEnd(text.slice(stop));
    }
    const keys = opening + piece;
    const from = keys.indexOf(start);
    opening = from === -1 ? startOfMark(keys) : '';
    if (from === -1) return keys.slice(0, keys.length - opening.length);
    held = [start];
    seam = '';
    return keys.slice(0, from) + take(keys.slice(from + start.length));
  }

  return { take, isWaiting: () => isEnding || opening !== '', settle };
}

/** The end of the text, if a start mark may begin there. */
function startOfMark(text: string): string {
  const from = text.lastIndexOf('\u001B');
  return from !== -1 && start.startsWith(text.slice(from)) ? text.slice(from) : '';
}

/** The text without marks, also without those that appear when others are removed. */
function withoutMarks(text: string): string {
  const plain = text.replaceAll(start, '').replaceAll(end, '');
  return plain.includes(start) || plain.includes(end) ? plain.replaceAll('\u001B', '') : plain;
}

/** Joins two drafts. A command among several lines would run all of them, so it becomes text. */
export const stacked = (above: string, below: string): string =>
  `${/^[!/]/.test(above) ? ' ' : ''}${above}\n${below}`;
